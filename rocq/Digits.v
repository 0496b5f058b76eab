(* Positions as words: at each place, from the highest, a bit of each heap in turn. *)
Require Import Bool List Arith NArith Lia.
Import ListNotations.
Local Open Scope N_scope.

(* the word of a position with L places *)
Fixpoint word (p : list N) (L : nat) : list bool :=
  match L with O => [] | S L => map (fun a => N.testbit a (N.of_nat L)) p ++ word p L end.
Lemma word_len p L : length (word p L) = (length p * L)%nat.
Proof. induction L; simpl; [lia|]. rewrite app_length, map_length, IHL. lia. Qed.

(* the number of places that a position needs *)
Definition fits (p : list N) (L : nat) : Prop := Forall (fun a => a < 2 ^ N.of_nat L) p.
Fixpoint bound (p : list N) : nat :=
  match p with [] => O | a :: p => Nat.max (N.to_nat (N.size a)) (bound p) end.
Lemma fits_le p L L' : (L <= L')%nat -> fits p L -> fits p L'.
Proof.
  intros H. apply Forall_impl. intros a A. eapply N.lt_le_trans; [exact A|].
  apply N.pow_le_mono_r; lia.
Qed.
Lemma fits_bound p : fits p (bound p).
Proof.
  induction p as [|a p IH]; simpl; constructor.
  - apply N.lt_le_trans with (2 ^ N.size a); [apply N.size_gt|]. apply N.pow_le_mono_r; lia.
  - apply (fits_le p (bound p)); auto. lia.
Qed.

(* one heap replaced *)
Fixpoint set_at {A} (i : nat) (x : A) (l : list A) : list A :=
  match l, i with [], _ => [] | _ :: l, O => x :: l | y :: l, S i => y :: set_at i x l end.
Lemma set_at_len {A} i (x : A) : forall l, length (set_at i x l) = length l.
Proof. induction i; intros [|y l]; simpl; auto. Qed.
Lemma set_nth {A} (x d : A) : forall l i j, (i < length l)%nat ->
  nth j (set_at i x l) d = if Nat.eqb j i then x else nth j l d.
Proof.
  induction l as [|y l IH]; intros [|i] [|j] H; simpl in *; try lia; auto. apply IH. lia.
Qed.
Lemma set_same {A} (d : A) : forall l i, set_at i (nth i l d) l = l.
Proof. induction l as [|y l IH]; intros [|i]; simpl; auto. f_equal. apply IH. Qed.
Lemma map_set {A B} (f : A -> B) x : forall l i, map f (set_at i x l) = set_at i (f x) (map f l).
Proof. induction l as [|y l IH]; intros [|i]; simpl; auto. f_equal. apply IH. Qed.
Lemma set_fits p i x L : fits p L -> x < 2 ^ N.of_nat L -> fits (set_at i x p) L.
Proof.
  intros F X. unfold fits in *. revert i. induction F as [|a p A F IH]; intros [|i]; simpl; constructor; auto.
Qed.
Lemma fits_nth p L i : fits p L -> nth i p 0 < 2 ^ N.of_nat L.
Proof.
  intros F. unfold fits in F. revert i. induction F as [|a p A F IH]; intros [|i]; simpl; auto;
    apply N.neq_0_lt_0, N.pow_nonzero; lia.
Qed.
