(* The positions from which lowering one heap leads to an output of an automaton: a machine whose
   states are sets of states, and why it is right. *)
Require Import Bool List Arith NArith PArith Lia FMapPositive.
From Nimrule Require Import Digits Hyper Sets Machine.
Import ListNotations.

(* p' comes from p by lowering, or leaving, heap i *)
Definition low (m : amount) (i : nat) (p' p : list N) : Prop :=
  exists x, p' = set_at i x p /\ within m x (size p i).

(* the bit of heap i that may be written where b is read, and whether the heap is smaller then;
   f, is it smaller already.  If it is smaller by one so far, and may not become smaller by more,
   then 0 is read and 1 is written at each place that follows. *)
Definition choices (m : amount) (f b : bool) : list (bool * bool) :=
  if f then match m with Any => [(false, true); (true, true)] | One => if b then [] else [(true, true)] end
  else if b then [(false, true); (true, false)] else [(false, false)].

Section Lower.
  Variable m : amount.
  Variable n i : nat.                  (* the number of heaps, and the heap that is lowered *)
  Hypothesis i_n : i < n.

  (* words that differ in the bits of heap i only *)
  Inductive path : nat -> bool -> list bool -> list bool -> bool -> Prop :=
  | path_nil l f : path l f [] [] f
  | path_other l f b w w' g : l <> i -> path (follow n l) f w w' g -> path l f (b :: w) (b :: w') g
  | path_here f b b' f' w w' g : In (b', f') (choices m f b) -> path (follow n i) f' w w' g ->
      path i f (b :: w) (b' :: w') g.

  (* ---- one place ---- *)
  Lemma place_path bs : forall l f b' f' w w' g, l + length bs = n -> l <= i ->
    In (b', f') (choices m f (nth (i - l) bs false)) -> path O f' w w' g ->
    path l f (bs ++ w) (set_at (i - l) b' bs ++ w') g.
  Proof.
    assert (Rest : forall cs l f w w' g, i < l -> l + length cs = n -> cs <> [] -> path O f w w' g ->
      path l f (cs ++ w) (cs ++ w') g).
    { clear bs. induction cs as [|b bs IH]; intros l f w w' g Il E K H; [congruence|]. simpl in E |- *.
      apply path_other; [lia|]. unfold follow. destruct (Nat.eqb_spec (S l) n).
      - destruct bs; [exact H|simpl in E; lia].
      - apply IH; auto; try lia. destruct bs; [simpl in E; lia|discriminate]. }
    induction bs as [|b bs IH]; intros l f b' f' w w' g E Il C H; [simpl in E; lia|]. simpl in E.
    destruct (Nat.eq_dec l i) as [->|Ne].
    - rewrite Nat.sub_diag in *. simpl in C |- *. apply (path_here _ _ _ f'); auto.
      unfold follow. destruct (Nat.eqb_spec (S i) n).
      + destruct bs; [exact H|simpl in E; lia].
      + apply Rest; auto; try lia. destruct bs; [simpl in E; lia|discriminate].
    - replace (i - l) with (S (i - S l)) in * by lia. simpl in C |- *.
      apply path_other; [exact Ne|]. unfold follow. destruct (Nat.eqb_spec (S l) n); [lia|].
      apply (IH (S l) f b' f'); auto; lia.
  Qed.
  Lemma path_place bs : forall l f w v g, l + length bs = n -> l <= i -> path l f (bs ++ w) v g ->
    exists b' f' w', v = set_at (i - l) b' bs ++ w' /\ In (b', f') (choices m f (nth (i - l) bs false)) /\
      path O f' w w' g.
  Proof.
    assert (Rest : forall cs l f w v g, i < l -> l + length cs = n -> cs <> [] -> path l f (cs ++ w) v g ->
      exists w', v = cs ++ w' /\ path O f w w' g).
    { clear bs. induction cs as [|b bs IH]; intros l f w v g Il E K H; [congruence|]. simpl in E, H.
      inversion H as [|l0 f0 b0 w0 w' g0 Ne H1|]; subst; [|lia]. unfold follow in H1.
      destruct (Nat.eqb_spec (S l) n).
      - destruct bs; [exists w'; auto|simpl in E; lia].
      - destruct (IH (S l) f w w' g) as (w2 & -> & H2); auto; try lia.
        { destruct bs; [simpl in E; lia|discriminate]. }
        exists w2. auto. }
    induction bs as [|b bs IH]; intros l f w v g E Il H; [simpl in E; lia|]. simpl in E, H.
    inversion H as [|l0 f0 b0 w0 w' g0 Ne H1|f0 b0 b' f' w0 w' g0 C H1]; subst.
    - unfold follow in H1. destruct (Nat.eqb_spec (S l) n); [lia|].
      destruct (IH (S l) f w w' g) as (b' & f' & w2 & -> & C & H2); auto; try lia.
      exists b', f', w2. replace (i - l) with (S (i - S l)) by lia. simpl. auto.
    - rewrite Nat.sub_diag. simpl. unfold follow in H1. destruct (Nat.eqb_spec (S i) n).
      + destruct bs; [|simpl in E; lia]. exists b', f', w'. auto.
      + destruct (Rest bs (S i) f' w w' g) as (w2 & -> & H2); auto; try lia.
        { destruct bs; [simpl in E; lia|discriminate]. }
        exists b', f', w2. auto.
  Qed.

  (* ---- whole words: x is what heap i has become at the places that are read ---- *)
  Local Open Scope N_scope.
  Definition high (a : N) (l : nat) : N := a / 2 ^ N.of_nat l.
  Lemma high_step a l : high a l = 2 * high a (S l) + N.b2n (N.testbit a (N.of_nat l)).
  Proof.
    unfold high. set (x := a / 2 ^ N.of_nat l).
    assert (H : a / 2 ^ N.of_nat (S l) = x / 2).
    { unfold x. rewrite Nat2N.inj_succ, N.pow_succ_r', (N.mul_comm 2).
      rewrite N.div_div; auto; [apply N.pow_nonzero|]; discriminate. }
    assert (B : N.b2n (N.testbit a (N.of_nat l)) = x mod 2) by (unfold x; now rewrite <- N.testbit_spec').
    rewrite H, B. apply N.div_mod. discriminate.
  Qed.
  Lemma high_0 a : high a 0 = a.
  Proof. apply N.div_1_r. Qed.

  Lemma choices_ok x a b b' f' : within m x a -> In (b', f') (choices m (x <? a) b) <->
    (within m (2 * x + N.b2n b') (2 * a + N.b2n b) /\ f' = (2 * x + N.b2n b' <? 2 * a + N.b2n b)).
  Proof.
    intros A. unfold choices.
    destruct m; cbn [within] in A |- *; destruct (N.ltb_spec x a), b, b'; unfold N.b2n; cbn [In];
      match goal with |- context [?u <? ?v] => destruct (N.ltb_spec u v) end; try lia;
      (split; [intros H'|intros [B ->]; try lia; auto]);
      first [destruct H' as [E|[E|[]]] | destruct H' as [E|[]] | destruct H']; inversion E; subst; auto; lia.
  Qed.
  Lemma within_high x a l : within m x a -> within m (high x l) (high a l).
  Proof.
    assert (Z : 2 ^ N.of_nat l <> 0) by (apply N.pow_nonzero; lia).
    unfold high. destruct m; simpl; [now apply N.div_le_mono|]. intros [A B].
    split; [now apply N.div_le_mono|].
    apply N.le_trans with ((x + 1) / 2 ^ N.of_nat l); [now apply N.div_le_mono|].
    rewrite <- (N.div_add x 1) by exact Z. apply N.div_le_mono; [exact Z|]. lia.
  Qed.

  Lemma path_word p : length p = n -> forall l x, within m x (high (size p i) l) -> forall v g,
    path O (x <? high (size p i) l) (word p l) v g <->
    exists y, high y l = x /\ within m y (size p i) /\ v = word (set_at i y p) l /\ g = (y <? size p i).
  Proof.
    intros D. induction l as [|l IH]; intros x X v g.
    - rewrite high_0 in *. simpl word. split.
      + intros H. inversion H; subst. exists x. rewrite high_0. auto.
      + intros (y & E & Y & -> & ->). rewrite high_0 in E. subst y. constructor.
    - set (a := size p i) in *. set (b := N.testbit a (N.of_nat l)).
      assert (Nb : nth i (map (fun a => N.testbit a (N.of_nat l)) p) false = b).
      { unfold b, a, size. rewrite nth_indep with (d' := N.testbit 0 (N.of_nat l)) by (rewrite map_length; lia).
        apply (map_nth (fun a => N.testbit a (N.of_nat l))). }
      assert (Step : high a l = 2 * high a (S l) + N.b2n b) by apply high_step.
      simpl word. split.
      + intros H. apply path_place in H; [| rewrite map_length; lia | lia].
        destruct H as (b' & f' & w' & -> & C & H). rewrite Nat.sub_0_r, Nb in *.
        apply choices_ok in C; [|exact X]. destruct C as [C1 C2]. rewrite <- Step in C1, C2. subst f'.
        apply IH in H; [|exact C1]. destruct H as (y & E & Y & -> & ->).
        exists y. pose proof (high_step y l) as Ys. rewrite E in Ys.
        assert (Eb : N.testbit y (N.of_nat l) = b' /\ high y (S l) = x).
        { destruct b', (N.testbit y (N.of_nat l)); simpl N.b2n in Ys; split; auto; lia. }
        destruct Eb as [Eb Ex]. repeat split; auto. rewrite map_set, Eb. reflexivity.
      + intros (y & E & Y & -> & ->). rewrite map_set. set (b' := N.testbit y (N.of_nat l)).
        pose proof (high_step y l) as Ys. fold b' in Ys. rewrite E in Ys.
        pose proof (within_high y a l Y) as Yl.
        pose proof (fun f' => place_path (map (fun a => N.testbit a (N.of_nat l)) p) O
          (x <? high a (S l)) b' f' (word p l) (word (set_at i y p) l) (y <? a)) as Q.
        rewrite Nat.sub_0_r in Q. apply (Q (high y l <? high a l)).
        * rewrite map_length. lia.
        * lia.
        * rewrite Nb. apply choices_ok; [exact X|]. rewrite <- Step, <- Ys. auto.
        * apply IH; [exact Yl|]. exists y. auto.
  Qed.

  Theorem path_low p L : length p = n -> fits p L -> forall v g,
    path O false (word p L) v g <->
    exists p', low m i p' p /\ v = word p' L /\ (g = true <-> p' <> p).
  Proof.
    intros D F v g. pose proof (fits_nth p L i F) as B. fold (size p i) in B.
    assert (Z : high (size p i) L = 0) by (now apply N.div_small).
    pose proof (path_word p D L 0) as H. rewrite Z in H.
    specialize (H ltac:(destruct m; simpl; lia) v g). rewrite H. clear H.
    assert (T : forall y, set_at i y p = p <-> y = size p i).
    { intros y. split.
      - intros E. apply (f_equal (fun q => nth i q 0)) in E. rewrite set_nth, Nat.eqb_refl in E by lia. exact E.
      - intros ->. apply set_same. }
    split.
    - intros (y & E & Y & -> & ->). pose proof (within_le m _ _ Y). exists (set_at i y p). repeat split; [exists y; auto| |];
        rewrite N.ltb_lt, T || rewrite T, N.ltb_lt; lia.
    - intros (p' & (y & -> & Y) & -> & G). pose proof (within_le m _ _ Y). exists y. rewrite T in G. repeat split; auto.
      + apply N.div_small. lia.
      + destruct (N.ltb_spec y (size p i)), g; auto; [|exfalso]; [|intuition lia].
        apply G. lia.
  Qed.
End Lower.
