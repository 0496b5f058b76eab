(* Atoms as machines, and formulas as automata. *)
Require Import Bool List Arith NArith ZArith PArith Lia.
From Nimrule Require Import Digits Machine Formula Claim.
Import ListNotations.
Local Open Scope Z_scope.

Section Atom.
  Variable n : nat.                    (* the number of heaps *)
  Hypothesis n_pos : n <> O.
  Variable a : atom.
  Hypothesis a_well : well a = true.

  (* the state, or a decision *)
  Definition state_ : Type := Z + bool.
  Definition atom_step (lay : nat) (b : bool) (st : state_) : state_ :=
    match st with
    | inl s =>
      let s1 := add_bit a lay (match lay with O => before a s | _ => s end) b in
      if Nat.eqb (S lay) n then after a s1 else inl s1
    | inr d => inr d
    end.
  Definition atom_out (st : state_) : nat :=
    if match st with inl s => final a s | inr d => d end then 1%nat else O.

  (* the state is that of p, of which all but l places and, of the next, lay bits are read *)
  Definition right (p : list N) (l lay : nat) (st : state_) : Prop :=
    match st with
    | inr d => asem p a <-> d = true
    | inl s => match lay with
        | O => state a s (top p l)
        | _ => mid a s (top p l) (firstn lay (letter p (pred l)))
        end
    end.

  Lemma atom_right p l lay st : length p = n -> (lay < n)%nat -> right p (S l) lay st ->
    right p (if Nat.eqb (S lay) n then l else S l) (follow n lay) (atom_step lay (nth lay (letter p l) false) st).
  Proof.
    intros D B R. destruct st as [s|d]; [|exact R]. cbn [atom_step].
    set (bit := nth lay (letter p l) false).
    set (s0 := match lay with O => before a s | _ => s end).
    assert (M0 : mid a s0 (top p (S l)) (firstn lay (letter p l))).
    { cbn [right] in R. simpl pred in R. subst s0. destruct lay; [|exact R].
      simpl firstn. now apply mid_start. }
    apply (mid_step a s0 _ _ bit a_well) in M0.
    assert (Lf : length (firstn lay (letter p l)) = lay) by (rewrite firstn_length, letter_len; lia).
    assert (Sn : firstn lay (letter p l) ++ [bit] = firstn (S lay) (letter p l)).
    { subst bit. assert (Hl : (lay < length (letter p l))%nat) by (rewrite letter_len; lia).
      clear -Hl. revert Hl. generalize (letter p l) as bs.
      induction lay as [|k IH]; intros [|b bs] H; simpl in *; try lia; auto. f_equal. apply IH. lia. }
    rewrite Lf, Sn in M0. unfold follow. destruct (Nat.eqb_spec (S lay) n) as [E|E].
    - rewrite firstn_all2 in M0 by (rewrite letter_len; lia).
      apply after_place in M0; [|exact a_well]. destruct (after a _) as [s2|d]; exact M0.
    - cbn [right]. simpl pred. exact M0.
  Qed.

  Lemma atom_place p l w : length p = n -> forall k lay st, (lay + k = n)%nat -> k <> O -> right p (S l) lay st ->
    exists st', mrun n atom_step lay st (skipn lay (letter p l) ++ w) = mrun n atom_step 0 st' w /\
      right p l 0 st'.
  Proof.
    intros D. induction k as [|k IH]; intros lay st E K R; [congruence|].
    pose proof (atom_right p l lay st D ltac:(lia) R) as R1.
    assert (Sk : skipn lay (letter p l) = nth lay (letter p l) false :: skipn (S lay) (letter p l)).
    { assert (Hl : (lay < length (letter p l))%nat) by (rewrite letter_len; lia).
      clear -Hl. revert Hl. generalize (letter p l) as bs.
      induction lay as [|j IH]; intros [|b bs] H; simpl in *; try lia; auto. apply IH. lia. }
    rewrite Sk. cbn [app mrun]. unfold follow in *. destruct (Nat.eqb_spec (S lay) n) as [En|En].
    - rewrite skipn_all2 by (rewrite letter_len; lia). simpl app. eauto.
    - apply (IH (S lay)); auto; lia.
  Qed.

  Lemma atom_word p : length p = n -> forall l st, right p l 0 st ->
    right p 0 0 (mrun n atom_step 0 st (word p l)).
  Proof.
    intros D. induction l as [|l IH]; intros st R; [exact R|].
    change (word p (S l)) with (letter p l ++ word p l).
    destruct (atom_place p l (word p l) D n O st ltac:(lia) n_pos R) as (st' & E & R').
    simpl skipn in E. rewrite E. exact (IH st' R').
  Qed.

  Definition atom_key (st : state_) (k : positive) : positive :=
    match st with
    | inl Z0 => xO (xO k) | inl (Zpos p) => xI (xO (pkey p k)) | inl (Zneg p) => xI (xI (pkey p k))
    | inr b => xO (xI (if b then xI k else xO k))
    end.
  Definition atom_eq (x y : state_) : bool :=
    match x, y with inl s, inl t => Z.eqb s t | inr b, inr d => Bool.eqb b d | _, _ => false end.
  Lemma atom_eq_eq x y : atom_eq x y = true -> x = y.
  Proof.
    destruct x, y; simpl; intros H; try discriminate.
    - apply Z.eqb_eq in H. congruence.
    - apply eqb_prop in H. congruence.
  Qed.

  Definition atom_automaton : option dfa := automaton n atom_step atom_out atom_key atom_eq (inl 0).
  Theorem atom_automaton_ok d : atom_automaton = Some d -> dead_ok d = true /\
    forall p L, length p = n -> fits p L ->
    (result d p L <= 1)%nat /\ (result d p L = 1%nat <-> asem p a).
  Proof.
    intros H. unfold atom_automaton in H. apply (automaton_ok n _ _ _ _ atom_eq_eq n_pos) in H.
    destruct H as [K H]. split; [exact K|]. intros p L D F. rewrite (H p L D).
    pose proof (atom_word p D L (inl 0) (state_start a p L a_well F)) as R.
    unfold atom_out. destruct (mrun n atom_step 0 (inl 0) (word p L)) as [s|b].
    - cbn [right] in R. rewrite top_0 in R. pose proof (final_right a s p a_well R) as Fr.
      destruct (final a s); split; try lia; rewrite <- Fr; split; auto; discriminate.
    - cbn [right] in R. rewrite R. destruct b; split; try lia; split; auto; discriminate.
  Qed.
End Atom.

(* the automaton of a formula: 1 where it holds, 0 elsewhere *)
Fixpoint form_automaton (n : nat) (f : form) : option dfa :=
  match f with
  | FA a => atom_automaton n a
  | FAnd f g => match form_automaton n f, form_automaton n g with
      | Some u, Some d => both n Nat.min u d | _, _ => None end
  | FOr f g => match form_automaton n f, form_automaton n g with
      | Some u, Some d => both n Nat.max u d | _, _ => None end
  | FNot f => match form_automaton n f with Some u => both n (fun x _ => 1 - x)%nat u none | None => None end
  end.

Theorem form_automaton_ok n f : n <> O -> fwell f = true -> forall d, form_automaton n f = Some d ->
  dead_ok d = true /\ forall p L, length p = n -> fits p L ->
  (result d p L <= 1)%nat /\ (result d p L = 1%nat <-> fsem p f).
Proof.
  intros N0. induction f as [a|f IHf g IHg|f IHf g IHg|f IHf]; intros W e H; cbn [form_automaton] in H; cbn [fwell] in W.
  - exact (atom_automaton_ok n N0 a W e H).
  - apply andb_prop in W. destruct W as [W1 W2].
    destruct (form_automaton n f) as [u|]; [|discriminate]. destruct (form_automaton n g) as [d|]; [|discriminate].
    destruct (IHf W1 u eq_refl) as [_ Hf]. destruct (IHg W2 d eq_refl) as [_ Hg].
    apply (both_ok n N0) in H. destruct H as [K H]. split; [exact K|]. intros p L D F.
    destruct (Hf p L D F) as [F1 F2], (Hg p L D F) as [G1 G2]. rewrite (H p L D). cbn [fsem]. rewrite <- F2, <- G2. lia.
  - apply andb_prop in W. destruct W as [W1 W2].
    destruct (form_automaton n f) as [u|]; [|discriminate]. destruct (form_automaton n g) as [d|]; [|discriminate].
    destruct (IHf W1 u eq_refl) as [_ Hf]. destruct (IHg W2 d eq_refl) as [_ Hg].
    apply (both_ok n N0) in H. destruct H as [K H]. split; [exact K|]. intros p L D F.
    destruct (Hf p L D F) as [F1 F2], (Hg p L D F) as [G1 G2]. rewrite (H p L D). cbn [fsem]. rewrite <- F2, <- G2. lia.
  - destruct (form_automaton n f) as [u|]; [|discriminate]. destruct (IHf W u eq_refl) as [_ Hf].
    apply (both_ok n N0) in H. destruct H as [K H]. split; [exact K|]. intros p L D F.
    destruct (Hf p L D F) as [F1 F2]. rewrite (H p L D). cbn [fsem]. rewrite <- F2. lia.
Qed.
