(* Finite sets by keys, searches, and tests that stop early.

   [vm_compute] evaluates both arguments of [&&] and [||]: the tests are written with [if]. *)
Require Import Bool List Arith NArith PArith Lia FMapPositive.
Import ListNotations.
Module PM := PositiveMap.

Declare Scope lazy_scope.
Notation "a && b" := (if a then b else false) : lazy_scope.
Notation "a || b" := (if a then true else b) : lazy_scope.
Open Scope lazy_scope.
Fixpoint every {A} (f : A -> bool) (l : list A) : bool :=
  match l with [] => true | x :: l => if f x then every f l else false end.
Fixpoint some {A} (f : A -> bool) (l : list A) : bool :=
  match l with [] => false | x :: l => if f x then true else some f l end.
Lemma every_all {A} (f : A -> bool) l : every f l = true <-> forall x, In x l -> f x = true.
Proof.
  rewrite <- (List.forallb_forall f l). induction l as [|x l IH]; simpl; [tauto|]. now destruct (f x).
Qed.
Lemma some_one {A} (f : A -> bool) l : some f l = true <-> exists x, In x l /\ f x = true.
Proof.
  rewrite <- (List.existsb_exists f l). induction l as [|x l IH]; simpl; [tauto|]. now destruct (f x).
Qed.
Lemma andb_prop (a b : bool) : (if a then b else false) = true -> a = true /\ b = true.
Proof. destruct a; auto; discriminate. Qed.
Lemma orb_prop (a b : bool) : (if a then true else b) = true -> a = true \/ b = true.
Proof. destruct a; auto. Qed.

Fixpoint papp (p k : positive) : positive :=
  match p with xH => k | xO p => papp p (xO k) | xI p => papp p (xI k) end.
Fixpoint bapp (l : list bool) (k : positive) : positive :=
  match l with [] => k | b :: l => bapp l (if b then xI k else xO k) end.
Fixpoint leqb (a b : list bool) : bool :=
  match a, b with [], [] => true | x :: a, y :: b => Bool.eqb x y && leqb a b | _, _ => false end.
Lemma leqb_eq a : forall b, leqb a b = true -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b] H; simpl in H; try discriminate; auto.
  apply andb_prop in H. destruct H as [H1 H2]. apply eqb_prop in H1. subst. f_equal. auto.
Qed.

(* sets of values found by a key, which need not be injective *)
Section Sets.
  Context {A : Type} (key : A -> positive) (eqA : A -> A -> bool).
  Hypothesis eqA_eq : forall x y, eqA x y = true -> x = y.
  Definition set : Type := PM.t A.
  Definition mem (x : A) (m : set) : bool :=
    match PM.find (key x) m with Some y => eqA x y | None => false end.
  Definition put (ml : set * list A) (x : A) : set * list A :=
    match PM.find (key x) (fst ml) with
    | Some _ => ml | None => (PM.add (key x) x (fst ml), x :: snd ml) end.
  Definition build (l : list A) : set * list A := fold_left put l (PM.empty A, []).
  Lemma build_spec l :
    (forall x, In x (snd (build l)) -> In x l) /\
    (forall k x, PM.find k (fst (build l)) = Some x -> In x (snd (build l))).
  Proof.
    unfold build.
    assert (G : forall l ml, (forall k x, PM.find k (fst ml) = Some x -> In x (snd ml)) ->
      (forall x, In x (snd (fold_left put l ml)) -> In x l \/ In x (snd ml)) /\
      (forall k x, PM.find k (fst (fold_left put l ml)) = Some x -> In x (snd (fold_left put l ml)))).
    { clear l. induction l as [|a l IH]; intros ml H; simpl; [auto|].
      destruct (IH (put ml a)) as [I1 I2].
      - intros k x. unfold put, set. destruct (@PM.find A (key a) (fst ml)) eqn:E; [apply H|].
        simpl. destruct (Pos.eq_dec k (key a)) as [->|Ne].
        + rewrite PM.gss. intros X. inversion X; auto.
        + rewrite PM.gso by auto. intros X. right. exact (H k x X).
      - split; [|exact I2]. intros x Hx. destruct (I1 x Hx) as [|Hp]; auto.
        unfold put, set in Hp. destruct (@PM.find A (key a) (fst ml)); simpl in Hp; [auto|].
        destruct Hp as [<-|Hp]; auto. }
    destruct (G l (PM.empty A, [])) as [G1 G2].
    - intros k x. simpl. rewrite PM.gempty. discriminate.
    - split; auto. intros x Hx. destruct (G1 x Hx); [auto|contradiction].
  Qed.
  Lemma mem_build l x : mem x (fst (build l)) = true -> In x (snd (build l)).
  Proof.
    unfold mem. destruct (PM.find _ _) eqn:E; [|discriminate]. intros H. apply eqA_eq in H. subst.
    exact (proj2 (build_spec l) _ _ E).
  Qed.
End Sets.


(* 2^k steps of a search, or fewer: until it is done *)
Fixpoint iter2 {S} (done : S -> bool) (k : nat) (f : S -> S) (s : S) : S :=
  if done s then s else match k with O => f s | S k => iter2 done k f (iter2 done k f s) end.
