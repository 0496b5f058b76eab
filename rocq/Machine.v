(* Automata, and machines that they are to do the work of.

   A machine reads the word of a position and then has an output, a number.  [explore] finds the
   states that occur and [minimise] makes an automaton of them: neither is verified.  [tracks] is:
   it compares automaton and machine state by state. *)
Require Import Bool List Arith NArith PArith Lia FMapPositive.
From Nimrule Require Import Digits Sets.
Import ListNotations.

(* the state 1 is dead, and its output is 0; so is that of what a table leaves out *)
Record dfa := { table : PM.t (positive * positive); first : positive; outs : PM.t nat }.
Definition dead : positive := 1.
Definition delta (d : dfa) (q : positive) (b : bool) : positive :=
  match PM.find q (table d) with Some (x, y) => if b then y else x | None => dead end.
Definition output (d : dfa) (q : positive) : nat :=
  match PM.find q (outs d) with Some k => k | None => O end.
Definition run (d : dfa) (q : positive) (w : list bool) : positive := fold_left (delta d) w q.
(* the output at a position that fits in L places *)
Definition result (d : dfa) (p : list N) (L : nat) : nat := output d (run d (first d) (word p L)).
Definition dead_ok (d : dfa) : bool :=
  match PM.find dead (table d), PM.find dead (outs d) with None, None => true | _, _ => false end.

Lemma dead_run d : dead_ok d = true -> forall w, run d dead w = dead.
Proof.
  unfold dead_ok. intros H. induction w as [|b w IH]; [reflexivity|].
  change (run d (delta d dead b) w = dead). unfold delta.
  destruct (PM.find dead (table d)); [discriminate|exact IH].
Qed.
Lemma dead_output d : dead_ok d = true -> output d dead = O.
Proof.
  unfold dead_ok, output. intros H. destruct (PM.find dead (table d)), (PM.find dead (outs d)); auto; discriminate.
Qed.

(* the state that [minimise] gives to all words from which every word leads to the output 1 *)
Definition full (d : dfa) : positive := Pos.succ (2 ^ (Pos.size (first d) - 1)).
Definition full_ok (d : dfa) : bool :=
  match PM.find (full d) (table d) with
  | Some (x, y) => Pos.eqb x (full d) && (Pos.eqb y (full d) && Nat.ltb 0 (output d (full d)))
  | None => false
  end.
Lemma full_run d : full_ok d = true -> forall w, 1 <= output d (run d (full d) w).
Proof.
  unfold full_ok. destruct (PM.find (full d) (table d)) as [[x y]|] eqn:T; [|discriminate]. intros H.
  apply andb_prop in H. destruct H as [H1 H]. apply andb_prop in H. destruct H as [H2 H3].
  apply Pos.eqb_eq in H1, H2. apply Nat.ltb_lt in H3. subst x y.
  induction w as [|b w IH]; [exact H3|].
  change (run d (full d) (b :: w)) with (run d (delta d (full d) b) w). unfold delta. rewrite T. now destruct b.
Qed.

(* keys: a positive number p before a key k *)
Fixpoint pkey (p : positive) (k : positive) : positive :=
  match p with xH => xO k | xO p => xI (xO (pkey p k)) | xI p => xI (xI (pkey p k)) end.

Section Machine.
  Variable n : nat.                                     (* the number of heaps *)
  Context {S : Type}.
  Variable step : nat -> bool -> S -> S.                (* a bit of the heap with that number *)
  Variable out : S -> nat.
  Variable key : S -> positive -> positive.
  Variable eqS : S -> S -> bool.
  Hypothesis eqS_eq : forall x y, eqS x y = true -> x = y.

  Definition follow (lay : nat) : nat := if Nat.eqb (Datatypes.S lay) n then O else Datatypes.S lay.
  Fixpoint mrun (lay : nat) (s : S) (w : list bool) : S :=
    match w with [] => s | b :: w => mrun (follow lay) (step lay b s) w end.
  Fixpoint lays (lay : nat) (w : list bool) : nat :=
    match w with [] => lay | _ :: w => lays (follow lay) w end.

  (* ---- verified: automaton and machine agree ---- *)
  Definition pair : Type := nat * positive * S.
  Definition item_key (x : pair) : positive := let '(l, q, s) := x in pkey (Pos.of_succ_nat l) (key s q).
  Definition item_eq (x y : pair) : bool :=
    let '(l, q, s) := x in let '(m, r, t) := y in Nat.eqb l m && (Pos.eqb q r && eqS s t).
  Lemma item_eq_eq x y : item_eq x y = true -> x = y.
  Proof.
    destruct x as [[l q] s], y as [[m r] t]. simpl. intros H.
    apply andb_prop in H. destruct H as [H1 H]. apply andb_prop in H. destruct H as [H2 H3].
    apply Nat.eqb_eq in H1. apply Pos.eqb_eq in H2. apply eqS_eq in H3. congruence.
  Qed.
  Definition item_step (d : dfa) (x : pair) (b : bool) : pair :=
    let '(l, q, s) := x in (follow l, delta d q b, step l b s).
  Definition item_end (d : dfa) (x : pair) : bool :=
    let '(l, q, s) := x in match l with O => Nat.eqb (output d q) (out s) | _ => true end.

  Definition tracks (d : dfa) (R : list pair) (s0 : S) : bool :=
    let b := build item_key R in
    let ok := fun x => mem item_key item_eq x (fst b) in
    ok (O, first d, s0) &&
    every (fun x => item_end d x && (ok (item_step d x false) && ok (item_step d x true))) (snd b).

  Lemma tracks_run d R s0 : tracks d R s0 = true -> forall w l q s,
    In (l, q, s) (snd (build item_key R)) ->
    In (lays l w, run d q w, mrun l s w) (snd (build item_key R)).
  Proof.
    intros H. unfold tracks in H. apply andb_prop in H. destruct H as [_ H]. rewrite every_all in H.
    induction w as [|b w IH]; intros l q s I; [exact I|].
    specialize (H _ I). apply andb_prop in H. destruct H as [_ H]. apply andb_prop in H.
    apply IH. destruct H as [H0 H1]. apply (mem_build item_key item_eq item_eq_eq) in H0, H1.
    destruct b; assumption.
  Qed.

  Hypothesis n_pos : n <> O.
  Lemma lays_rest k : forall l w, l + k = n -> k <> O -> forall bs, length bs = k -> lays l (bs ++ w) = lays O w.
  Proof.
    induction k as [|k IH]; intros l w E K bs Lb; [congruence|].
    destruct bs as [|b bs]; [discriminate|]. simpl. simpl in Lb. unfold follow at 1.
    destruct (Nat.eqb_spec (Datatypes.S l) n).
    - assert (k = O) by lia. subst k. destruct bs; [reflexivity|discriminate].
    - apply IH; lia.
  Qed.
  Lemma lays_word p : length p = n -> forall L, lays O (word p L) = O.
  Proof.
    intros D. induction L as [|L IH]; [reflexivity|]. simpl word.
    rewrite (lays_rest n O); auto. now rewrite map_length.
  Qed.

  Theorem tracks_ok d R s0 : tracks d R s0 = true -> forall p L, length p = n ->
    result d p L = out (mrun O s0 (word p L)).
  Proof.
    intros H p L D.
    assert (I : In (O, first d, s0) (snd (build item_key R))).
    { apply (mem_build item_key item_eq item_eq_eq). unfold tracks in H. apply andb_prop in H. exact (proj1 H). }
    apply (tracks_run d R s0 H (word p L)) in I. rewrite (lays_word p D) in I.
    unfold tracks in H. apply andb_prop in H. destruct H as [_ H]. rewrite every_all in H.
    specialize (H _ I). apply andb_prop in H. destruct H as [H _]. now apply Nat.eqb_eq in H.
  Qed.

  (* ---- not verified: the states that occur, each with a number and its successors ---- *)
  Definition node : Type := positive * nat * S * positive * positive.
  Definition explore (s0 : S) : list node :=
    let k0 := fun (l : nat) (s : S) => pkey (Pos.of_succ_nat l) (key s 1) in
    let done := fun st : list (positive * nat * S) * (PM.t positive * positive * list node) =>
      match fst st with [] => true | _ => false end in
    let visit := fun (l : nat) (s : S) (todo : list (positive * nat * S)) (m : PM.t positive) (c : positive) =>
      let k := k0 l s in
      match PM.find k m with
      | Some i => (i, todo, m, c)
      | None => (c, (c, l, s) :: todo, PM.add k c m, Pos.succ c)
      end in
    let go := fun st : list (positive * nat * S) * (PM.t positive * positive * list node) =>
      match st with
      | ([], _) => st
      | ((i, l, s) :: todo, (m, c, nodes)) =>
        let l' := follow l in
        let '(i0, todo, m, c) := visit l' (step l false s) todo m c in
        let '(i1, todo, m, c) := visit l' (step l true s) todo m c in
        (todo, (m, c, (i, l, s, i0, i1) :: nodes))
      end in
    let c0 := (2 ^ 20)%positive in
    snd (snd (iter2 done 40 go ([(c0, O, s0)], (PM.add (k0 O s0) c0 (PM.empty positive), Pos.succ c0, [])))).

  (* Classes of nodes: at first those of the outputs; then, place by place, from the last heap to
     the first, those of what the successors are.  The numbers of classes have one length, so that
     some of them make a key; the first is that of the dead state, the second that of [full]. *)
  Definition silent : positive := 2 ^ 16.
  Definition always : positive := Pos.succ silent.      (* whatever follows, the output is 1 *)
  Definition class (m : PM.t positive) (i : positive) : positive :=
    match PM.find i m with Some c => c | None => silent end.
  Definition refine (layers : list (list node)) (m : PM.t positive) : PM.t positive * positive :=
    let signature := fun (l : nat) a a0 a1 => match l with O => papp a (papp a0 a1) | _ => papp a0 a1 end in
    fold_left (fun st (nodes : list node) =>
      let '(_, st) := fold_left (fun st (x : node) =>
        let '(sigs, (m, c)) := st in let '(i, l, _, i0, i1) := x in
        let sig := signature l (class m i) (class m i0) (class m i1) in
        match PM.find sig sigs with
        | Some k => (sigs, (PM.add i k m, c))
        | None => (PM.add sig c sigs, (PM.add i c m, Pos.succ c))
        end) nodes
        (fold_left (fun sigs k => PM.add (signature O k k k) k (PM.add (signature 1 k k k) k sigs))
          [silent; always] (PM.empty positive), st) in
      st) layers (m, Pos.succ always).
  Definition minimise (nodes : list node) : dfa * list pair :=
    let m0 := fold_left (fun m (x : node) => let '(i, l, s, _, _) := x in
      match l with O => PM.add i (silent + Pos.of_succ_nat (out s) - 1)%positive m | _ => m end) nodes (PM.empty positive) in
    let layers := map (fun l => filter (fun x : node => let '(_, k, _, _, _) := x in Nat.eqb k l) nodes) (rev (seq 0 n)) in
    let '(m, c, _) := iter2 (fun st : PM.t positive * positive * bool => snd st) 40
      (fun st : PM.t positive * positive * bool => let '(m, c, _) := st in
        let '(m', c') := refine layers m in (m', c', Pos.eqb c c')) (m0, 1%positive, false) in
    (* numbers of one length, as short as their count allows *)
    let base := (2 ^ Pos.size (c - silent))%positive in
    let m := PM.map (fun q => if Pos.eqb q silent then dead else base + (q - silent))%positive m in
    let class := fun i => match PM.find i m with Some q => q | None => dead end in
    let t := fold_left (fun t (x : node) => let '(i, _, _, i0, i1) := x in
      let a := class i in
      if Pos.eqb a dead then t else PM.add a (class i0, class i1) t) nodes (PM.empty (positive * positive)) in
    let o := fold_left (fun o (x : node) => let '(i, l, s, _, _) := x in
      match l with O => match out s with O => o | k => PM.add (class i) k o end | _ => o end) nodes
      (PM.add (base + 1)%positive 1 (PM.empty nat)) in
    let f := fold_left (fun f (x : node) => let '(i, _, _, _, _) := x in
      if Pos.eqb i (2 ^ 20)%positive then class i else f) nodes dead in
    ({| table := t; first := f; outs := o |},
     map (fun x : node => let '(i, l, s, _, _) := x in (l, class i, s)) nodes).
  (* an automaton for the machine, if it is found and tracks it *)
  Definition automaton (s0 : S) : option dfa :=
    let '(d, R) := minimise (explore s0) in
    if dead_ok d then if tracks d R s0 then Some d else None else None.
  Theorem automaton_ok s0 d : automaton s0 = Some d -> dead_ok d = true /\
    forall p L, length p = n -> result d p L = out (mrun O s0 (word p L)).
  Proof.
    unfold automaton. destruct (minimise (explore s0)) as [d' R]. intros H.
    destruct (dead_ok d') eqn:K; [|discriminate]. destruct (tracks d' R s0) eqn:T; [|discriminate].
    inversion H; subst. split; auto. exact (tracks_ok d R s0 T).
  Qed.
End Machine.
(* conversion must not unfold a search: it would try all of its 2^40 steps *)
Global Opaque explore minimise.

(* ---- two automata at once, and a function of their outputs ---- *)
Definition none : dfa := {| table := PM.empty _; first := dead; outs := PM.empty _ |}.
Lemma none_result p L : result none p L = O.
Proof. unfold result, output. simpl. now rewrite PM.gempty. Qed.

Section Both.
  Variable n : nat.
  Hypothesis n_pos : n <> O.
  Variable op : nat -> nat -> nat.
  Variables u d : dfa.
  Definition pair_key (x : positive * positive) (k : positive) : positive := pkey (fst x) (pkey (snd x) k).
  Definition pair_eq (x y : positive * positive) : bool := Pos.eqb (fst x) (fst y) && Pos.eqb (snd x) (snd y).
  Lemma pair_eq_eq x y : pair_eq x y = true -> x = y.
  Proof.
    destruct x, y. unfold pair_eq. simpl. intros H. apply andb_prop in H. destruct H as [H1 H2].
    apply Pos.eqb_eq in H1, H2. congruence.
  Qed.
  Definition both_step (_ : nat) (b : bool) (x : positive * positive) : positive * positive :=
    (delta u (fst x) b, delta d (snd x) b).
  Definition both_out (x : positive * positive) : nat := op (output u (fst x)) (output d (snd x)).
  Lemma both_run v : forall l x, mrun n both_step l x v = (run u (fst x) v, run d (snd x) v).
  Proof. induction v as [|b v IH]; intros l [x y]; [reflexivity|]. simpl. rewrite IH. reflexivity. Qed.
  Definition both : option dfa := automaton n both_step both_out pair_key pair_eq (first u, first d).
  Theorem both_ok e : both = Some e -> dead_ok e = true /\
    forall p L, length p = n -> result e p L = op (result u p L) (result d p L).
  Proof.
    intros H. unfold both in H. apply (automaton_ok n _ _ _ _ pair_eq_eq n_pos) in H.
    destruct H as [K H]. split; [exact K|]. intros p L D. rewrite (H p L D), both_run. reflexivity.
  Qed.
End Both.
