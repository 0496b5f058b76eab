(* Flanigan's Rim for every k and any number of heaps (Trim is k = 3): the digits of the Grundy value
   in base k are the sums of the digits of the heaps modulo k.  A proof by hand, without automata. *)
Require Import List Arith NArith Lia Wf_nat Inclusion.
From Nimrule Require Import Game Hyper.
Import ListNotations.
Local Open Scope N_scope.

Inductive take (t : N) : list N -> list N -> Prop :=
  from_heap l a r : 1 <= t <= a -> take t (l ++ a :: r) (l ++ (a - t) :: r).
Fixpoint takes (c : nat) (t : N) (p p' : list N) : Prop :=
  match c with O => p' = p | S c => exists q, take t p q /\ takes c t q p' end.

Section Rim.
  Variable k : N.
  Hypothesis k_2 : 2 <= k.

  (* for a power of k fewer tokens than twice the power are taken from a heap, and then up to k - 2
     times as many as the power from any heap *)
  Definition move (p p' : list N) : Prop :=
    exists m t q c, t < 2 * k ^ m /\ take t p q /\ N.of_nat c <= k - 2 /\ takes c (k ^ m) q p'.
  Definition digit (a m : N) : N := a / k ^ m mod k.
  Fixpoint digits (p : list N) (m : N) : N := match p with [] => 0 | a :: p => digit a m + digits p m end.
  Definition value (p : list N) (g : N) : Prop := forall m, digit g m = digits p m mod k.

  (* ---- play ends ---- *)
  Lemma total_app l r : total (l ++ r) = total l + total r.
  Proof. induction l as [|a l IH]; simpl; lia. Qed.
  Lemma take_total t p p' : take t p p' -> total p' < total p.
  Proof. intros []. rewrite !total_app. simpl. lia. Qed.
  Lemma takes_total c t : forall p p', takes c t p p' -> total p' <= total p.
  Proof.
    induction c as [|c IH]; simpl; intros p p' H; [subst; lia|]. destruct H as (q & T & H).
    apply take_total in T. apply IH in H. lia.
  Qed.
  Lemma take_length t p p' : take t p p' -> length p' = length p.
  Proof. intros []. now rewrite !app_length. Qed.
  Lemma move_length p p' : move p p' -> length p' = length p.
  Proof.
    intros (m & t & q & c & _ & T & _ & H). apply take_length in T. rewrite <- T. clear T.
    revert q H. induction c as [|c IH]; intros q H; simpl in H; [now subst|].
    destruct H as (q' & T & H). rewrite (IH q' H). exact (take_length _ _ _ T).
  Qed.
  Lemma ends : well_founded (fun p' p => move p p').
  Proof.
    apply (well_founded_lt_compat _ (fun p => N.to_nat (total p))).
    intros p' p (m & t & q & c & _ & T & _ & H). apply take_total in T. apply takes_total in H. lia.
  Qed.

  (* ---- digits of h * k^m + y ---- *)
  Lemma power m : k ^ m <> 0.
  Proof. apply N.pow_nonzero. lia. Qed.
  Lemma digit_less a m : digit a m < k.
  Proof. apply N.mod_lt. lia. Qed.
  Lemma digit_below h m y i : i < m -> digit (h * k ^ m + y) i = digit y i.
  Proof.
    intros I. unfold digit. replace (h * k ^ m) with (h * k ^ (m - N.succ i) * k * k ^ i).
    - rewrite N.div_add_l by apply power. rewrite N.add_comm. apply N.mod_add. lia.
    - rewrite <- !N.mul_assoc, <- N.pow_succ_r', <- N.pow_add_r. do 2 f_equal. lia.
  Qed.
  Lemma digit_at h m y : y < k ^ m -> digit (h * k ^ m + y) m = h mod k.
  Proof. intros Y. unfold digit. rewrite N.div_add_l, (N.div_small y) by (auto using power). f_equal. lia. Qed.
  Lemma digit_above h m y i : y < k ^ m -> m < i -> digit (h * k ^ m + y) i = digit (h / k) (i - N.succ m).
  Proof.
    intros Y I. unfold digit. replace (k ^ i) with (k ^ m * (k * k ^ (i - N.succ m))).
    - rewrite <- N.div_div by (try apply N.neq_mul_0; repeat split; try apply power; lia).
      rewrite N.div_add_l, (N.div_small y), N.add_0_r by (auto using power).
      rewrite N.div_div by (try apply power; lia). reflexivity.
    - rewrite <- N.pow_succ_r', <- N.pow_add_r. f_equal. lia.
  Qed.
  Lemma split a m : exists h y, a = h * k ^ m + y /\ y < k ^ m.
  Proof.
    exists (a / k ^ m), (a mod k ^ m). split; [rewrite N.mul_comm; apply N.div_mod, power|].
    apply N.mod_lt, power.
  Qed.
  Lemma digit_0 a m : a < k ^ m -> digit a m = 0.
  Proof. intros A. unfold digit. rewrite N.div_small by exact A. apply N.mod_0_l. lia. Qed.

  (* a number is given by its digits, and has any digits *)
  Lemma same_below a b L : (forall m, m < L -> digit a m = digit b m) -> a mod k ^ L = b mod k ^ L.
  Proof.
    induction L as [|L IH] using N.peano_ind; intros H; [now rewrite !N.mod_1_r|].
    rewrite N.pow_succ_r', (N.mul_comm k), !N.mod_mul_r by (try apply power; lia).
    rewrite IH by (intros; apply H; lia). f_equal. f_equal. apply H. lia.
  Qed.
  Lemma large a : a < k ^ a.
  Proof. apply N.pow_gt_lin_r. lia. Qed.
  Lemma large_le a m : a <= m -> a < k ^ m.
  Proof. intros H. apply N.lt_le_trans with (k ^ a); [apply large|]. apply N.pow_le_mono_r; lia. Qed.
  Lemma same a b : (forall m, digit a m = digit b m) -> a = b.
  Proof.
    intros H. pose proof (same_below a b (a + b) (fun m _ => H m)) as E.
    now rewrite !N.mod_small in E by (apply large_le; lia).
  Qed.
  Lemma number f L : exists y, y < k ^ L /\ forall m, m < L -> digit y m = f m mod k.
  Proof.
    induction L as [|L (y & Y & H)] using N.peano_ind; [exists 0; split; [simpl; lia|intros; lia]|].
    exists (f L mod k * k ^ L + y). pose proof (N.mod_lt (f L) k ltac:(lia)). split.
    - rewrite N.pow_succ_r'. nia.
    - intros m M. destruct (N.eq_dec m L) as [->|Ne].
      + rewrite digit_at by exact Y. apply N.mod_mod. lia.
      + rewrite digit_below by lia. apply H. lia.
  Qed.
  Lemma highest a b : a < b -> exists m, digit a m < digit b m /\ forall i, m < i -> digit a i = digit b i.
  Proof.
    intros Lt. assert (E : exists L, a / k ^ L = b / k ^ L).
    { exists b. now rewrite !N.div_small by (apply large_le; lia). }
    destruct E as (L & E). induction L as [|L IH] using N.peano_ind.
    - rewrite !N.div_1_r in E. lia.
    - destruct (N.eq_dec (a / k ^ L) (b / k ^ L)) as [E'|Ne]; [auto|]. exists L.
      pose proof (N.div_le_mono a b (k ^ L) (power L) ltac:(lia)) as Le.
      rewrite N.pow_succ_r', (N.mul_comm k), <- !N.div_div in E by (try apply power; lia). split.
      + unfold digit. pose proof (N.div_mod (a / k ^ L) k ltac:(lia)). pose proof (N.div_mod (b / k ^ L) k ltac:(lia)).
        rewrite E in *. lia.
      + intros i I. unfold digit. replace (k ^ i) with (k ^ L * (k * k ^ (i - N.succ L))).
        * rewrite <- !N.div_div by (try apply N.neq_mul_0; repeat split; try apply power; lia). now rewrite E.
        * rewrite <- N.pow_succ_r', <- N.pow_add_r. f_equal. lia.
  Qed.

  (* ---- digits of positions ---- *)
  Lemma digits_app l r m : digits (l ++ r) m = digits l m + digits r m.
  Proof. induction l as [|a l IH]; simpl; lia. Qed.
  Lemma no_digits p : exists L, forall m, L <= m -> digits p m = 0.
  Proof.
    induction p as [|a p (L & H)]; [exists 0; reflexivity|]. exists (a + L). intros m M. simpl.
    rewrite H, digit_0 by (try apply large_le; lia). reflexivity.
  Qed.
  Lemma value_exists p : exists g, value p g.
  Proof.
    destruct (no_digits p) as (L & H). destruct (number (digits p) L) as (g & G & E). exists g. intros m.
    destruct (N.lt_ge_cases m L) as [Lt|Ge]; [auto|]. rewrite (H m Ge), N.mod_0_l by lia.
    apply digit_0, N.lt_le_trans with (1 := G). apply N.pow_le_mono_r; lia.
  Qed.
  Lemma value_unique p g h : value p g -> value p h -> g = h.
  Proof. intros G H. apply same. intros m. now rewrite (G m), (H m). Qed.

  (* congruences modulo k *)
  Lemma cancel a b c : (a + c) mod k = (b + c) mod k -> a mod k = b mod k.
  Proof.
    intros H. pose proof (N.div_mod (a + c) k ltac:(lia)). pose proof (N.div_mod (b + c) k ltac:(lia)).
    rewrite H in *. set (u := (a + c) / k) in *. set (v := (b + c) / k) in *.
    destruct (N.le_ge_cases u v) as [Le|Le].
    - replace b with (a + (v - u) * k) by nia. symmetry. apply N.mod_add. lia.
    - replace a with (b + (u - v) * k) by nia. apply N.mod_add. lia.
  Qed.

  (* ---- no move keeps the value ---- *)
  (* taking k^m from a heap lowers the digit at m by one, modulo k, and leaves those below *)
  Lemma take_power m p p' : take (k ^ m) p p' ->
    (digits p' m + 1) mod k = digits p m mod k /\ forall i, i < m -> digits p' i = digits p i.
  Proof.
    intros [l a r [_ A]]. destruct (split a m) as (h & y & -> & Y).
    assert (H : 1 <= h) by (destruct h; lia).
    replace (h * k ^ m + y - k ^ m) with ((h - 1) * k ^ m + y) by nia. split.
    - rewrite !digits_app. simpl. rewrite !digit_at by exact Y.
      replace (digits l m + ((h - 1) mod k + digits r m) + 1) with ((h - 1) mod k + (digits l m + digits r m + 1)) by lia.
      replace (digits l m + (h mod k + digits r m)) with (h mod k + (digits l m + digits r m)) by lia.
      rewrite !N.add_mod_idemp_l by lia. f_equal. lia.
    - intros i I. rewrite !digits_app. simpl. now rewrite !digit_below by exact I.
  Qed.
  Lemma takes_power m c : forall p p', takes c (k ^ m) p p' ->
    (digits p' m + N.of_nat c) mod k = digits p m mod k /\ forall i, i < m -> digits p' i = digits p i.
  Proof.
    induction c as [|c IH]; intros p p' H.
    - simpl in H. subst. rewrite N.add_0_r. auto.
    - destruct H as (q & T & H). apply take_power in T. apply IH in H. destruct T as [T1 T2], H as [H1 H2]. split.
      + rewrite <- T1, Nat2N.inj_succ, <- N.add_1_r, N.add_assoc.
        now rewrite <- (N.add_mod_idemp_l (digits p' m + N.of_nat c)), H1, N.add_mod_idemp_l by lia.
      + intros i I. now rewrite H2, T2.
  Qed.
  Lemma independent p p' g : move p p' -> value p g -> value p' g -> False.
  Proof.
    intros (m & t & q & c & T & [l a r A] & C & H) G G'. apply takes_power in H. destruct H as [H1 H2].
    (* the digits below m show that t = k^m *)
    assert (E : (a - t) mod k ^ m = a mod k ^ m).
    { apply same_below. intros i I. specialize (G i). specialize (G' i). rewrite (H2 i I) in G'.
      rewrite G in G'. rewrite !digits_app in G'. simpl in G'.
      rewrite <- (N.mod_small (digit (a - t) i) k), <- (N.mod_small (digit a i) k) by apply digit_less.
      apply (cancel _ _ (digits l i + digits r i)).
      rewrite (N.add_shuffle3 (digit (a - t) i)), (N.add_shuffle3 (digit a i)). now symmetry. }
    assert (t = k ^ m).
    { pose proof (N.div_mod a _ (power m)). pose proof (N.div_mod (a - t) _ (power m)). rewrite E in *.
      set (u := a / k ^ m) in *. set (v := (a - t) / k ^ m) in *.
      assert (v < u) by nia. assert (u < v + 2) by nia. replace u with (v + 1) in * by lia. lia. }
    subst t. pose proof (take_power m _ _ (from_heap _ l a r A)) as [T1 _].
    rewrite <- (G m), <- N.add_mod_idemp_l, <- H1, N.add_mod_idemp_l in T1 by lia. specialize (G' m).
    assert (X : (digits p' m + (N.of_nat c + 1)) mod k = (digits p' m + 0) mod k).
    { rewrite N.add_0_r, <- G', <- T1. f_equal. lia. }
    rewrite !(N.add_comm (digits p' m)) in X. apply cancel in X. rewrite N.mod_small, N.mod_0_l in X by lia. lia.
  Qed.

  (* ---- some move leads to each smaller value ---- *)
  Lemma some_digit m p : 1 <= digits p m -> exists l a r, p = l ++ a :: r /\ 1 <= digit a m.
  Proof.
    induction p as [|a p IH]; simpl; intros H; [lia|]. destruct (N.eq_dec (digit a m) 0).
    - destruct IH as (l & b & r & -> & B); [lia|]. exists (a :: l), b, r. auto.
    - exists [], a, p. split; [reflexivity|lia].
  Qed.
  (* the digit at m of a heap is lowered by one, and those below become any *)
  Lemma lower_digit a m y : 1 <= digit a m -> y < k ^ m -> let t := k ^ m + a mod k ^ m - y in
    1 <= t <= a /\ t < 2 * k ^ m /\ digit (a - t) m + 1 = digit a m /\
    (forall i, i < m -> digit (a - t) i = digit y i) /\ (forall i, m < i -> digit (a - t) i = digit a i).
  Proof.
    intros D Y. destruct (split a m) as (h & x & -> & X). rewrite !digit_at in * by exact X.
    assert (R : (h * k ^ m + x) mod k ^ m = x).
    { rewrite N.add_comm, N.mod_add by apply power. now apply N.mod_small. }
    rewrite R. clear R. intros t.
    pose proof (N.div_mod h k ltac:(lia)) as Hh. pose proof (N.mod_lt h k ltac:(lia)) as Hl.
    assert (Q : (h - 1) / k = h / k /\ (h - 1) mod k = h mod k - 1).
    { assert (E : h - 1 = k * (h / k) + (h mod k - 1)).
      { clear -D Hh. set (u := k * (h / k)) in *. set (v := h mod k) in *. lia. }
      split; symmetry; [apply (N.div_unique _ _ _ (h mod k - 1))|apply (N.mod_unique _ _ (h / k))]; auto; lia. }
    destruct Q as [Q1 Q2].
    assert (1 <= h) by (destruct h; [rewrite N.mod_0_l in D|]; lia).
    assert (E : h * k ^ m + x - t = (h - 1) * k ^ m + y) by (subst t; nia). rewrite !E. subst t.
    split; [nia|]. split; [lia|]. split; [rewrite digit_at by exact Y; lia|]. split.
    - intros i I. now apply digit_below.
    - intros i I. now rewrite !digit_above, Q1.
  Qed.
  Lemma pick m c : forall p, N.of_nat c <= digits p m -> exists p', takes c (k ^ m) p p' /\
    digits p' m + N.of_nat c = digits p m /\ forall i, i <> m -> digits p' i = digits p i.
  Proof.
    induction c as [|c IH]; intros p H; [exists p; simpl; repeat split; lia|].
    destruct (some_digit m p) as (l & a & r & -> & A); [lia|].
    destruct (lower_digit a m (a mod k ^ m) A (N.mod_lt _ _ (power m))) as (T & _ & D & Lo & Hi).
    rewrite N.add_sub in *. destruct (IH (l ++ (a - k ^ m) :: r)) as (p' & P & P1 & P2).
    { rewrite !digits_app in *. simpl digits in *. lia. }
    exists p'. split; [exists (l ++ (a - k ^ m) :: r); split; [now constructor|exact P]|]. split.
    - rewrite !digits_app in *. simpl digits in *. lia.
    - intros i I. rewrite (P2 i I), !digits_app. simpl. f_equal. f_equal.
      destruct (N.lt_ge_cases i m) as [Lt|Ge]; [|apply Hi; lia]. rewrite (Lo i Lt). destruct (split a m) as (h & x & -> & X).
      rewrite (N.add_comm _ x), N.mod_add, N.mod_small, N.add_comm by (auto using power). symmetry. now apply digit_below.
  Qed.
  Lemma absorbing p g j : value p g -> j < g -> exists p', move p p' /\ value p' j.
  Proof.
    intros G Lt. destruct (highest j g Lt) as (m & D & Hi). pose proof (G m) as Gm.
    pose proof (N.div_mod (digits p m) k ltac:(lia)) as S. rewrite <- Gm in S.
    remember (digits p m / k) as u eqn:U. clear Gm U. assert (N1 : 1 <= digits p m) by nia.
    destruct (some_digit m p N1) as (l & a & r & E & A).
    destruct (number (fun i => digit j i + (k - 1) * (digits l i + digits r i)) m) as (y & Y & Lo).
    destruct (lower_digit a m y A Y) as (T & T2 & Am & Al & Ah). set (t := k ^ m + a mod k ^ m - y) in *.
    set (q := l ++ (a - t) :: r).
    assert (Qm : digits q m + 1 = digits p m) by (subst p q; rewrite !digits_app; simpl; lia).
    destruct (pick m (N.to_nat (digit g m - digit j m - 1)) q) as (p' & P & Pm & Po); [lia|].
    exists p'. split.
    - exists m, t, q, (N.to_nat (digit g m - digit j m - 1)). pose proof (digit_less g m).
      split; [exact T2|]. split; [subst p q; now constructor|]. split; [lia|exact P].
    - intros i. destruct (N.lt_trichotomy i m) as [I|[->|I]].
      + rewrite Po by lia. subst q. rewrite digits_app. simpl. rewrite Al, Lo by exact I.
        rewrite N.add_shuffle3, N.add_mod_idemp_l by lia.
        replace (digit j i + (k - 1) * (digits l i + digits r i) + (digits l i + digits r i))
          with (digit j i + (digits l i + digits r i) * k) by nia.
        rewrite N.mod_add by lia. symmetry. apply N.mod_small, digit_less.
      + apply (N.mod_unique _ _ u); [apply digit_less|lia].
      + rewrite Po by lia. rewrite (Hi i I), (G i). f_equal. subst p q. rewrite !digits_app. simpl. now rewrite Ah.
  Qed.

  Theorem rim_values p g : Game.Grundy (list N) move p g <-> forall m, digit g m = digits p m mod k.
  Proof.
    assert (V : forall p g, value p g -> Game.Grundy (list N) move p g).
    { clear p g. induction p as [p IH] using (well_founded_induction ends). intros g G. constructor.
      - intros j Lt. destruct (absorbing p g j G Lt) as (p' & M & J). eauto.
      - intros p' M. destruct (value_exists p') as (j & J). exists j. split; [|exact (IH p' M j J)].
        intros ->. exact (independent p p' g M G J). }
    split; [|apply V]. intros H. destruct (value_exists p) as (h & G).
    now rewrite (Game.value_unique _ _ ends p g h H (V p h G)).
  Qed.
  Theorem rim_normal_play p : Game.NormalP (list N) move p <-> forall m, digits p m mod k = 0.
  Proof.
    assert (Z : forall m, digit 0 m = 0) by (intros m; apply digit_0; pose proof (power m); lia).
    assert (W : forall p, (forall m, digits p m mod k = 0) <-> value p 0).
    { intros q. unfold value. split; intros H m; specialize (H m); rewrite Z in *; auto. }
    rewrite W. symmetry.
    apply (partition (list N) (fun _ => True) move (fun _ _ D _ => D) ends (fun p => value p 0)); auto.
    - intros q _. destruct (value_exists q) as (g & G). destruct (N.eq_dec g 0) as [->|Ne]; [auto|].
      right. intros H. exact (Ne (value_unique q g 0 G H)).
    - intros q q' _ H M H'. exact (independent q q' 0 M H H').
    - intros q _ H. destruct (value_exists q) as (g & G). apply (absorbing q g 0 G).
      destruct g; [contradiction|lia].
  Qed.

  (* ---- misere play, with fewer than k heaps: the value of a P-position is 1 ---- *)
  Lemma lowest p : (exists m, digits p m <> 0) -> exists m, digits p m <> 0 /\ forall i, i < m -> digits p i = 0.
  Proof.
    intros (m & H). induction m as [m IH] using (well_founded_induction N.lt_wf_0).
    assert (D : forall L, (exists i, i < L /\ digits p i <> 0) \/ forall i, i < L -> digits p i = 0).
    { induction L as [|L [(i & I & Ne)|Z]] using N.peano_ind; [right; lia|left; exists i; split; [lia|exact Ne]|].
      destruct (N.eq_dec (digits p L) 0) as [E|Ne]; [|left; exists L; split; [lia|exact Ne]].
      right. intros i I. destruct (N.eq_dec i L) as [->|]; [exact E|]. apply Z. lia. }
    destruct (D m) as [(i & I & Ne)|Z]; [now apply (IH i)|eauto].
  Qed.
  Lemma two_digit p m : N.of_nat (length p) < digits p m -> exists l a r, p = l ++ a :: r /\ 2 <= digit a m.
  Proof.
    induction p as [|a p IH]; simpl length; simpl digits; intros H; [simpl in H; lia|].
    destruct (N.le_gt_cases 2 (digit a m)); [exists [], a, p; auto|].
    destruct IH as (l & b & r & -> & B); [lia|]. exists (a :: l), b, r. auto.
  Qed.
  Lemma zeros p : (forall m, digits p m = 0) -> forall p', ~ move p p'.
  Proof.
    intros Z p' (m & t & q & c & _ & T & _). revert Z. destruct T as [l a r A]. intros Z. assert (a = 0); [|lia].
    apply same. intros i. specialize (Z i). rewrite digits_app in Z. simpl in Z.
    rewrite (digit_0 0) by (pose proof (power i); lia). lia.
  Qed.
  Lemma some_total p : (forall m, digits p m = 0) \/ exists m, digits p m <> 0.
  Proof.
    induction p as [|a p [Z|(m & H)]]; [left; reflexivity| |right; exists m; simpl; lia].
    destruct (N.eq_dec a 0) as [->|Ne].
    - left. intros m. cbn [digits]. rewrite Z, digit_0 by (pose proof (power m); lia). reflexivity.
    - right. destruct (highest 0 a) as (m & H & _); [lia|]. exists m. simpl. lia.
  Qed.
  Lemma digit_1 m : digit 1 m = if m =? 0 then 1 else 0.
  Proof.
    destruct (N.eqb_spec m 0) as [->|Ne].
    - unfold digit. rewrite N.pow_0_r, N.div_1_r. apply N.mod_small. lia.
    - apply digit_0. apply N.lt_le_trans with (k ^ 1); [rewrite N.pow_1_r; lia|]. apply N.pow_le_mono_r; lia.
  Qed.
  Lemma absorbing_0 p : N.of_nat (length p) < k -> value p 0 -> (exists m, digits p m <> 0) ->
    exists p', move p p' /\ value p' 1.
  Proof.
    intros Few V Some. destruct (lowest p Some) as (m & Ne & Lo). pose proof (V m) as Vm.
    rewrite digit_0 in Vm by (pose proof (power m); lia).
    pose proof (N.div_mod (digits p m) k ltac:(lia)) as S. rewrite <- Vm in S.
    assert (K : exists v, digits p m = k * v + k).
    { remember (digits p m / k) as u. exists (u - 1). assert (u <> 0) by (intros ->; lia). nia. }
    destruct K as (v & K). clear Vm S.
    destruct (two_digit p m) as (l & a & r & E & A); [lia|].
    destruct (N.eq_dec m 0) as [->|M].
    - (* k - 1 tokens are taken one by one *)
      destruct (pick 0 (N.to_nat (k - 1)) p) as (p' & P & P0 & Po); [lia|].
      destruct (N.to_nat (k - 1)) as [|c] eqn:C; [lia|]. destruct P as (q & T & P). exists p'. split.
      + exists 0, 1, q, c. rewrite N.pow_0_r in *. split; [lia|]. split; [exact T|]. split; [lia|exact P].
      + intros i. rewrite digit_1. destruct (N.eqb_spec i 0) as [->|Ni].
        * apply (N.mod_unique _ _ v); lia.
        * rewrite Po by exact Ni. specialize (V i). rewrite digit_0 in V by (pose proof (power i); lia). exact V.
    - (* the digit at m of a heap is lowered by two, and its last digit becomes 1 *)
      destruct (split a m) as (h & x & Ea & X). rewrite Ea, digit_at in A by exact X.
      pose proof (N.div_mod h k ltac:(lia)) as Hh. pose proof (N.mod_lt h k ltac:(lia)) as Hl.
      assert (Q : (h - 2) / k = h / k /\ (h - 2) mod k = h mod k - 2).
      { assert (E2 : h - 2 = k * (h / k) + (h mod k - 2)).
        { clear -A Hh. set (v := k * (h / k)) in *. set (w := h mod k) in *. lia. }
        split; symmetry; [apply (N.div_unique _ _ _ (h mod k - 2))|apply (N.mod_unique _ _ (h / k))]; auto; lia. }
      destruct Q as [Q1 Q2].
      assert (x = 0).
      { apply same. intros i. rewrite (digit_0 0) by (pose proof (power i); lia).
        destruct (N.lt_ge_cases i m) as [I|I].
        - specialize (Lo i I). rewrite E, digits_app in Lo. simpl in Lo. rewrite Ea, digit_below in Lo by exact I. lia.
        - apply digit_0, N.lt_le_trans with (1 := X). apply N.pow_le_mono_r; lia. }
      subst x. rewrite N.add_0_r in Ea.
      assert (Pm : 1 < k ^ m) by (apply N.pow_gt_1; lia).
      assert (2 <= h) by (destruct h as [|[h|h|]]; rewrite ?N.mod_0_l in A by lia; try lia;
        rewrite N.mod_small in A by lia; lia).
      set (q := l ++ (a - (2 * k ^ m - 1)) :: r).
      assert (Ea2 : a - (2 * k ^ m - 1) = (h - 2) * k ^ m + 1) by nia.
      assert (Dm : digits q m + 2 = digits p m).
      { subst p q. rewrite !digits_app. cbn [digits]. rewrite Ea2, Ea, digit_at by exact Pm.
        rewrite <- (N.add_0_r (h * k ^ m)), digit_at by lia. lia. }
      destruct (pick m (N.to_nat (k - 2)) q) as (p' & P & P0 & Po); [lia|]. exists p'. split.
      + exists m, (2 * k ^ m - 1), q, (N.to_nat (k - 2)). split; [lia|]. split; [|split; [lia|exact P]].
        subst p q. constructor. nia.
      + intros i. rewrite digit_1. specialize (V i). rewrite digit_0 in V by (pose proof (power i); lia).
        destruct (N.lt_trichotomy i m) as [I|[->|I]].
        * rewrite Po by lia. pose proof (Lo i I) as Z. subst p q. rewrite !digits_app in *. cbn [digits] in *.
          rewrite Ea2, digit_below, digit_1 by exact I. replace (digits l i) with 0 by lia. replace (digits r i) with 0 by lia.
          destruct (N.eqb_spec i 0); [symmetry; apply N.mod_small; lia|symmetry; apply N.mod_0_l; lia].
        * destruct (N.eqb_spec m 0); [contradiction|]. apply (N.mod_unique _ _ v); lia.
        * destruct (N.eqb_spec i 0); [lia|]. rewrite Po by lia. rewrite V. f_equal. subst p q.
          rewrite !digits_app. cbn [digits]. rewrite Ea2, Ea, <- (N.add_0_r (h * k ^ m)), !digit_above, Q1 by lia. reflexivity.
  Qed.
  Theorem rim_misere_play p : N.of_nat (length p) < k ->
    (Game.MisereP (list N) move p <-> forall m, digits p m mod k = if m =? 0 then 1 else 0).
  Proof.
    intros Few. assert (W : forall p, (forall m, digits p m mod k = if m =? 0 then 1 else 0) <-> value p 1).
    { intros q. unfold value. split; intros H m; specialize (H m); rewrite digit_1 in *; auto. }
    rewrite W. symmetry.
    apply (partition_misere (list N) (fun p => N.of_nat (length p) < k) move) with (W := fun p => value p 1);
      auto using ends.
    - intros q q' D M. erewrite move_length; eauto.
    - intros q _. destruct (value_exists q) as (g & G). destruct (N.eq_dec g 1) as [->|Ne]; [auto|].
      right. intros H. exact (Ne (value_unique q g 1 G H)).
    - intros q q' _ H M H'. exact (independent q q' 1 M H H').
    - intros q _ H. destruct (absorbing q 1 0 H) as (q' & M & _); [lia|eauto].
    - intros q D H. destruct (value_exists q) as (g & G).
      destruct (N.lt_trichotomy g 1) as [Lt|[->|Lt]]; [|contradiction|right; exact (absorbing q g 1 G Lt)].
      assert (g = 0) by lia. subst g. destruct (some_total q) as [Z|S]; [left; now apply zeros|].
      right. now apply absorbing_0.
  Qed.
End Rim.

(* Trim: t tokens from a heap and then, if the player likes, a power of 3 that is more than half of
   t from any heap *)
Definition trim_move (p p' : list N) : Prop :=
  exists t q, take t p q /\ (p' = q \/ exists m, 2 * 3 ^ m > t /\ take (3 ^ m) q p').
Lemma trim_is_rim p p' : trim_move p p' <-> move 3 p p'.
Proof.
  split.
  - intros (t & q & T & [->|(m & B & U)]).
    + exists t, t, q, O. assert (L : t < 3 ^ t) by (apply large; lia).
      split; [lia|]. split; [exact T|]. split; [apply N.le_0_l|reflexivity].
    + exists m, t, q, 1%nat. split; [lia|]. split; [exact T|]. split; [apply N.le_refl|]. exists p'. split; [exact U|reflexivity].
  - intros (m & t & q & c & B & T & C & H). exists t, q. split; [exact T|].
    destruct c as [|[|c]]; [now left| |lia]. right. exists m. split; [lia|].
    destruct H as (q' & U & ->). exact U.
Qed.

(* the classes and values depend on the options only *)
Lemma same_values (move1 move2 : list N -> list N -> Prop) : (forall p p', move1 p p' <-> move2 p p') ->
  well_founded (fun p' p => move1 p p') -> forall p g, Game.Grundy (list N) move1 p g -> Game.Grundy (list N) move2 p g.
Proof.
  intros E ends p. induction p as [p IH] using (well_founded_induction ends). intros g G. inversion G; subst.
  constructor.
  - intros k Lt. destruct (H k Lt) as (p' & M & V). exists p'. split; [now apply E|]. eauto.
  - intros p' M. apply E in M. destruct (H0 p' M) as (k & Ne & V). eauto.
Qed.
Lemma same_classes (move1 move2 : list N -> list N -> Prop) : (forall p p', move1 p p' <-> move2 p p') ->
  well_founded (fun p' p => move1 p p') -> forall p,
  (Game.NormalP (list N) move1 p -> Game.NormalP (list N) move2 p) /\
  (Game.NormalN (list N) move1 p -> Game.NormalN (list N) move2 p).
Proof.
  intros E ends p. induction p as [p IH] using (well_founded_induction ends). split; intros H; inversion H; subst.
  - constructor. intros p' M. apply E in M. now apply (IH p' M), H0.
  - apply (Game.N_intro _ _ p p'); [now apply E|]. now apply (IH p').
Qed.
Lemma same_misere_classes (move1 move2 : list N -> list N -> Prop) : (forall p p', move1 p p' <-> move2 p p') ->
  well_founded (fun p' p => move1 p p') -> forall p,
  (Game.MisereP (list N) move1 p -> Game.MisereP (list N) move2 p) /\
  (Game.MisereN (list N) move1 p -> Game.MisereN (list N) move2 p).
Proof.
  intros E ends p. induction p as [p IH] using (well_founded_induction ends). split; intros H; inversion H; subst.
  - constructor; [destruct H0 as (p' & M); exists p'; now apply E|]. intros p' M. apply E in M. now apply (IH p' M), H1.
  - apply Game.MN_end. intros p' M. apply E in M. exact (H0 p' M).
  - apply (Game.MN_intro _ _ p p'); [now apply E|]. now apply (IH p').
Qed.
Lemma trim_ends : well_founded (fun p' p => trim_move p p').
Proof.
  apply (wf_incl _ _ (fun p' p => move 3 p p')); [intros p' p; apply trim_is_rim|apply ends; lia].
Qed.
Theorem trim_values p g : Game.Grundy (list N) trim_move p g <-> forall m, digit 3 g m = digits 3 p m mod 3.
Proof.
  rewrite <- rim_values by lia. split; apply same_values; auto using trim_ends, trim_is_rim.
  - intros. symmetry. apply trim_is_rim.
  - apply ends. lia.
Qed.
Theorem trim_normal_play p : Game.NormalP (list N) trim_move p <-> forall m, digits 3 p m mod 3 = 0.
Proof.
  rewrite <- rim_normal_play by lia. split; apply same_classes; auto using trim_ends, trim_is_rim.
  - intros. symmetry. apply trim_is_rim.
  - apply ends. lia.
Qed.
Theorem trim_misere_play p : N.of_nat (length p) < 3 ->
  (Game.MisereP (list N) trim_move p <-> forall m, digits 3 p m mod 3 = if m =? 0 then 1 else 0).
Proof.
  intros Few. rewrite <- rim_misere_play by (exact Few || lia). split; apply same_misere_classes; auto using trim_ends, trim_is_rim.
  - intros. symmetry. apply trim_is_rim.
  - apply ends. lia.
Qed.
