(* Formulas that are read bit by bit: what is left of a formula after some bits.

   An atom that is decided becomes a constant, and constants disappear from the formula, so that
   few different residuals occur. *)
Require Import Bool List Arith NArith ZArith Lia.
From Nimrule Require Import Digits Machine Formula Claim.
Import ListNotations.
Local Open Scope Z_scope.

Inductive res := RB (b : bool) | RA (i : nat) (s : Z) | RAnd (x y : res) | ROr (x y : res) | RNot (x : res).

Definition and_ (x y : res) : res :=
  match x, y with
  | RB false, _ | _, RB false => RB false
  | RB true, z | z, RB true => z
  | _, _ => RAnd x y
  end.
Definition or_ (x y : res) : res :=
  match x, y with
  | RB true, _ | _, RB true => RB true
  | RB false, z | z, RB false => z
  | _, _ => ROr x y
  end.
Definition not_ (x : res) : res := match x with RB b => RB (negb b) | _ => RNot x end.

Section Residual.
  Variable n : nat.                    (* the number of heaps *)
  Variable atoms : list atom.          (* RA i is the atom with this number *)
  Hypothesis n_pos : n <> O.
  Definition nothing : atom := Zero [] 0.
  Definition at_ (i : nat) : atom := nth i atoms nothing.
  Hypothesis atoms_well : forallb well atoms = true.

  Lemma at_well i : well (at_ i) = true.
  Proof.
    unfold at_. destruct (Nat.lt_ge_cases i (length atoms)).
    - rewrite forallb_forall in atoms_well. apply atoms_well. now apply nth_In.
    - rewrite nth_overflow by lia. reflexivity.
  Qed.

  Fixpoint rsem (p : list N) (r : res) : Prop :=
    match r with
    | RB b => b = true
    | RA i _ => asem p (at_ i)
    | RAnd x y => rsem p x /\ rsem p y
    | ROr x y => rsem p x \/ rsem p y
    | RNot x => ~ rsem p x
    end.
  Fixpoint rval (r : res) : bool :=
    match r with
    | RB b => b
    | RA i s => final (at_ i) s
    | RAnd x y => if rval x then rval y else false
    | ROr x y => if rval x then true else rval y
    | RNot x => negb (rval x)
    end.
  Lemma and_sem p x y : rsem p (and_ x y) <-> rsem p x /\ rsem p y.
  Proof. destruct x as [[|]|? ?|? ?|? ?|?], y as [[|]|? ?|? ?|? ?|?]; simpl; intuition discriminate. Qed.
  Lemma or_sem p x y : rsem p (or_ x y) <-> rsem p x \/ rsem p y.
  Proof. destruct x as [[|]|? ?|? ?|? ?|?], y as [[|]|? ?|? ?|? ?|?]; simpl; intuition discriminate. Qed.
  Lemma not_sem p x : rsem p (not_ x) <-> ~ rsem p x.
  Proof. destruct x as [[|]|? ?|? ?|? ?|?]; simpl; intuition discriminate. Qed.

  (* one bit, of the heap with the number lay *)
  Fixpoint rbit (lay : nat) (b : bool) (r : res) : res :=
    match r with
    | RB b => RB b
    | RA i s =>
      let a := at_ i in
      let s1 := add_bit a lay (match lay with O => before a s | _ => s end) b in
      if Nat.eqb (S lay) n then match after a s1 with inl s2 => RA i s2 | inr d => RB d end else RA i s1
    | RAnd x y => and_ (rbit lay b x) (rbit lay b y)
    | ROr x y => or_ (rbit lay b x) (rbit lay b y)
    | RNot x => not_ (rbit lay b x)
    end.

  (* the states are those of p, of which l places and, of the next, lay bits are read *)
  Fixpoint right (p : list N) (l lay : nat) (r : res) : Prop :=
    match r with
    | RB _ => True
    | RA i s => match lay with
        | O => state (at_ i) s (top p l)
        | _ => mid (at_ i) s (top p l) (firstn lay (letter p (pred l)))
        end
    | RAnd x y | ROr x y => right p l lay x /\ right p l lay y
    | RNot x => right p l lay x
    end.
  Lemma and_right p l k x y : right p l k x -> right p l k y -> right p l k (and_ x y).
  Proof. destruct x as [[|]|? ?|? ?|? ?|?], y as [[|]|? ?|? ?|? ?|?]; simpl; tauto. Qed.
  Lemma or_right p l k x y : right p l k x -> right p l k y -> right p l k (or_ x y).
  Proof. destruct x as [[|]|? ?|? ?|? ?|?], y as [[|]|? ?|? ?|? ?|?]; simpl; tauto. Qed.
  Lemma not_right p l k x : right p l k x -> right p l k (not_ x).
  Proof. destruct x as [[|]|? ?|? ?|? ?|?]; simpl; tauto. Qed.

  Lemma rbit_right p l lay r : length p = n -> (lay < n)%nat -> right p (S l) lay r ->
    let r' := rbit lay (nth lay (letter p l) false) r in
    (rsem p r' <-> rsem p r) /\ right p (if Nat.eqb (S lay) n then l else S l) (follow n lay) r'.
  Proof.
    intros D B. cbv zeta. induction r as [b|i s|x IHx y IHy|x IHx y IHy|x IHx]; intros R; cbn [rbit].
    - split; [tauto|exact I].
    - set (bit := nth lay (letter p l) false). set (a := at_ i).
      pose proof (at_well i) as Wa. fold a in Wa.
      set (s0 := match lay with O => before a s | _ => s end).
      assert (M0 : mid a s0 (top p (S l)) (firstn lay (letter p l))).
      { cbn [right] in R. fold a in R. simpl pred in R. subst s0. destruct lay; [|exact R].
        simpl firstn. now apply mid_start. }
      apply (mid_step a s0 _ _ bit Wa) in M0.
      assert (Lf : length (firstn lay (letter p l)) = lay).
      { rewrite firstn_length, letter_len. lia. }
      assert (Sn : firstn lay (letter p l) ++ [bit] = firstn (S lay) (letter p l)).
      { subst bit. assert (Hl : (lay < length (letter p l))%nat) by (rewrite letter_len; lia).
        clear -Hl. revert Hl. generalize (letter p l) as bs. induction lay as [|k IH]; intros [|b bs] H; simpl in *; try lia; auto.
        f_equal. apply IH. lia. }
      rewrite Lf, Sn in M0. unfold follow. destruct (Nat.eqb_spec (S lay) n) as [E|E].
      + rewrite firstn_all2 in M0 by (rewrite letter_len; lia).
        apply after_place in M0; [|exact Wa]. destruct (after a _) as [s2|d]; cbn [rsem right]; fold a.
        * split; [tauto|exact M0].
        * split; [|exact I]. symmetry. exact M0.
      + cbn [rsem right]. fold a. simpl pred. split; [tauto|exact M0].
    - destruct R as [Rx Ry]. specialize (IHx Rx). specialize (IHy Ry). destruct IHx as [I1 I2], IHy as [I3 I4].
      rewrite and_sem, I1, I3. split; [simpl; tauto|]. now apply and_right.
    - destruct R as [Rx Ry]. specialize (IHx Rx). specialize (IHy Ry). destruct IHx as [I1 I2], IHy as [I3 I4].
      rewrite or_sem, I1, I3. split; [simpl; tauto|]. now apply or_right.
    - specialize (IHx R). destruct IHx as [I1 I2]. rewrite not_sem, I1. split; [simpl; tauto|]. now apply not_right.
  Qed.

  Notation rrun := (mrun n rbit).

  Lemma rrun_place p l w : length p = n -> forall k lay r, (lay + k = n)%nat -> k <> O -> right p (S l) lay r ->
    exists r', rrun lay r (skipn lay (letter p l) ++ w) = rrun 0 r' w /\
      (rsem p r' <-> rsem p r) /\ right p l 0 r'.
  Proof.
    intros D. induction k as [|k IH]; intros lay r E K R; [congruence|].
    destruct (rbit_right p l lay r D ltac:(lia) R) as [S1 R1].
    assert (Sk : skipn lay (letter p l) = nth lay (letter p l) false :: skipn (S lay) (letter p l)).
    { assert (Hl : (lay < length (letter p l))%nat) by (rewrite letter_len; lia).
      clear -Hl. revert Hl. generalize (letter p l) as bs. induction lay as [|j IH]; intros [|b bs] H; simpl in *; try lia; auto.
      apply IH. lia. }
    rewrite Sk. cbn [app mrun]. unfold follow in *. destruct (Nat.eqb_spec (S lay) n) as [En|En].
    - rewrite skipn_all2 by (rewrite letter_len; lia). simpl app. eauto.
    - destruct (IH (S lay) _ ltac:(lia) ltac:(lia) R1) as (r' & E' & S' & R').
      exists r'. rewrite E'. split; auto. split; [rewrite S'; exact S1|exact R'].
  Qed.

  Lemma word_letter p l : word p (S l) = letter p l ++ word p l.
  Proof. reflexivity. Qed.

  Lemma rrun_word p : length p = n -> forall l r, right p l 0 r ->
    (rsem p (rrun 0 r (word p l)) <-> rsem p r) /\ right p 0 0 (rrun 0 r (word p l)).
  Proof.
    intros D. induction l as [|l IH]; intros r R; [simpl; split; [tauto|exact R]|].
    rewrite word_letter.
    destruct (rrun_place p l (word p l) D n O r ltac:(lia) n_pos R) as (r' & E & S' & R').
    simpl skipn in E. rewrite E. destruct (IH r' R') as [S2 R2]. split; [rewrite S2; exact S'|exact R2].
  Qed.

  Lemma rval_right p r : right p 0 0 r -> (rval r = true <-> rsem p r).
  Proof.
    induction r as [b|i s|x IHx y IHy|x IHx y IHy|x IHx]; cbn [right rval rsem]; intros R.
    - tauto.
    - apply final_right; [apply at_well|]. rewrite top_0 in R. exact R.
    - destruct R as [Rx Ry]. specialize (IHx Rx). specialize (IHy Ry). destruct (rval x); intuition discriminate.
    - destruct R as [Rx Ry]. specialize (IHx Rx). specialize (IHy Ry). destruct (rval x); intuition discriminate.
    - specialize (IHx R). destruct (rval x); simpl; intuition discriminate.
  Qed.

  (* a formula at the start *)
  Fixpoint begins (r : res) : bool :=
    match r with
    | RB _ => true | RA _ s => s =? 0
    | RAnd x y | ROr x y => begins x && begins y | RNot x => begins x
    end.
  Lemma begins_right p r l : fits p l -> begins r = true -> right p l 0 r.
  Proof.
    intros F. induction r as [b|i s|x IHx y IHy|x IHx y IHy|x IHx]; cbn [begins right]; intros B; auto;
      try (apply andb_prop in B; destruct B; auto).
    apply Z.eqb_eq in B. subst s. apply state_start; auto. apply at_well.
  Qed.

  Theorem residual_ok p r l : length p = n -> fits p l -> begins r = true ->
    (rval (rrun 0 r (word p l)) = true <-> rsem p r).
  Proof.
    intros D F B. destruct (rrun_word p D l r (begins_right p r l F B)) as [S1 R1].
    rewrite (rval_right p _ R1). exact S1.
  Qed.
End Residual.

(* keys and equality of residuals *)
Definition zkey (s : Z) (k : positive) : positive :=
  match s with Z0 => xO k | Zpos p => xI (xO (pkey p k)) | Zneg p => xI (xI (pkey p k)) end.
Fixpoint rkey (r : res) (k : positive) : positive :=
  match r with
  | RB b => xO (xO (if b then xO k else xI k))
  | RA i s => xO (xI (pkey (Pos.of_succ_nat i) (zkey s k)))
  | RAnd x y => xI (xO (rkey x (rkey y k)))
  | ROr x y => xI (xI (xO (rkey x (rkey y k))))
  | RNot x => xI (xI (xI (rkey x k)))
  end.
Fixpoint req (x y : res) : bool :=
  match x, y with
  | RB a, RB b => Bool.eqb a b
  | RA i s, RA j t => if Nat.eqb i j then Z.eqb s t else false
  | RAnd a b, RAnd c d | ROr a b, ROr c d => if req a c then req b d else false
  | RNot a, RNot b => req a b
  | _, _ => false
  end.
Lemma req_eq x : forall y, req x y = true -> x = y.
Proof.
  induction x as [b|i s|x IHx z IHz|x IHx z IHz|x IHx]; intros [d|j t|y w|y w|y] H; simpl in H; try discriminate.
  - apply eqb_prop in H. congruence.
  - destruct (Nat.eqb_spec i j); [|discriminate]. apply Z.eqb_eq in H. congruence.
  - destruct (req x y) eqn:E; [|discriminate]. f_equal; auto.
  - destruct (req x y) eqn:E; [|discriminate]. f_equal; auto.
  - f_equal. auto.
Qed.

(* the atoms of a formula, numbered *)
Fixpoint atoms_of (f : form) : list atom :=
  match f with FA a => [a] | FAnd f g | FOr f g => atoms_of f ++ atoms_of g | FNot f => atoms_of f end.
Fixpoint number (k : nat) (f : form) : res :=
  match f with
  | FA _ => RA k 0
  | FAnd f g => RAnd (number k f) (number (k + length (atoms_of f)) g)
  | FOr f g => ROr (number k f) (number (k + length (atoms_of f)) g)
  | FNot f => RNot (number k f)
  end.
Lemma number_sem p f : forall pre suf,
  rsem (pre ++ atoms_of f ++ suf) p (number (length pre) f) <-> fsem p f.
Proof.
  induction f as [a|f IHf g IHg|f IHf g IHg|f IHf]; intros pre suf; cbn [number atoms_of rsem fsem].
  - unfold at_. rewrite app_nth2, Nat.sub_diag by lia. tauto.
  - rewrite <- app_assoc, IHf. rewrite (app_assoc pre (atoms_of f)), <- app_length, IHg. tauto.
  - rewrite <- app_assoc, IHf. rewrite (app_assoc pre (atoms_of f)), <- app_length, IHg. tauto.
  - rewrite IHf. tauto.
Qed.
Lemma number_begins f : forall k, begins (number k f) = true.
Proof. induction f; intros k; simpl; auto; now rewrite IHf1, IHf2. Qed.
Lemma atoms_well_of f : fwell f = true -> forallb well (atoms_of f) = true.
Proof.
  induction f; simpl; intros W; auto; [now rewrite W| |];
    apply andb_prop in W; destruct W; rewrite forallb_app, IHf1, IHf2; auto.
Qed.
