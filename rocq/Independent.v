(* No move leads from a set into itself: a search over pairs of states, of a position and of what
   it is lowered to, with the heaps that are smaller already. *)
Require Import Bool List Arith NArith PArith Lia FMapPositive.
From Nimrule Require Import Digits Hyper Sets Machine Lower.
Import ListNotations.

Section Independent.
  Variable n : nat.
  Variable d : dfa.
  Variable am : amount.
  Variable e z : list nat.             (* the heaps that a move may lower, and those that are empty *)
  Hypothesis n_pos : n <> O.
  Hypothesis d_ok : dead_ok d = true.

  Definition may (i : nat) : bool := some (Nat.eqb i) e.
  Definition gone (i : nat) : bool := some (Nat.eqb i) z.
  (* the heap whose bit is next, the states, and for each heap: is it smaller? *)
  Definition item : Type := nat * positive * positive * list bool.
  Definition key_of (x : item) : positive :=
    let '(l, q, r, m) := x in pkey (Pos.of_succ_nat l) (pkey q (pkey r (bapp m xH))).
  Definition same_item (x y : item) : bool :=
    let '(l, q, r, m) := x in let '(k, s, t, o) := y in
    Nat.eqb l k && (Pos.eqb q s && (Pos.eqb r t && leqb m o)).
  Lemma same_item_eq x y : same_item x y = true -> x = y.
  Proof.
    destruct x as [[[l q] r] m], y as [[[k s] t] o]. simpl. intros H.
    apply andb_prop in H. destruct H as [H1 H]. apply andb_prop in H. destruct H as [H2 H].
    apply andb_prop in H. destruct H as [H3 H4]. apply Nat.eqb_eq in H1. apply Pos.eqb_eq in H2, H3.
    apply leqb_eq in H4. congruence.
  Qed.
  Definition live (x : item) : bool :=
    let '(_, q, r, _) := x in if Pos.eqb q dead then false else negb (Pos.eqb r dead).
  Definition after_bit (x : item) (b : bool) : list item :=
    let '(l, q, r, m) := x in
    map (fun c : bool * bool => (follow n l, delta d q b, delta d r (fst c), set_at l (snd c) m))
      (if if b then gone l else false then [] else if may l then choices am (nth l m false) b else [(b, false)]).
  Definition good (x : item) : bool :=
    let '(l, q, r, m) := x in
    match l with
    | O => if some id m then match output d q with O => true | _ => Nat.eqb (output d r) 0 end else true
    | _ => true
    end.
  Definition start : item := (O, first d, first d, repeat false n).
  Definition closed (R : list item) : bool :=
    let b := build key_of R in
    mem key_of same_item start (fst b) &&
    every (fun x => good x &&
      every (fun y => if live y then mem key_of same_item y (fst b) else true)
        (after_bit x false ++ after_bit x true)) (snd b).

  Section Closed.
    Variable R : list item.
    Hypothesis R_closed : closed R = true.
    Let reached (x : item) : Prop := In x (snd (build key_of R)).
    Lemma reached_start : reached start.
    Proof.
      unfold closed in R_closed. apply andb_prop in R_closed. destruct R_closed as [H _].
      exact (mem_build key_of same_item same_item_eq R start H).
    Qed.
    Lemma reached_good x : reached x -> good x = true.
    Proof.
      intros W. unfold closed in R_closed. apply andb_prop in R_closed. destruct R_closed as [_ H].
      rewrite every_all in H. specialize (H x W). apply andb_prop in H. exact (proj1 H).
    Qed.
    Lemma reached_step x y b : reached x -> In y (after_bit x b) -> live y = true -> reached y.
    Proof.
      intros W I Li. unfold closed in R_closed. apply andb_prop in R_closed. destruct R_closed as [_ H].
      rewrite every_all in H. specialize (H x W). apply andb_prop in H. destruct H as [_ H].
      rewrite every_all in H. specialize (H y). rewrite Li in H.
      apply (mem_build key_of same_item same_item_eq). apply H. apply in_or_app. destruct b; auto.
    Qed.

    Variables p p' : list N.
    Variable L : nat.
    Hypothesis p_len : length p = n.
    Hypothesis p_len' : length p' = n.
    Hypothesis lower : forall i, within am (size p' i) (size p i) /\ (may i = false -> size p' i = size p i).
    Hypothesis empty : forall i, gone i = true -> size p i = 0%N.

    (* heap i is smaller, by the digits that are read when l places are left *)
    Definition less (l i : nat) : bool := (high (size p' i) l <? high (size p i) l)%N.
    (* within a place: the heaps before k have been read *)
    Definition lesses (l k : nat) : list bool :=
      map (fun i => less (if Nat.ltb i k then l else S l) i) (seq 0 n).

    Lemma lesses_step l k : k < n -> set_at k (less l k) (lesses l k) = lesses l (S k).
    Proof.
      intros K. apply (nth_ext _ _ false false).
      - rewrite set_at_len. unfold lesses. now rewrite !map_length.
      - intros i I. rewrite set_at_len in I. unfold lesses in *. rewrite map_length, seq_length in I.
        rewrite set_nth by (rewrite map_length, seq_length; exact K).
        rewrite !nth_indep with (d := false) (d' := less (if Nat.ltb O k then l else S l) O)
          by (rewrite map_length, seq_length; lia).
        rewrite (map_nth (fun i => less (if Nat.ltb i k then l else S l) i) (seq 0 n) O i).
        rewrite nth_indep with (d' := less (if Nat.ltb O (S k) then l else S l) O)
          by (rewrite map_length, seq_length; lia).
        rewrite (map_nth (fun i => less (if Nat.ltb i (S k) then l else S l) i) (seq 0 n) O i).
        rewrite seq_nth by exact I. simpl plus.
        destruct (Nat.eqb_spec i k) as [->|Ne].
        + replace (Nat.ltb k (S k)) with true by (symmetry; apply Nat.ltb_lt; lia). reflexivity.
        + replace (Nat.ltb i (S k)) with (Nat.ltb i k); auto.
          destruct (Nat.ltb_spec i k), (Nat.ltb_spec i (S k)); auto; lia.
    Qed.
    Lemma lesses_nth l k : k < n -> nth k (lesses l k) false = less (S l) k.
    Proof.
      intros K. unfold lesses.
      rewrite nth_indep with (d' := less (if Nat.ltb O k then l else S l) O)
        by (rewrite map_length, seq_length; lia).
      rewrite (map_nth (fun i => less (if Nat.ltb i k then l else S l) i) (seq 0 n) O k).
      rewrite seq_nth by exact K. simpl plus. now rewrite Nat.ltb_irrefl.
    Qed.
    Lemma lesses_end l : lesses l n = map (less l) (seq 0 n).
    Proof.
      unfold lesses. apply map_ext_in. intros i I. apply in_seq in I.
      replace (Nat.ltb i n) with true; [reflexivity|]. symmetry. apply Nat.ltb_lt. lia.
    Qed.
    Lemma lesses_begin l : lesses l 0 = map (less (S l)) (seq 0 n).
    Proof. reflexivity. Qed.

    Lemma run_dead_0 r w : 1 <= output d (run d r w) -> Pos.eqb r dead = false.
    Proof.
      intros H. apply Pos.eqb_neq. intros ->. rewrite dead_run, dead_output in H by exact d_ok. lia.
    Qed.
    Lemma bit_step l k q r w w' : k < n -> reached (k, q, r, lesses l k) ->
      let b := N.testbit (size p k) (N.of_nat l) in let b' := N.testbit (size p' k) (N.of_nat l) in
      1 <= output d (run d (delta d q b) w) -> 1 <= output d (run d (delta d r b') w') ->
      reached (follow n k, delta d q b, delta d r b', lesses l (S k)).
    Proof.
      intros K W b b' A A'. apply (reached_step _ _ b W).
      - unfold after_bit. apply in_map_iff. exists (b', less l k). cbn [fst snd].
        split; [now rewrite lesses_step|]. rewrite lesses_nth by exact K.
        destruct (lower k) as [Le Eq].
        assert (Hi : forall j, within am (high (size p' k) j) (high (size p k) j))
          by (intros j; now apply (within_high am n k K)).
        replace (if b then gone k else false) with false.
        2: { unfold b. destruct (gone k) eqn:G; [rewrite (empty k G), N.bits_0|destruct (N.testbit _ _)]; reflexivity. }
        destruct (may k).
        + apply (choices_ok am n k K (high (size p' k) (S l)) (high (size p k) (S l)) b b' (less l k) (Hi (S l))).
          unfold b, b'. rewrite <- !high_step. split; [apply Hi|reflexivity].
        + specialize (Eq eq_refl). unfold b', b, less. rewrite Eq, N.ltb_irrefl. simpl. auto.
      - unfold live. rewrite (run_dead_0 _ _ A), (run_dead_0 _ _ A'). reflexivity.
    Qed.

    Lemma letter_run l c : forall k q r w w', k + c = n -> c <> O -> reached (k, q, r, lesses l k) ->
      let bs := skipn k (map (fun a => N.testbit a (N.of_nat l)) p) in
      let bs' := skipn k (map (fun a => N.testbit a (N.of_nat l)) p') in
      1 <= output d (run d q (bs ++ w)) -> 1 <= output d (run d r (bs' ++ w')) ->
      reached (O, run d q bs, run d r bs', map (less l) (seq 0 n)).
    Proof.
      assert (Sk : forall (s : list N) k, k < length s ->
        skipn k (map (fun a => N.testbit a (N.of_nat l)) s) =
        N.testbit (size s k) (N.of_nat l) :: skipn (S k) (map (fun a => N.testbit a (N.of_nat l)) s)).
      { clear. unfold size. intros s. induction s as [|a s IH]; intros [|k] H; simpl in H; try lia; [reflexivity|].
        simpl map. rewrite skipn_cons, IH by lia. reflexivity. }
      induction c as [|c IH]; intros k q r w w' E C W; [congruence|]. cbv zeta.
      rewrite (Sk p k), (Sk p' k) by lia. intros A A'.
      pose proof (bit_step l k q r _ _ ltac:(lia) W A A') as W1. cbv zeta in W1.
      unfold follow in W1. destruct (Nat.eqb_spec (S k) n) as [En|En].
      - rewrite !(skipn_all2 (n := S k)) by (rewrite map_length; lia).
        rewrite En, lesses_end in W1. exact W1.
      - apply (IH (S k) _ _ w w'); auto; lia.
    Qed.

    Lemma word_run l : forall q r, reached (O, q, r, map (less l) (seq 0 n)) ->
      1 <= output d (run d q (word p l)) -> 1 <= output d (run d r (word p' l)) ->
      reached (O, run d q (word p l), run d r (word p' l), map (less 0) (seq 0 n)).
    Proof.
      induction l as [|l IH]; intros q r W A A'; [exact W|]. simpl word in *.
      rewrite <- lesses_begin in W.
      pose proof (letter_run l n O q r (word p l) (word p' l) eq_refl n_pos W) as X. cbv zeta in X.
      simpl skipn in X. specialize (X A A'). unfold run in *. rewrite fold_left_app in A, A'.
      rewrite !fold_left_app. apply IH; auto.
    Qed.

    Theorem closed_ok : fits p L -> 1 <= result d p L -> 1 <= result d p' L -> p' = p.
    Proof.
      intros F A A'. assert (W : reached (O, first d, first d, map (less L) (seq 0 n))).
      { replace (map (less L) (seq 0 n)) with (repeat false n); [exact reached_start|].
        clear -F lower. generalize O as k. induction n as [|j IH]; intros k; simpl; auto. f_equal; auto.
        symmetry. apply N.ltb_ge. destruct (lower k) as [Le _]. apply within_le in Le. pose proof (fits_nth p L k F).
        fold (size p k) in *. unfold high. rewrite !N.div_small; lia. }
      apply (word_run L _ _ W A) in A' as W'. apply reached_good in W'. unfold good in W'.
      destruct (some id (map (less 0) (seq 0 n))) eqn:S.
      - exfalso. unfold result in *. destruct (output d (run d (first d) (word p L))); [lia|].
        apply Nat.eqb_eq in W'. lia.
      - assert (All : forall i, i < n -> size p' i = size p i).
        { intros i I. destruct (lower i) as [Le _]. apply within_le in Le. apply N.le_antisymm; auto. apply N.le_ngt. intros Lt.
          assert (X : some id (map (less 0) (seq 0 n)) = true).
          { apply some_one. exists true. split; [|reflexivity]. apply in_map_iff. exists i.
            split; [|apply in_seq; lia]. unfold less. rewrite !high_0. now apply N.ltb_lt. }
          congruence. }
        apply (nth_ext p' p 0%N 0%N); [congruence|]. intros i I. apply All. lia.
    Qed.
  End Closed.

  (* ---- not verified: the pairs that occur ---- *)
  Definition pairs : list item :=
    let done := fun st : list item * (PM.t item * list item) => match fst st with [] => true | _ => false end in
    let visit := fun (st : list item * (PM.t item * list item)) (y : item) =>
      let '(todo, (m, found)) := st in
      if live y then match PM.find (key_of y) m with
        | Some _ => st
        | None => (y :: todo, (PM.add (key_of y) y m, y :: found))
        end else st in
    let go := fun st : list item * (PM.t item * list item) =>
      match st with
      | ([], _) => st
      | (x :: todo, rest) => fold_left visit (after_bit x true) (fold_left visit (after_bit x false) (todo, rest))
      end in
    snd (snd (iter2 done 40 go ([start], (PM.add (key_of start) start (PM.empty item), [start])))).
End Independent.
Global Opaque pairs.

Definition independent (n : nat) (d : dfa) (r : rule) : bool :=
  every (fun e => closed n d (amounts e) (heaps e) (empties e) (pairs n d (amounts e) (heaps e) (empties e))) r.
Theorem independent_ok n d r : n <> O -> dead_ok d = true -> independent n d r = true ->
  forall p p' L, length p = n -> fits p L -> move r p p' -> 1 <= result d p L -> ~ 1 <= result d p' L.
Proof.
  intros N0 K H p p' L D F (e & He & Em & (Le & Lo) & Ne) A A'. apply Ne.
  unfold independent in H. rewrite every_all in H. specialize (H e He).
  refine (closed_ok n d (amounts e) (heaps e) (empties e) N0 K _ H p p' L D ltac:(congruence) _ _ F A A').
  - intros i. destruct (Lo i) as [L1 L2]. split; auto. intros M. apply L2. intros I.
    assert (X : may (heaps e) i = true) by (apply some_one; exists i; split; [exact I|apply Nat.eqb_refl]).
    congruence.
  - intros i G. apply some_one in G. destruct G as (j & J & E). apply Nat.eqb_eq in E. subst j. auto.
Qed.
