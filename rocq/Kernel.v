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
  Variable n : nat.
  Variable d : dfa.
  Variable i : nat.
  Hypothesis n_pos : n <> O.
  Hypothesis i_n : i < n.
  Hypothesis d_ok : dead_ok d = true.

  Definition next1 (here b : bool) (x : positive) : list positive :=
    match x with
    | xI q => if here then [xI (delta d q false); xI (delta d q true)] else [xI (delta d q b)]
    | xO q => if here then if b then [xI (delta d q false); xO (delta d q true)] else [xO (delta d q false)]
              else [xO (delta d q b)]
    | xH => []
    end.
  Definition low_step (lay : nat) (b : bool) (m : list positive) : list positive :=
    let here := Nat.eqb lay i in
    fold_right (fun x acc => fold_right insert_live acc (next1 here b x)) [] m.
  Definition out1 (x : positive) : nat :=
    match x with
    | xI q => match output d q with O => O | _ => 2 end
    | xO q => output d q
    | xH => O
    end.
  Definition low_out (m : list positive) : nat := fold_right (fun x o => Nat.max (out1 x) o) O m.
  Definition low_start : list positive := insert_live (xO (first d)) [].

  Lemma live_in x l f q : q <> dead -> In (mark f q) (insert_live x l) <-> mark f q = x \/ In (mark f q) l.
  Proof.
    intros Q. unfold dead in Q.
    destruct x as [[x|x|]|[x|x|]|]; simpl insert_live; rewrite ?insert_in; try tauto;
      destruct f; unfold mark; (split; [tauto|]); intros [H|H]; auto; inversion H; congruence.
  Qed.
  Lemma step_in lay b m f q : q <> dead -> In (mark f q) (low_step lay b m) <->
    exists x, In x m /\ In (mark f q) (next1 (Nat.eqb lay i) b x).
  Proof.
    intros Q. unfold low_step. set (here := Nat.eqb lay i).
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
    exists b', q' = delta d q b' /\ (if here then In (b', f') (choices f b) else b' = b /\ f' = f).
  Proof.
    unfold mark, next1, choices. destruct here.
    - destruct f; [|destruct b]; simpl; split.
      all: try (intros H; repeat (destruct H as [H|H]; [destruct f'; inversion H; subst; eexists; split; [reflexivity|auto]|]); contradiction).
      all: intros (b' & -> & H); repeat (destruct H as [H|H]; [inversion H; subst; auto|]); contradiction.
    - destruct f; simpl; split.
      all: try (intros [H|[]]; destruct f'; inversion H; subst; eauto).
      all: intros (b' & -> & -> & ->); auto.
  Qed.

  (* the dead state is left out, and leads to nothing else *)
  Lemma run_dead q w : run d q w <> dead -> q <> dead.
  Proof. intros H ->. apply H. now apply dead_run. Qed.

  Lemma mrun_in w : forall lay m f q, q <> dead ->
    (forall x, In x m -> exists f0 q0, x = mark f0 q0) ->
    In (mark f q) (mrun n low_step lay m w) <->
    exists f0 q0 w', In (mark f0 q0) m /\ path n i lay f0 w w' f /\ q = run d q0 w'.
  Proof.
    induction w as [|b w IH]; intros lay m f q Q M; simpl mrun.
    - split.
      + intros H. exists f, q, []. repeat split; auto. constructor.
      + intros (f0 & q0 & w' & H & P & E). inversion P; subst. exact H.
    - rewrite IH; [|exact Q|].
      + split.
        * intros (f1 & q1 & w' & H & P & E). subst q. pose proof (run_dead _ _ Q) as Q1.
          apply step_in in H; [|exact Q1]. destruct H as (x & Hx & H). destruct (M x Hx) as (f0 & q0 & ->).
          apply next1_in in H. destruct H as (b' & -> & C). exists f0, q0, (b' :: w').
          repeat split; auto. destruct (Nat.eqb_spec lay i) as [->|Ne].
          -- eapply path_here; eauto.
          -- destruct C as [-> ->]. apply path_other; auto.
        * intros (f0 & q0 & w' & H & P & E). inversion P as [|l0 g0 b0 w0 w1 g1 Ne P1|g0 b0 b' f' w0 w1 g1 C P1]; subst.
          -- exists f0, (delta d q0 b), w1. split; [|auto].
             apply step_in; [exact (run_dead (delta d q0 b) w1 Q)|].
             exists (mark f0 q0). split; auto. apply next1_in. exists b.
             destruct (Nat.eqb_spec lay i); [congruence|auto].
          -- exists f', (delta d q0 b'), w1. split; [|auto].
             apply step_in; [exact (run_dead (delta d q0 b') w1 Q)|].
             exists (mark f0 q0). split; auto. apply next1_in. exists b'. rewrite Nat.eqb_refl. auto.
      + intros x Hx. unfold low_step in Hx.
        assert (G : forall here m, forall x, In x (fold_right (fun x acc => fold_right insert_live acc (next1 here b x)) [] m) ->
          x <> xH).
        { clear. intros here m. induction m as [|y m IH]; simpl; [intros x []|].
          assert (K : forall l acc, (forall x, In x acc -> x <> xH) -> forall x, In x (fold_right insert_live acc l) -> x <> xH).
          { induction l as [|z l IHl]; intros acc A x; simpl; [apply A|].
            unfold insert_live. destruct z as [[z|z|]|[z|z|]|]; rewrite ?insert_in; intros H;
              try (destruct H as [->|H]; [discriminate|]); exact (IHl acc A x H). }
          intros x. apply K, IH. }
        apply G in Hx. destruct x; [exists true, x|exists false, x|congruence]; reflexivity.
  Qed.

  Lemma low_out_ge k m : 1 <= k -> k <= low_out m <-> exists x, In x m /\ k <= out1 x.
  Proof.
    intros K. unfold low_out. induction m as [|x m IH]; simpl; [split; [lia|intros (x & [] & _)]|].
    rewrite Nat.max_le_iff, IH. split.
    - intros [H|(y & H1 & H2)]; eauto.
    - intros (y & [->|H1] & H2); eauto.
  Qed.

  Theorem low_ok p L : length p = n -> fits p L ->
    let r := low_out (mrun n low_step O low_start (word p L)) in
    (1 <= r <-> exists p', low i p' p /\ 1 <= result d p' L) /\
    (2 <= r <-> exists p', low i p' p /\ 1 <= result d p' L /\ (p' <> p \/ 2 <= result d p' L)).
  Proof.
    intros D F. cbv zeta.
    assert (St : forall x, In x low_start -> exists f0 q0, x = mark f0 q0).
    { unfold low_start, insert_live. destruct (first d); simpl; intros y H;
        try (destruct H as [<-|[]]; eexists false, _; reflexivity); contradiction. }
    assert (G : forall k, 1 <= k -> k <= low_out (mrun n low_step O low_start (word p L)) <->
      exists p' f, low i p' p /\ (f = true <-> p' <> p) /\ k <= out1 (mark f (run d (first d) (word p' L)))).
    { intros k K. rewrite low_out_ge by exact K. split.
      - intros (x & Hx & O).
        assert (X : exists f q, x = mark f q /\ q <> dead).
        { destruct x as [q|q|]; [exists true, q|exists false, q|simpl in O; lia]; (split; [reflexivity|]);
            intros ->; simpl in O; rewrite dead_output in O by exact d_ok; lia. }
        destruct X as (f & q & -> & Q). apply mrun_in in Hx; auto.
        destruct Hx as (f0 & q0 & w' & H & P & ->).
        assert (E0 : f0 = false /\ q0 = first d).
        { pose proof (run_dead _ _ Q) as Q0. unfold low_start in H. rewrite live_in in H by exact Q0.
          destruct H as [H|[]]. destruct f0; inversion H; auto. }
        destruct E0 as [-> ->]. apply (path_low n i i_n p L D F) in P. destruct P as (p' & Lo & -> & G). eauto.
      - intros (p' & f & Lo & G & O). exists (mark f (run d (first d) (word p' L))). split; auto.
        assert (Q : run d (first d) (word p' L) <> dead).
        { intros E. rewrite E in O. destruct f; simpl in O; rewrite dead_output in O by exact d_ok; lia. }
        apply mrun_in; auto. exists false, (first d), (word p' L). split; [|split; [|reflexivity]].
        + unfold low_start. apply live_in; [exact (run_dead _ _ Q)|]. left. reflexivity.
        + apply (path_low n i i_n p L D F). eauto. }
    assert (Eq : forall p' : list N, {p' = p} + {p' <> p}) by (intros; apply list_eq_dec, N.eq_dec).
    split; rewrite G by lia; clear G; unfold result.
    - split.
      + intros (p' & f & Lo & G & O). exists p'. split; auto.
        destruct f; simpl in O; auto. destruct (output d _); lia.
      + intros (p' & Lo & O). destruct (Eq p').
        * exists p', false. repeat split; auto; congruence.
        * exists p', true. repeat split; auto. simpl. destruct (output d _); lia.
    - split.
      + intros (p' & f & Lo & G & O). exists p'. split; auto. destruct f; simpl in O.
        * destruct (output d _) eqn:E; [lia|]. split; [lia|]. left. now apply G.
        * split; [lia|]. right. exact O.
      + intros (p' & Lo & O & [Ne|O2]).
        * exists p', true. repeat split; auto. simpl. destruct (output d _); lia.
        * destruct (Eq p').
          -- exists p', false. repeat split; auto; congruence.
          -- exists p', true. repeat split; auto. simpl. destruct (output d _); lia.
  Qed.

  Definition low_automaton : option dfa := automaton n low_step low_out set_key set_eq low_start.
End Low.
