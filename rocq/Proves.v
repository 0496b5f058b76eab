(* The whole test, [proves], and what it proves: a claim describes the P-positions of a rule. *)
Require Import Bool List Arith NArith ZArith PArith Lia FMapPositive.
From Nimrule Require Import Game Digits Hyper Sets Machine Formula Claim Atoms Lower Kernel.
Import ListNotations.

(* ---- lowering several heaps is lowering one after the other ---- *)
Fixpoint lower_all (e : list nat) (p' p : list N) : Prop :=
  match e with [] => p' = p | i :: e => exists p1, low i p1 p /\ lower_all e p' p1 end.

Lemma low_lowers i p1 p : low i p1 p -> i < length p -> lowers [i] p1 p.
Proof.
  intros (x & -> & X) I. split; [apply set_at_len|]. intros j. unfold size in *. rewrite set_nth by exact I.
  destruct (Nat.eqb_spec j i) as [->|Ne]; split; try lia; auto. intros H. exfalso. apply H. simpl. auto.
Qed.
Lemma lowers_ext p q : length p = length q -> (forall i, size p i = size q i) -> p = q.
Proof. intros L H. apply (nth_ext p q 0%N 0%N L). intros i _. apply H. Qed.
Lemma lower_all_lowers e : forall p' p, (forall i, In i e -> i < length p) ->
  lower_all e p' p <-> lowers e p' p.
Proof.
  induction e as [|i e IH]; intros p' p I; simpl.
  - split; [intros ->; split; auto; intros; split; auto; lia|]. intros (L & H).
    apply lowers_ext; auto. intros j. apply H. auto.
  - assert (Ii : i < length p) by (apply I; simpl; auto). split.
    + intros (p1 & Lo & A). apply low_lowers in Lo; [|exact Ii]. destruct Lo as [L1 H1].
      apply IH in A; [|rewrite L1; intros; apply I; simpl; auto]. destruct A as [L2 H2].
      split; [congruence|]. intros j. destruct (H1 j) as [A1 B1], (H2 j) as [A2 B2]. split; [lia|].
      simpl in B1 |- *. intros Hn. rewrite B2, B1; tauto.
    + intros (L & H). exists (set_at i (size p' i) p). split.
      * exists (size p' i). split; auto. apply H.
      * apply IH; [intros; rewrite set_at_len; apply I; simpl; auto|].
        split; [rewrite set_at_len; exact L|]. intros j. unfold size in *. rewrite set_nth by exact Ii.
        destruct (Nat.eqb_spec j i) as [->|Ne]; [lia|]. destruct (H j) as [A B]. split; auto.
        intros Hn. apply B. simpl. intuition.
Qed.
Lemma lower_all_fits e : forall p' p L, (forall i, In i e -> i < length p) -> fits p L -> lower_all e p' p ->
  fits p' L /\ length p' = length p.
Proof.
  induction e as [|i e IH]; intros p' p L I F; simpl; [intros ->; auto|]. intros (p1 & (x & -> & X) & A).
  apply (IH p' _ L) in A.
  - rewrite set_at_len in A. exact A.
  - intros j Hj. rewrite set_at_len. apply I. simpl. auto.
  - apply set_fits; auto. pose proof (fits_nth p L i F). unfold size in X. lia.
Qed.

Section Rule.
  Variable n : nat.
  Hypothesis n_pos : n <> O.
  Variable w : dfa.                    (* an automaton of the set of positions: 1 in it, 0 outside *)
  Hypothesis w_ok : dead_ok w = true.
  Hypothesis w_bit : forall p L, length p = n -> fits p L -> result w p L <= 1.

  (* 1 or more: lowering heaps of e leads into the set; 2: and some heap is lowered *)
  Fixpoint moves_of (e : list nat) : option dfa :=
    match e with
    | [] => Some w
    | i :: e => match moves_of e with
        | Some d => if Nat.ltb i n then low_automaton n d i else None
        | None => None
        end
    end.
  Lemma moves_of_ok e : forall d, moves_of e = Some d ->
    dead_ok d = true /\ (forall i, In i e -> i < n) /\ forall p L, length p = n -> fits p L ->
    (1 <= result d p L <-> exists p', lower_all e p' p /\ 1 <= result w p' L) /\
    (2 <= result d p L <-> exists p', lower_all e p' p /\ p' <> p /\ 1 <= result w p' L).
  Proof.
    induction e as [|i e IH]; intros d H; cbn [moves_of] in H.
    - inversion H; subst. split; [exact w_ok|]. split; [intros i []|]. intros p L D F. split; split.
      + intros R. exists p. simpl. auto.
      + intros (p' & -> & R). exact R.
      + intros R. specialize (w_bit p L D F). lia.
      + intros (p' & -> & Ne & _). congruence.
    - destruct (moves_of e) as [d1|]; [|discriminate]. destruct (Nat.ltb_spec i n) as [Ii|]; [|discriminate].
      destruct (IH d1 eq_refl) as (K1 & I1 & IH1). clear IH. unfold low_automaton in H.
      apply (automaton_ok n (low_step d1 i) (low_out d1) set_key set_eq set_eq_eq n_pos) in H.
      destruct H as [K H]. split; [exact K|]. split; [intros j [<-|J]; auto|]. intros p L D F.
      rewrite (H p L D). destruct (low_ok n d1 i n_pos Ii K1 p L D F) as [A B]. cbv zeta in A, B.
      assert (Lo : forall p1, low i p1 p -> length p1 = n /\ fits p1 L).
      { intros p1 (x & -> & X). rewrite set_at_len. split; auto. apply set_fits; auto.
        pose proof (fits_nth p L i F). unfold size in X. lia. }
      split.
      + rewrite A. split.
        * intros (p1 & L1 & R). destruct (Lo p1 L1) as [D1 F1]. apply (IH1 p1 L D1 F1) in R.
          destruct R as (p' & Al & R). exists p'. split; auto. exists p1. auto.
        * intros (p' & (p1 & L1 & Al) & R). destruct (Lo p1 L1) as [D1 F1]. exists p1. split; auto.
          apply (IH1 p1 L D1 F1). eauto.
      + rewrite B. split.
        * intros (p1 & L1 & R & S). destruct (Lo p1 L1) as [D1 F1].
          assert (Down : forall p', lower_all e p' p1 -> (p1 <> p \/ p' <> p1) -> p' <> p).
          { intros p' Al S' E. subst p'.
            apply lower_all_lowers in Al; [|intros; rewrite D1; auto]. destruct Al as [L2 H2].
            destruct L1 as (x & -> & X). apply low_lowers in X || idtac.
            assert (E1 : set_at i x p = p).
            { apply lowers_ext; [apply set_at_len|]. intros j. destruct (H2 j) as [H3 _].
              unfold size in *. rewrite set_nth in * by lia. destruct (Nat.eqb_spec j i); subst; lia. }
            rewrite E1 in S'. tauto. }
          destruct S as [S|S].
          -- apply (IH1 p1 L D1 F1) in R. destruct R as (p' & Al & R). exists p'.
             split; [exists p1; auto|]. split; auto.
          -- apply (IH1 p1 L D1 F1) in S. destruct S as (p' & Al & Ne & R2). exists p'.
             split; [exists p1; auto|]. split; auto.
        * intros (p' & (p1 & L1 & Al) & Ne & R). destruct (Lo p1 L1) as [D1 F1]. exists p1. split; auto.
          split; [apply (IH1 p1 L D1 F1); eauto|].
          destruct (list_eq_dec N.eq_dec p1 p) as [->|]; auto. right. apply (IH1 p L D F). eauto.
  Qed.

  (* ---- some set of heaps ---- *)
  Definition or_out (x y : nat) : nat := match x, y with O, O | O, 1 => O | _, _ => 1 end.
  Fixpoint winning (sets : list (list nat)) : option dfa :=
    match sets with
    | [] => Some none
    | e :: sets => match winning sets, moves_of e with
        | Some u, Some d => both n or_out u d
        | _, _ => None
        end
    end.
  Lemma winning_ok sets : forall u, winning sets = Some u ->
    (forall e i, In e sets -> In i e -> i < n) /\ forall p L, length p = n -> fits p L ->
    (1 <= result u p L <-> exists p', move sets p p' /\ 1 <= result w p' L).
  Proof.
    induction sets as [|e sets IH]; intros u H; cbn [winning] in H.
    - inversion H; subst. split; [intros e i []|]. intros p L D F. rewrite none_result.
      split; [lia|]. intros (p' & (e & [] & _) & _).
    - destruct (winning sets) as [u1|]; [|discriminate]. destruct (moves_of e) as [d|] eqn:E; [|discriminate].
      destruct (IH u1 eq_refl) as [I1 H1]. destruct (moves_of_ok e d E) as (_ & I2 & H2).
      apply (both_ok n n_pos) in H. destruct H as [_ H].
      split; [intros e' i [<-|He]; eauto|]. intros p L D F. rewrite (H p L D).
      specialize (H1 p L D F). destruct (H2 p L D F) as [_ H3]. clear H2.
      assert (Sp : 1 <= or_out (result u1 p L) (result d p L) <-> 1 <= result u1 p L \/ 2 <= result d p L).
      { unfold or_out. destruct (result u1 p L); [destruct (result d p L) as [|[|k]]|]; lia. }
      assert (Le : forall p', lower_all e p' p <-> lowers e p' p)
        by (intros p'; apply lower_all_lowers; rewrite D; exact I2).
      rewrite Sp, H1, H3. unfold move. split.
      + intros [(p' & (e' & He & Lo) & R)|(p' & Lo & Ne & R)].
        * exists p'. split; auto. exists e'. simpl. auto.
        * exists p'. split; auto. exists e. apply Le in Lo. simpl. auto.
      + intros (p' & (e' & [<-|He] & Lo & Ne) & R).
        * right. exists p'. apply Le in Lo. auto.
        * left. exists p'. split; auto. exists e'. auto.
  Qed.

  (* ---- the set is that of the positions without a move into it; at the zero position, if z0 is
     false, it is not ---- *)
  Definition triple : Type := positive * positive * bool.
  Definition triple_key (x : triple) (k : positive) : positive :=
    let '(q, u, z) := x in pkey q (pkey u (if z then xI k else xO k)).
  Definition triple_eq (x y : triple) : bool :=
    let '(q, u, z) := x in let '(q', u', z') := y in Pos.eqb q q' && (Pos.eqb u u' && Bool.eqb z z').
  Lemma triple_eq_eq x y : triple_eq x y = true -> x = y.
  Proof.
    destruct x as [[q u] z], y as [[q' u'] z']. simpl. intros H. apply andb_prop in H. destruct H as [H1 H].
    apply andb_prop in H. destruct H as [H2 H3]. apply Pos.eqb_eq in H1, H2. apply eqb_prop in H3. congruence.
  Qed.
  Definition kernel_step (u : dfa) (_ : nat) (b : bool) (x : triple) : triple :=
    let '(q, s, z) := x in (delta w q b, delta u s b, if z then true else b).
  Definition expected (u : dfa) (s : positive) (z : bool) : nat :=
    match output u s with O => if z then 1 else O | _ => O end.
  Definition kernel_out (u : dfa) (x : triple) : nat :=
    let '(q, s, z) := x in if Nat.eqb (output w q) (expected u s z) then O else 1.
  Lemma kernel_run u v : forall l q s z, mrun n (kernel_step u) l (q, s, z) v =
    (run w q v, run u s v, z || existsb id v).
  Proof.
    induction v as [|b v IH]; intros l q s z; simpl.
    - destruct z; reflexivity.
    - rewrite IH. f_equal. destruct z, b; reflexivity.
  Qed.
  Definition is_kernel (u : dfa) (z0 : bool) : bool :=
    let s0 := (first w, first u, z0) in
    tracks n (kernel_step u) (kernel_out u) triple_key triple_eq none
      (map (fun x : node => let '(_, l, s, _, _) := x in (l, dead, s)) (explore n (kernel_step u) triple_key s0)) s0.
  Lemma is_kernel_ok u z0 : is_kernel u z0 = true -> forall p L, length p = n ->
    result w p L = match result u p L with O => if z0 || existsb id (word p L) then 1 else O | _ => O end.
  Proof.
    intros H p L D. unfold is_kernel in H.
    apply (tracks_ok n _ _ _ _ triple_eq_eq n_pos) with (p := p) (L := L) in H; [|exact D].
    rewrite none_result, kernel_run in H. unfold kernel_out, expected in H. unfold result.
    destruct (Nat.eqb_spec (output w (run w (first w) (word p L)))
      match output u (run u (first u) (word p L)) with O => if z0 || existsb id (word p L) then 1 else O | _ => O end);
      [assumption|discriminate].
  Qed.
End Rule.

(* ---- the test ---- *)
Definition automaton_of (n : nat) (c : claim) : option dfa :=
  match translate c with
  | None => None
  | Some f => if fwell f then form_automaton n f else None
  end.
(* every heap is in some set *)
Definition covers (n : nat) (sets : list (list nat)) : bool :=
  every (fun i => some (fun e => some (Nat.eqb i) e) sets) (seq 0 n).
Definition proves (n : nat) (misere : bool) (sets : list (list nat)) (c : claim) : bool :=
  if Nat.eqb n 0 then false else
  if if misere then covers n sets else true then
    match automaton_of n c with
    | None => false
    | Some w => match winning n w sets with
        | None => false
        | Some u => is_kernel n w u (negb misere)
        end
    end
  else false.

Lemma automaton_of_ok n c w : n <> O -> automaton_of n c = Some w -> dead_ok w = true /\
  (forall p L, length p = n -> fits p L -> result w p L <= 1 /\ (1 <= result w p L <-> holds p c)) /\
  (forall p, holds p c \/ ~ holds p c).
Proof.
  intros N0 H. unfold automaton_of in H. destruct (translate c) as [f|] eqn:T; [|discriminate].
  destruct (fwell f) eqn:W; [|discriminate].
  destruct (form_automaton_ok n f N0 W w H) as [K R]. split; [exact K|]. split.
  - intros p L D F. destruct (R p L D F) as [R1 R2]. split; [exact R1|].
    rewrite <- (translate_ok p c f T W), <- R2. lia.
  - intros p. rewrite <- (translate_ok p c f T W). now apply fsem_dec.
Qed.

Lemma zero_word L : forall p, (forall i, high (size p i) L = 0%N) -> existsb id (word p L) = false ->
  forall i, size p i = 0%N.
Proof.
  induction L as [|L IH]; intros p H E i.
  - rewrite <- (high_0 (size p i)). apply H.
  - simpl in E. rewrite existsb_app in E. apply orb_false_elim in E. destruct E as [E1 E2].
    apply IH; auto. intros j. rewrite high_step, H.
    assert (B : N.testbit (size p j) (N.of_nat L) = false).
    { destruct (Nat.lt_ge_cases j (length p)).
      - destruct (N.testbit (size p j) (N.of_nat L)) eqn:B; auto. exfalso.
        assert (X : existsb id (map (fun a => N.testbit a (N.of_nat L)) p) = true); [|congruence].
        apply existsb_exists. exists true. split; auto. rewrite <- B.
        apply (in_map (fun a => N.testbit a (N.of_nat L))). now apply nth_In.
      - unfold size. rewrite nth_overflow by assumption. apply N.bits_0. }
    rewrite B. reflexivity.
Qed.

Section Sound.
  Variable n : nat.
  Variable misere : bool.
  Variable sets : list (list nat).
  Variable c : claim.
  Hypothesis ok : proves n misere sets c = true.

  Lemma conditions :
    (misere = true -> covers n sets = true) /\
    (forall p, holds p c \/ ~ holds p c) /\
    (forall p p', length p = n -> holds p c -> move sets p p' -> ~ holds p' c) /\
    (forall p, length p = n -> ~ holds p c ->
      (exists p', move sets p p' /\ holds p' c) \/ (misere = true /\ forall i, size p i = 0%N)) /\
    (misere = true -> forall p, length p = n -> holds p c -> exists i, size p i <> 0%N).
  Proof.
    pose proof ok as H. unfold proves in H. destruct (Nat.eqb_spec n 0) as [|N0]; [discriminate|].
    destruct (if misere then covers n sets else true) eqn:C; [|discriminate].
    destruct (automaton_of n c) as [w|] eqn:A; [|discriminate].
    destruct (winning n w sets) as [u|] eqn:U; [|discriminate].
    destruct (automaton_of_ok n c w N0 A) as (K & R & Dec).
    assert (B1 : forall p L, length p = n -> fits p L -> result w p L <= 1) by (intros; now apply R).
    assert (Hw : forall p L, length p = n -> fits p L -> (1 <= result w p L <-> holds p c)) by (intros; now apply R).
    clear R.
    destruct (winning_ok n N0 w K B1 sets u U) as [I Hu].
    pose proof (is_kernel_ok n N0 w u (negb misere) H) as Hk.
    assert (Fit : forall p p', length p = n -> move sets p p' -> length p' = n /\ fits p' (bound p)).
    { intros p p' D (e & He & Lo & _). apply lower_all_lowers in Lo; [|rewrite D; eauto].
      destruct (lower_all_fits e p' p (bound p) ltac:(rewrite D; eauto) (fits_bound p) Lo) as [F Le].
      split; [congruence|exact F]. }
    split; [destruct misere; [intros _; exact C|discriminate]|]. split; [exact Dec|]. split; [|split].
    - intros p p' D Hp M Hp'. destruct (Fit p p' D M) as [D' F'].
      apply (Hw p' _ D' F') in Hp'. apply (Hw p _ D (fits_bound p)) in Hp.
      assert (X : 1 <= result u p (bound p)) by (apply (Hu p _ D (fits_bound p)); eauto).
      rewrite (Hk p _ D) in Hp. destruct (result u p (bound p)); lia.
    - intros p D Hp. pose proof (Hk p (bound p) D) as E.
      assert (W0 : result w p (bound p) = O).
      { destruct (result w p (bound p)) eqn:R; auto. exfalso. apply Hp.
        apply (Hw p _ D (fits_bound p)). lia. }
      rewrite W0 in E. destruct (result u p (bound p)) eqn:R.
      + right. destruct (negb misere || existsb id (word p (bound p))) eqn:Z; [discriminate|].
        destruct misere; [|discriminate]. split; auto. simpl in Z. apply (zero_word (bound p)); auto.
        intros i. apply N.div_small. apply (fits_nth p (bound p) i (fits_bound p)).
      + left. assert (X : 1 <= result u p (bound p)) by lia. apply (Hu p _ D (fits_bound p)) in X.
        destruct X as (p' & M & R'). destruct (Fit p p' D M) as [D' F']. exists p'. split; auto.
        now apply (Hw p' _ D' F').
    - intros Em p D Hp. apply (Hw p _ D (fits_bound p)) in Hp. rewrite (Hk p _ D), Em in Hp. simpl negb in Hp.
      destruct (existsb id (word p (bound p))) eqn:Z; [|destruct (result u p (bound p)); simpl in Hp; lia].
      destruct (list_eq_dec N.eq_dec p (repeat 0%N n)) as [E|E].
      + exfalso. rewrite E in Z. clear -Z. revert Z. generalize (bound (repeat 0%N n)) as l. intros l Z.
        induction l as [|l IH]; simpl in Z; [discriminate|]. rewrite existsb_app in Z.
        apply orb_prop in Z. destruct Z as [Z|Z]; [|auto].
        apply existsb_exists in Z. destruct Z as (b & Hb & B). apply in_map_iff in Hb.
        destruct Hb as (a & <- & Ha). apply repeat_spec in Ha. subst a. rewrite N.bits_0 in B. discriminate.
      + assert (X : ~ forall i, size p i = 0%N).
        { intros X. apply E. apply lowers_ext; [now rewrite repeat_length|]. intros i. rewrite X.
          unfold size. symmetry. apply nth_repeat. }
        clear -X D. revert D X. generalize n as k. induction p as [|a p IH]; intros k D X.
        * exfalso. apply X. intros [|i]; reflexivity.
        * destruct (N.eq_dec a 0) as [->|Ne]; [|exists O; exact Ne].
          destruct (IH (length p) eq_refl) as (i & Hi); [|exists (S i); exact Hi].
          intros Y. apply X. intros [|i]; [reflexivity|apply Y].
  Qed.

  Lemma some_move : covers n sets = true -> forall p i, length p = n -> size p i <> 0%N -> exists p', move sets p p'.
  Proof.
    intros C p i D Ne. assert (I : i < n).
    { destruct (Nat.lt_ge_cases i n); auto. unfold size in Ne. rewrite nth_overflow in Ne by lia. congruence. }
    unfold covers in C. rewrite every_all in C. specialize (C i ltac:(apply in_seq; lia)).
    apply some_one in C. destruct C as (e & He & C). apply some_one in C. destruct C as (j & Hj & Ej).
    apply Nat.eqb_eq in Ej. subst j. exists (set_at i 0%N p), e. split; auto. split.
    - split; [apply set_at_len|]. intros j. unfold size. rewrite set_nth by lia.
      destruct (Nat.eqb_spec j i) as [->|]; split; try lia; auto. tauto.
    - intros E. apply Ne. rewrite <- E. unfold size. rewrite set_nth, Nat.eqb_refl by lia. reflexivity.
  Qed.

  Theorem normal_play : misere = false -> forall p, length p = n -> (P sets p <-> holds p c).
  Proof.
    intros M. destruct conditions as (_ & Dec & Ind & Abs & _).
    intros p D. symmetry. apply (partition (list N) (dom n) (move sets) (dom_move n sets) (ends sets)
      (fun p => holds p c) (fun p _ => Dec p) Ind); [|exact D].
    intros q Dq Hq. destruct (Abs q Dq Hq) as [X|[X _]]; [exact X|congruence].
  Qed.

  Theorem misere_play : misere = true -> forall p, length p = n -> (MisereP sets p <-> holds p c).
  Proof.
    intros M. destruct conditions as (Cov & Dec & Ind & Abs & Mov).
    intros p D. symmetry. apply (partition_misere (list N) (dom n) (move sets) (dom_move n sets) (ends sets)
      (fun p => holds p c) (fun p _ => Dec p) Ind); [| |exact D].
    - intros q Dq Hq. destruct (Mov M q Dq Hq) as (i & Hi). exact (some_move (Cov M) q i Dq Hi).
    - intros q Dq Hq. destruct (Abs q Dq Hq) as [X|[_ X]]; [right; exact X|].
      left. intros q' (e & _ & (Le & Lo) & Ne). apply Ne. apply lowers_ext; auto.
      intros i. destruct (Lo i) as [A _]. rewrite X in *. lia.
  Qed.
End Sound.
