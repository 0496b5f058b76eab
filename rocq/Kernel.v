(* The test: an automaton for the positions that have a move into the set, built one heap and then
   one set of heaps at a time, is compared with the set itself. *)
Require Import Bool List Arith NArith PArith Lia FMapPositive.
From Nimrule Require Import Digits Hyper Sets Machine Lower.
Import ListNotations.

(* ---- lowering one heap: sets of states of an automaton, each with the mark "smaller already" ---- *)
Definition mark (f : bool) (q : positive) : positive := if f then xI q else xO q.
Fixpoint insert (x : positive) (l : list positive) : list positive :=
  match l with
  | [] => [x]
  | y :: t => match Pos.compare x y with Lt => x :: l | Datatypes.Eq => l | Gt => y :: insert x t end
  end.
Definition insert_live (x : positive) (l : list positive) : list positive :=
  match x with xO 1 | xI 1 | 1 => l | _ => insert x l end%positive.
(* the states of one automaton have numbers of one length *)
Definition set_key (l : list positive) (k : positive) : positive :=
  fold_right (fun x k => xI (papp x k)) (xO k) l.
Fixpoint set_eq (a b : list positive) : bool :=
  match a, b with [], [] => true | x :: a, y :: b => Pos.eqb x y && set_eq a b | _, _ => false end.
Lemma set_eq_eq a : forall b, set_eq a b = true -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b] H; try discriminate; auto. simpl in H.
  apply andb_prop in H. destruct H as [H1 H2]. apply Pos.eqb_eq in H1. f_equal; auto.
Qed.
Lemma insert_in x l z : In z (insert x l) <-> z = x \/ In z l.
Proof.
  induction l as [|y l IH]; simpl; [intuition|]. destruct (Pos.compare_spec x y); simpl; rewrite ?IH; intuition congruence.
Qed.

Section Low.
  Variable am : amount.
  Variable n : nat.
  Variable d : dfa.
  Variable i : nat.
  Variable top : option positive.      (* the state from which every word is accepted, if it occurs *)
  Hypothesis n_pos : n <> O.
  Hypothesis i_n : i < n.
  Hypothesis d_ok : dead_ok d = true.
  Hypothesis top_ok : forall q, top = Some q -> forall w, 1 <= output d (run d q w).

  Definition next1 (here b : bool) (x : positive) : list positive :=
    match x with
    | xI q => if here then match am with
        | Any => [xI (delta d q false); xI (delta d q true)]
        | One => if b then [] else [xI (delta d q true)]
        end else [xI (delta d q b)]
    | xO q => if here then if b then [xI (delta d q false); xO (delta d q true)] else [xO (delta d q false)]
              else [xO (delta d q b)]
    | xH => []
    end.
  Definition all_steps (lay : nat) (b : bool) (m : list positive) : list positive :=
    let here := Nat.eqb lay i in
    fold_right (fun x acc => fold_right insert_live acc (next1 here b x)) [] m.
  (* for any amount: a state that is smaller already accepts what it accepts if it is not *)
  Fixpoint drop (all m : list positive) : list positive :=
    match m with
    | [] => []
    | x :: m => match x with
        | xO q => if some (Pos.eqb (xI q)) all then drop all m else x :: drop all m
        | _ => x :: drop all m
        end
    end.
  Definition live_drop (m : list positive) : list positive := match am with Any => drop m m | One => m end.
  (* every word is accepted; a heap that is smaller by one may have no way to stay so *)
  Definition is_top (x : positive) : bool :=
    match top with
    | Some t => match x with
        | xI q => match am with Any => Pos.eqb t q | One => false end
        | xO q => Pos.eqb t q
        | xH => false
        end
    | None => false
    end.
  Definition prune (m : list positive) : list positive :=
    match top with
    | Some t => if some is_top m then [xO t] else live_drop m
    | None => live_drop m
    end.
  Definition low_step (lay : nat) (b : bool) (m : list positive) : list positive :=
    prune (all_steps lay b m).
  Definition out1 (x : positive) : nat := match x with xI q | xO q => output d q | xH => O end.
  Definition low_out (m : list positive) : nat := fold_right (fun x o => Nat.max (out1 x) o) O m.
  Definition low_start : list positive := insert_live (xO (first d)) [].

  Lemma live_in x l f q : q <> dead -> In (mark f q) (insert_live x l) <-> mark f q = x \/ In (mark f q) l.
  Proof.
    intros Q. unfold dead in Q.
    destruct x as [[x|x|]|[x|x|]|]; simpl insert_live; rewrite ?insert_in; try tauto;
      destruct f; unfold mark; (split; [tauto|]); intros [H|H]; auto; inversion H; congruence.
  Qed.
  Lemma step_in lay b m f q : q <> dead -> In (mark f q) (all_steps lay b m) <->
    exists x, In x m /\ In (mark f q) (next1 (Nat.eqb lay i) b x).
  Proof.
    intros Q. unfold all_steps. set (here := Nat.eqb lay i).
    assert (G : forall l acc, In (mark f q) (fold_right insert_live acc l) <-> In (mark f q) l \/ In (mark f q) acc).
    { induction l as [|x l IH]; intros acc; simpl; [tauto|]. rewrite live_in by exact Q. rewrite IH.
      intuition. }
    induction m as [|x m IH]; cbn [fold_right].
    - split; [intros []|intros (x & [] & _)].
    - rewrite G, IH. split.
      + intros [H|(y & H1 & H2)]; [exists x|exists y]; simpl; auto.
      + intros (y & [->|H1] & H2); eauto.
  Qed.
  Lemma next1_in here b f q f' q' : In (mark f' q') (next1 here b (mark f q)) <->
    exists b', q' = delta d q b' /\ (if here then In (b', f') (choices am f b) else b' = b /\ f' = f).
  Proof.
    unfold mark, next1, choices. destruct here.
    - destruct f; [destruct am|]; try destruct b; simpl; split.
      all: try (intros H; repeat (destruct H as [H|H]; [destruct f'; inversion H; subst; eexists; split; [reflexivity|auto]|]); contradiction).
      all: intros (b' & -> & H); repeat (destruct H as [H|H]; [inversion H; subst; auto|]); contradiction.
    - destruct f; simpl; split.
      all: try (intros [H|[]]; destruct f'; inversion H; subst; eauto).
      all: intros (b' & -> & -> & ->); auto.
  Qed.

  (* the dead state is left out, and leads to nothing else *)
  Lemma run_live q w : 1 <= output d (run d q w) -> q <> dead.
  Proof. intros H ->. rewrite dead_run, dead_output in H by exact d_ok. lia. Qed.
  Lemma some_path w : forall lay (f : bool), (if f then am = Any else True) -> exists w' g, path am n i lay f w w' g.
  Proof.
    induction w as [|b w IH]; intros lay f Stay; [exists [], f; constructor|].
    destruct (Nat.eq_dec lay i) as [->|Ne].
    - destruct (IH (follow n i) f Stay) as (w' & g & H). exists (b :: w'), g.
      apply (path_here _ _ _ _ b b f); auto. unfold choices. destruct f; [rewrite Stay|]; destruct b; simpl; auto.
    - destruct (IH (follow n lay) f Stay) as (w' & g & H). exists (b :: w'), g. now apply path_other.
  Qed.

  (* a word that is left leads from one of the states to acceptance, if heap i is lowered *)
  Definition accepts (lay : nat) (m : list positive) (w : list bool) : Prop :=
    exists f q w' g, In (mark f q) m /\ path am n i lay f w w' g /\ 1 <= output d (run d q w').

  Lemma accepts_all lay b m w : accepts (follow n lay) (all_steps lay b m) w -> accepts lay m (b :: w).
  Proof.
    intros (f & q & w' & g & H & P & A). apply step_in in H; [|exact (run_live _ _ A)].
    destruct H as (x & Hx & H). assert (M : exists f0 q0, x = mark f0 q0).
    { destruct x as [q0|q0|]; [exists true, q0|exists false, q0|simpl in H; contradiction]; reflexivity. }
    destruct M as (f0 & q0 & ->). apply next1_in in H. destruct H as (b' & -> & C).
    exists f0, q0, (b' :: w'), g. split; [exact Hx|]. split; [|exact A].
    destruct (Nat.eqb_spec lay i) as [->|Ne]; [now apply (path_here _ _ _ _ _ _ f)|].
    destruct C as [-> ->]. now apply path_other.
  Qed.
  Lemma drop_in all m x : In x (drop all m) -> In x m.
  Proof.
    induction m as [|y m IH]; simpl; [tauto|]. destruct y; simpl; try tauto.
    destruct (some _ all); simpl; tauto.
  Qed.
  Lemma accepts_prune lay m w : accepts lay (prune m) w -> accepts lay m w.
  Proof.
    intros (f & q & w' & g & H & P & A). unfold prune in H.
    assert (D : In (mark f q) (live_drop m) -> accepts lay m w).
    { intros I. exists f, q, w', g. split; [|auto]. unfold live_drop in I.
      destruct am; [exact (drop_in m m _ I)|exact I]. }
    destruct top as [t|] eqn:T; [|auto]. destruct (some is_top m) eqn:S; [|auto].
    apply some_one in S. destruct S as (x & Hx & S). unfold is_top in S. rewrite T in S.
    assert (M : exists f0 : bool, x = mark f0 t /\ if f0 then am = Any else True).
    { destruct x as [q0|q0|]; [exists true; destruct am; [|discriminate]|exists false|discriminate];
        apply Pos.eqb_eq in S; subst; auto. }
    destruct M as (f0 & -> & Stay). destruct (some_path w lay f0 Stay) as (w0 & g0 & P0).
    exists f0, t, w0, g0. repeat split; auto.
  Qed.
  Lemma accepts_run w : forall lay m, 1 <= low_out (mrun n low_step lay m w) -> accepts lay m w.
  Proof.
    induction w as [|b w IH]; intros lay m H.
    - assert (X : exists x, In x m /\ 1 <= out1 x).
      { simpl in H. unfold low_out in H. induction m as [|x m IHm]; simpl in H; [lia|].
        apply Nat.max_le_iff in H. destruct H as [H|H]; [exists x; simpl; auto|].
        destruct (IHm H) as (y & Hy & O). exists y. simpl. auto. }
      destruct X as (x & Hx & O). destruct x as [q|q|]; [exists true, q, [], true|exists false, q, [], false|simpl in O; lia].
      all: repeat split; auto; constructor.
    - apply accepts_all, accepts_prune, IH. exact H.
  Qed.

  Theorem low_ok p L : length p = n -> fits p L -> 1 <= low_out (mrun n low_step O low_start (word p L)) ->
    exists p', low am i p' p /\ 1 <= result d p' L.
  Proof.
    intros D F H. apply accepts_run in H. destruct H as (f & q & w' & g & H & P & A).
    unfold low_start in H. rewrite live_in in H by exact (run_live _ _ A). destruct H as [H|[]].
    assert (E0 : f = false /\ q = first d) by (destruct f; inversion H; auto).
    destruct E0 as [-> ->]. apply (path_low am n i i_n p L D F) in P. destruct P as (p' & Lo & -> & _). eauto.
  Qed.
End Low.

Definition top_of (d : dfa) : option positive := if full_ok d then Some (full d) else None.
Lemma top_of_ok d q : top_of d = Some q -> forall w, 1 <= output d (run d q w).
Proof. unfold top_of. destruct (full_ok d) eqn:F; [|discriminate]. intros E. inversion E. now apply full_run. Qed.
Definition low_automaton (am : amount) (n : nat) (d : dfa) (i : nat) : option dfa :=
  automaton n (low_step am d i (top_of d)) (low_out d) set_key set_eq (low_start d).
