(* The whole test, [proves], and what it proves: a claim describes the P-positions of a rule. *)
Require Import Bool List Arith NArith ZArith PArith Lia FMapPositive.
From Nimrule Require Import Game Digits Hyper Sets Machine Formula Claim Atoms Lower Kernel Independent.
Import ListNotations.

(* ---- lowering several heaps is lowering one after the other ---- *)
Fixpoint lower_all (m : amount) (e : list nat) (p' p : list N) : Prop :=
  match e with [] => p' = p | i :: e => exists p1, low m i p1 p /\ lower_all m e p' p1 end.

Lemma within_refl m x : within m x x.
Proof. destruct m; simpl; lia. Qed.
Lemma low_lowers m i p1 p : low m i p1 p -> i < length p -> lowers m [i] p1 p.
Proof.
  intros (x & -> & X) I. split; [apply set_at_len|]. intros j. unfold size in *. rewrite set_nth by exact I.
  destruct (Nat.eqb_spec j i) as [->|Ne]; split; auto using within_refl. intros H. exfalso. apply H. simpl. auto.
Qed.
Lemma lowers_ext p q : length p = length q -> (forall i, size p i = size q i) -> p = q.
Proof. intros L H. apply (nth_ext p q 0%N 0%N L). intros i _. apply H. Qed.
Lemma lower_all_lowers m e : forall p' p, NoDup e -> (forall i, In i e -> i < length p) ->
  lower_all m e p' p -> lowers m e p' p.
Proof.
  induction e as [|i e IH]; intros p' p Nd I; simpl.
  - intros ->. split; auto using within_refl.
  - inversion Nd as [|? ? Ni Nd']; subst. assert (Ii : i < length p) by (apply I; simpl; auto).
    intros (p1 & Lo & A). apply low_lowers in Lo; [|exact Ii]. destruct Lo as [L1 H1].
    apply IH in A; [|exact Nd'|rewrite L1; intros; apply I; simpl; auto]. destruct A as [L2 H2].
    split; [congruence|]. intros j. destruct (H1 j) as [A1 B1], (H2 j) as [A2 B2]. split.
    + destruct (Nat.eq_dec j i) as [->|Ne]; [rewrite (B2 Ni); exact A1|].
      rewrite B1 in A2; [exact A2|]. intros [|[]]. congruence.
    + simpl in B1 |- *. intros Hn. rewrite B2, B1; tauto.
Qed.
Lemma lower_all_fits m e : forall p' p L, (forall i, In i e -> i < length p) -> fits p L -> lower_all m e p' p ->
  fits p' L /\ length p' = length p.
Proof.
  induction e as [|i e IH]; intros p' p L I F; simpl; [intros ->; auto|]. intros (p1 & (x & -> & X) & A).
  apply (IH p' _ L) in A.
  - rewrite set_at_len in A. exact A.
  - intros j Hj. rewrite set_at_len. apply I. simpl. auto.
  - apply set_fits; auto. pose proof (fits_nth p L i F). apply within_le in X. unfold size in X. lia.
Qed.
(* no heap occurs twice *)
Fixpoint different (e : list nat) : bool :=
  match e with [] => true | i :: e => if some (Nat.eqb i) e then false else different e end.
Lemma different_ok e : different e = true -> NoDup e.
Proof.
  induction e as [|i e IH]; simpl; intros H; constructor; destruct (some (Nat.eqb i) e) eqn:S; try discriminate; auto.
  intros I. assert (X : some (Nat.eqb i) e = true); [|congruence].
  apply some_one. exists i. split; [exact I|apply Nat.eqb_refl].
Qed.

(* ---- the positions from which lowering heaps of one set leads into a set of positions ---- *)
Section Rule.
  Variable n : nat.
  Hypothesis n_pos : n <> O.

  Fixpoint lowered (m : amount) (w : dfa) (e : list nat) : option dfa :=
    match e with
    | [] => if dead_ok w then Some w else None
    | i :: e => match lowered m w e with
        | Some d => if Nat.ltb i n then low_automaton m n d i else None
        | None => None
        end
    end.
  Lemma lowered_ok m w e : forall d, lowered m w e = Some d ->
    dead_ok d = true /\ (forall i, In i e -> i < n) /\ forall p L, length p = n -> fits p L ->
    1 <= result d p L -> exists p', lower_all m e p' p /\ 1 <= result w p' L.
  Proof.
    induction e as [|i e IH]; intros d H; cbn [lowered] in H.
    - destruct (dead_ok w) eqn:K; [|discriminate]. inversion H; subst. split; [exact K|].
      split; [intros i []|]. intros p L D F R. exists p. simpl. auto.
    - destruct (lowered m w e) as [d1|]; [|discriminate]. destruct (Nat.ltb_spec i n) as [Ii|]; [|discriminate].
      destruct (IH d1 eq_refl) as (K1 & I1 & IH1). clear IH. unfold low_automaton in H.
      apply (automaton_ok n (low_step m d1 i (top_of d1)) (low_out d1) set_key set_eq set_eq_eq n_pos) in H.
      destruct H as [K H]. split; [exact K|]. split; [intros j [<-|J]; auto|]. intros p L D F R.
      rewrite (H p L D) in R.
      destruct (low_ok m n d1 i (top_of d1) n_pos Ii K1 (top_of_ok d1) p L D F R) as (p1 & Lo & R1).
      assert (B : length p1 = n /\ fits p1 L).
      { destruct Lo as (x & -> & X). rewrite set_at_len. split; auto. apply set_fits; auto.
        pose proof (fits_nth p L i F). apply within_le in X. unfold size in X. lia. }
      destruct (IH1 p1 L (proj1 B) (proj2 B) R1) as (p' & Al & R'). exists p'. split; [exists p1; auto|exact R'].
  Qed.

  (* The order in which the heaps are lowered matters: the last one first leaves the smallest
     automaton.  Nothing is proved of the choice but that it has heaps of the set only. *)
  Fixpoint splits (before e : list nat) : list (nat * list nat) :=
    match e with [] => [] | i :: e => (i, before ++ e) :: splits (before ++ [i]) e end.
  Definition arranged (m : amount) (w : dfa) (e : list nat) : list nat :=
    match e with
    | [] | [_] => e
    | _ => snd (fold_left (fun (best : option nat * list nat) (split : nat * list nat) =>
        let '(i, rest) := split in
        match lowered m w rest with
        | Some d => let states := PM.cardinal (table d) in
            if match fst best with Some least => Nat.ltb states least | None => true end
            then (Some states, i :: rest) else best
        | None => best
        end) (splits [] e) (None, e))
    end.

  (* some heaps are empty *)
  Definition emptied (z : list nat) : form := fold_right (fun i f => FAnd (FA (Zero (unit i) 0)) f) (FA (Zero [] 0)) z.
  Lemma emptied_ok z : fwell (emptied z) = true /\ forall p, fsem p (emptied z) -> forall i, In i z -> size p i = 0%N.
  Proof.
    induction z as [|j z [W S]]; simpl; [split; auto; intros p _ i []|]. split; [exact W|].
    intros p [E H] i [<-|I]; [|now apply (S p H)].
    rewrite dot_unit, heap_nth, Z.add_0_r in E. unfold size. lia.
  Qed.
  Definition guarded (z : list nat) (d : dfa) : option dfa :=
    match z with
    | [] => Some d
    | _ => match form_automaton n (emptied z) with Some u => both n Nat.min u d | None => None end
    end.
  Lemma guarded_ok z d d' : dead_ok d = true -> guarded z d = Some d' -> dead_ok d' = true /\
    forall p L, length p = n -> fits p L -> 1 <= result d' p L ->
    1 <= result d p L /\ forall i, In i z -> size p i = 0%N.
  Proof.
    intros K H. destruct z as [|j z]; [inversion H; subst; split; auto; simpl; intuition|].
    unfold guarded in H. destruct (form_automaton n (emptied (j :: z))) as [u|] eqn:A; [|discriminate].
    destruct (emptied_ok (j :: z)) as [W S]. destruct (form_automaton_ok n _ n_pos W u A) as [_ R].
    apply (both_ok n n_pos) in H. destruct H as [K' H]. split; [exact K'|]. intros p L D F G.
    rewrite (H p L D) in G. destruct (R p L D F) as [R1 R2]. split; [lia|]. apply S, R2. lia.
  Qed.

  (* of each of some sets of heaps and each of some sets of positions *)
  Fixpoint all_lowered (pairs : list (part * dfa)) : option (list dfa) :=
    match pairs with
    | [] => Some []
    | (e, w) :: pairs =>
      let order := arranged (amounts e) w (heaps e) in
      if different order && every (fun i => some (Nat.eqb i) (heaps e)) order then
        match lowered (amounts e) w order with
        | Some d => match guarded (empties e) d, all_lowered pairs with
            | Some d, Some ds => Some (d :: ds) | _, _ => None end
        | None => None
        end
      else None
    end.
  Lemma all_lowered_ok pairs : forall ds, all_lowered pairs = Some ds -> forall d, In d ds ->
    exists e w, In (e, w) pairs /\ forall p L, length p = n -> fits p L -> 1 <= result d p L ->
    (forall i, In i (empties e) -> size p i = 0%N) /\
    exists p', lowers (amounts e) (heaps e) p' p /\ 1 <= result w p' L.
  Proof.
    induction pairs as [|[e w] pairs IH]; intros ds H d I; cbn [all_lowered] in H.
    - inversion H; subst. contradiction.
    - set (order := arranged (amounts e) w (heaps e)) in H. destruct (different order) eqn:Nd; [|discriminate].
      apply different_ok in Nd. destruct (every _ order) eqn:Sub; [|discriminate].
      destruct (lowered (amounts e) w order) as [d0|] eqn:E; [|discriminate].
      destruct (guarded (empties e) d0) as [d1|] eqn:Gu; [|discriminate].
      destruct (all_lowered pairs) as [ds1|]; [|discriminate]. inversion H; subst.
      destruct I as [<-|I].
      + destruct (lowered_ok (amounts e) w order d0 E) as (K0 & I1 & R). exists e, w. split; [simpl; auto|].
        intros p L D F A. destruct (guarded_ok (empties e) d0 d1 K0 Gu) as [_ G].
        destruct (G p L D F A) as [A0 Em]. split; [exact Em|].
        destruct (R p L D F A0) as (p' & Al & A'). exists p'. split; [|exact A'].
        apply lower_all_lowers in Al; [|exact Nd|rewrite D; exact I1]. destruct Al as [Le Lo]. split; [exact Le|].
        intros i. destruct (Lo i) as [L1 L2]. split; [exact L1|]. intros Ne. apply L2. intros J. apply Ne.
        rewrite every_all in Sub. specialize (Sub i J). apply some_one in Sub. destruct Sub as (j & Hj & Ej).
        apply Nat.eqb_eq in Ej. now subst j.
      + destruct (IH ds1 eq_refl d I) as (e' & w' & I' & R). exists e', w'. split; [simpl; auto|exact R].
  Qed.

  (* ---- every position is accepted by one of some automata, or is the zero position, if z0 is false ---- *)
  Variable ds : list (dfa * option positive).
  Hypothesis tops : forall d q, In (d, Some q) ds -> forall w, 1 <= output d (run d q w).

  (* the states, none if every word that follows is accepted; and whether a bit was not 0 *)
  Definition tuple : Type := option (list positive * bool).
  Fixpoint advance (ds : list (dfa * option positive)) (qs : list positive) (b : bool) : option (list positive) :=
    match ds, qs with
    | (d, top) :: ds, q :: qs =>
      let q' := delta d q b in
      if match top with Some t => Pos.eqb t q' | None => false end then None
      else match advance ds qs b with Some qs => Some (q' :: qs) | None => None end
    | _, _ => Some []
    end.
  Definition tuple_step (_ : nat) (b : bool) (x : tuple) : tuple :=
    match x with
    | None => None
    | Some (qs, z) => match advance ds qs b with Some qs => Some (qs, if z then true else b) | None => None end
    end.
  Fixpoint some_accepts (ds : list (dfa * option positive)) (qs : list positive) : bool :=
    match ds, qs with
    | (d, _) :: ds, q :: qs => if Nat.ltb 0 (output d q) then true else some_accepts ds qs
    | _, _ => false
    end.
  Definition tuple_out (x : tuple) : nat :=
    match x with
    | None => 1
    | Some (qs, z) => if some_accepts ds qs then 1 else if z then O else 1
    end.
  Fixpoint states_key (qs : list positive) (k : positive) : positive :=
    match qs with
    | [] => k
    | q :: qs => if Pos.eqb q dead then xO (states_key qs k) else xI (papp q (states_key qs k))
    end.
  Definition tuple_key (x : tuple) (k : positive) : positive :=
    match x with None => xO k | Some (qs, z) => xI (states_key qs (if z then xI k else xO k)) end.
  Definition tuple_eq (x y : tuple) : bool :=
    match x, y with
    | None, None => true
    | Some (qs, z), Some (qs', z') => Bool.eqb z z' && set_eq qs qs'
    | _, _ => false
    end.
  Lemma tuple_eq_eq x y : tuple_eq x y = true -> x = y.
  Proof.
    destruct x as [[qs z]|], y as [[qs' z']|]; simpl; intros H; try discriminate; auto.
    apply andb_prop in H. destruct H as [H1 H2]. apply eqb_prop in H1. apply set_eq_eq in H2. congruence.
  Qed.

  (* some automaton accepts from its state the word that is left *)
  Definition covers_word (ds : list (dfa * option positive)) (qs : list positive) (v : list bool) : Prop :=
    exists d t q, In ((d, t), q) (combine ds qs) /\ 1 <= output d (run d q v).
  Lemma advance_ok b v : forall es qs, incl es ds ->
    match advance es qs b with
    | None => covers_word es qs (b :: v)
    | Some qs' => covers_word es qs' v -> covers_word es qs (b :: v)
    end.
  Proof.
    induction es as [|[d t] es IH]; intros qs I; [destruct qs; intros (? & ? & ? & [] & _)|].
    destruct qs as [|q qs]; [intros (? & ? & ? & [] & _)|]. cbn [advance].
    assert (More : covers_word es qs (b :: v) -> covers_word ((d, t) :: es) (q :: qs) (b :: v)).
    { intros (d' & t' & q' & H & A). exists d', t', q'. split; [simpl; auto|exact A]. }
    specialize (IH qs (fun x Hx => I x (or_intror Hx))).
    destruct (match t with Some t0 => Pos.eqb t0 (delta d q b) | None => false end) eqn:T.
    - destruct t as [t|]; [|discriminate]. apply Pos.eqb_eq in T. subst t.
      exists d, (Some (delta d q b)), q. split; [simpl; auto|].
      apply (tops d (delta d q b) (I _ (or_introl eq_refl)) v).
    - destruct (advance es qs b) as [qs'|]; [|auto]. intros (d' & t' & q' & [H|H] & A).
      + inversion H; subst. exists d', t', q. split; [simpl; auto|exact A].
      + apply More, IH. exists d', t', q'. auto.
  Qed.
  Lemma tuple_run v : forall l qs z,
    match mrun n tuple_step l (Some (qs, z)) v with
    | None => covers_word ds qs v
    | Some (qs', z') => z' = z || existsb id v /\ (covers_word ds qs' [] -> covers_word ds qs v)
    end.
  Proof.
    induction v as [|b v IH]; intros l qs z; cbn [mrun existsb].
    - split; [destruct z; reflexivity|auto].
    - cbn [tuple_step]. pose proof (advance_ok b v ds qs (incl_refl _)) as A.
      destruct (advance ds qs b) as [qs1|].
      + specialize (IH (follow n l) qs1 (if z then true else b)).
        destruct (mrun n tuple_step (follow n l) (Some (qs1, if z then true else b)) v) as [[qs' z']|]; [|auto].
        destruct IH as [-> C]. split; [destruct z, b; reflexivity|auto].
      + assert (N : forall w l, mrun n tuple_step l None w = None) by (induction w; simpl; auto).
        rewrite N. exact A.
  Qed.
  Definition covered (z0 : bool) : bool :=
    let s0 := Some (map (fun d : dfa * option positive => first (fst d)) ds, z0) in
    tracks n tuple_step (fun x => 1 - tuple_out x) tuple_key tuple_eq none
      (map (fun x : node => let '(_, l, s, _, _) := x in (l, dead, s)) (explore n tuple_step tuple_key s0)) s0.
  Lemma covered_ok z0 : covered z0 = true -> forall p L, length p = n ->
    (exists d t, In (d, t) ds /\ 1 <= result d p L) \/ (z0 = false /\ existsb id (word p L) = false).
  Proof.
    intros H p L D. unfold covered in H.
    apply (tracks_ok n _ _ _ _ tuple_eq_eq n_pos) with (p := p) (L := L) in H; [|exact D].
    rewrite none_result in H. set (qs := map (fun d : dfa * option positive => first (fst d)) ds) in *.
    assert (C : covers_word ds qs (word p L) -> exists d t, In (d, t) ds /\ 1 <= result d p L).
    { intros (d & t & q & I & A). exists d, t. split; [exact (in_combine_l _ _ _ _ I)|].
      unfold result. replace (first d) with q; [exact A|]. subst qs. clear -I.
      induction ds as [|x es IH]; simpl in I; [contradiction|]. destruct I as [I|I]; auto. inversion I; auto. }
    pose proof (tuple_run (word p L) O qs z0) as R.
    destruct (mrun n tuple_step O (Some (qs, z0)) (word p L)) as [[qs' z']|]; [|left; auto].
    destruct R as [-> R]. cbn [tuple_out] in H. destruct (some_accepts ds qs') eqn:S.
    - left. apply C, R. clear -S. revert qs' S. induction ds as [|[d t] es IH]; intros [|q qs] S; try discriminate S.
      simpl in S. destruct (Nat.ltb_spec 0 (output d q)) as [A|A].
      + exists d, t, q. split; [simpl; auto|exact A].
      + destruct (IH qs S) as (d' & t' & q' & I & A'). exists d', t', q'. split; [simpl; auto|exact A'].
    - right. destruct z0; [discriminate H|]. destruct (existsb id (word p L)); [discriminate H|auto].
  Qed.
End Rule.

(* ---- the zero position is not in the set ---- *)
Section Zero.
  Variable n : nat.
  Hypothesis n_pos : n <> O.
  Variable w : dfa.
  Definition zero_step (_ : nat) (b : bool) (x : option positive) : option positive :=
    match x with Some q => if b then None else Some (delta w q false) | None => None end.
  Definition zero_out (x : option positive) : nat := match x with Some q => output w q | None => O end.
  Definition zero_key (x : option positive) (k : positive) : positive :=
    match x with Some q => xI (pkey q k) | None => xO k end.
  Definition zero_eq (x y : option positive) : bool :=
    match x, y with Some q, Some r => Pos.eqb q r | None, None => true | _, _ => false end.
  Lemma zero_eq_eq x y : zero_eq x y = true -> x = y.
  Proof. destruct x, y; simpl; intros H; try discriminate; auto. apply Pos.eqb_eq in H. congruence. Qed.
  Definition not_zero : bool :=
    let s0 := Some (first w) in
    tracks n zero_step zero_out zero_key zero_eq none
      (map (fun x : node => let '(_, l, s, _, _) := x in (l, dead, s)) (explore n zero_step zero_key s0)) s0.
  Lemma zero_run v : forall l q, existsb id v = false -> mrun n zero_step l (Some q) v = Some (run w q v).
  Proof.
    induction v as [|b v IH]; intros l q H; [reflexivity|]. simpl in H. destruct b; [discriminate|].
    simpl. now rewrite IH.
  Qed.
  Lemma not_zero_ok : not_zero = true -> forall p L, length p = n -> existsb id (word p L) = false ->
    result w p L = O.
  Proof.
    intros H p L D Z. unfold not_zero in H.
    apply (tracks_ok n _ _ _ _ zero_eq_eq n_pos) with (p := p) (L := L) in H; [|exact D].
    rewrite none_result, zero_run in H by exact Z. now rewrite H.
  Qed.
End Zero.

(* ---- parts of the set whose union it is: where sets have many heaps, it is faster to lower the
   heaps for each part ---- *)
Fixpoint disjuncts (f : form) : list form :=
  match f with
  | FOr f g => disjuncts f ++ disjuncts g
  | FAnd f g => map (FAnd f) (disjuncts g)
  | _ => [f]
  end.
Lemma disjuncts_ok p f : forall g, In g (disjuncts f) -> (fwell f = true -> fwell g = true) /\ (fsem p g -> fsem p f).
Proof.
  induction f; intros g H; cbn [disjuncts] in H.
  - destruct H as [<-|[]]. auto.
  - apply in_map_iff in H. destruct H as (h & <- & H). destruct (IHf2 h H) as [W S]. simpl. split; [|tauto].
    intros X. apply andb_prop in X. destruct X as [-> X]. auto.
  - apply in_app_iff in H. simpl. destruct H as [H|H]; [destruct (IHf1 g H) as [W S]|destruct (IHf2 g H) as [W S]];
      (split; [|tauto]); intros X; apply andb_prop in X; destruct X; auto.
  - destruct H as [<-|[]]. auto.
Qed.
(* those that are not in the union of the ones before *)
Fixpoint distinct (n : nat) (fs : list form) (before : dfa) : list dfa :=
  match fs with
  | [] => []
  | f :: fs => match form_automaton n f with
      | None => distinct n fs before
      | Some d => match both n (fun x y => x - y) d before, both n Nat.max d before with
          | Some rest, Some all => if Pos.eqb (first rest) dead then distinct n fs before else d :: distinct n fs all
          | _, _ => distinct n fs before
          end
      end
  end.
Lemma distinct_in n fs : forall before d, In d (distinct n fs before) -> exists f, In f fs /\ form_automaton n f = Some d.
Proof.
  induction fs as [|f fs IH]; intros before d H; cbn [distinct] in H; [contradiction|].
  assert (G : forall b, In d (distinct n fs b) -> exists g, In g (f :: fs) /\ form_automaton n g = Some d)
    by (intros b I; destruct (IH b d I) as (g & Hg & E); exists g; simpl; auto).
  destruct (form_automaton n f) as [d1|] eqn:A; [|eauto].
  destruct (both n _ d1 before) as [rest|]; [|eauto]. destruct (both n _ d1 before) as [all|]; [|eauto].
  destruct (Pos.eqb _ _); [eauto|]. destruct H as [<-|H]; [exists f; simpl; auto|eauto].
Qed.
Definition targets (n : nat) (r : rule) (f : form) (w : dfa) : list dfa :=
  if Nat.ltb (PM.cardinal (table w)) 150 || every (fun e => Nat.ltb (length (heaps e)) 4) r then [w]
  else distinct n (disjuncts f) none.

(* ---- the test ---- *)
(* every heap is in some set that may be lowered at all times *)
Definition covers (n : nat) (r : rule) : bool :=
  every (fun i => some (fun e => match empties e with [] => some (Nat.eqb i) (heaps e) | _ => false end) r) (seq 0 n).
Definition absorbing (n : nat) (misere : bool) (r : rule) (w : dfa) (ts : list dfa) : bool :=
  match all_lowered n (list_prod r ts) with
  | None => false
  | Some ds => covered n (map (fun d => (d, top_of d)) (w :: ds)) (negb misere)
  end.
Definition proves (n : nat) (misere : bool) (r : rule) (c : claim) : bool :=
  if Nat.eqb n 0 then false else
  match translate c with
  | None => false
  | Some f => if fwell f then
      match form_automaton n f with
      | None => false
      | Some w =>
        if if misere then covers n r && not_zero n w else true then
          if independent n w r then absorbing n misere r w (targets n r f w) else false
        else false
      end
    else false
  end.
(* of the Grundy values: the last variable of the claim is the value, and no set has it *)
Definition with_heap (n : nat) (r : rule) : rule := r ++ any_amount [[n]].
Definition proves_values (n : nat) (r : rule) (c : claim) : bool :=
  every (fun e => every (fun i => Nat.ltb i n) (heaps e ++ empties e)) r && proves (S n) false (with_heap n r) c.

Lemma fits_lower p p' L : length p' = length p -> (forall i, size p' i <= size p i)%N -> fits p L -> fits p' L.
Proof.
  intros D Le F. apply Forall_forall. intros a A. apply (In_nth _ _ 0%N) in A. destruct A as (i & I & <-).
  pose proof (fits_nth p L i F). specialize (Le i). unfold size in Le. lia.
Qed.
Lemma some_bit p L : existsb id (word p L) = true -> exists i, size p i <> 0%N.
Proof.
  induction L as [|L IH]; simpl; [discriminate|]. rewrite existsb_app. intros H. apply orb_true_iff in H.
  destruct H as [H|H]; [|auto]. apply existsb_exists in H. destruct H as (b & Hb & B). unfold id in B. subst b.
  apply in_map_iff in Hb. destruct Hb as (a & Ha & I). apply (In_nth _ _ 0%N) in I. destruct I as (i & _ & E).
  exists i. unfold size. rewrite E. intros Z. subst a. rewrite Z, N.bits_0 in Ha. discriminate.
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
  Variable r : rule.
  Variable c : claim.
  Hypothesis ok : proves n misere r c = true.

  Lemma conditions :
    (misere = true -> covers n r = true) /\
    (forall p, holds p c \/ ~ holds p c) /\
    (forall p p', length p = n -> holds p c -> move r p p' -> ~ holds p' c) /\
    (forall p, length p = n -> ~ holds p c ->
      (exists p', move r p p' /\ holds p' c) \/ (misere = true /\ forall i, size p i = 0%N)) /\
    (misere = true -> forall p, length p = n -> holds p c -> exists i, size p i <> 0%N).
  Proof.
    pose proof ok as H. unfold proves in H. destruct (Nat.eqb_spec n 0) as [|N0]; [discriminate|].
    destruct (translate c) as [f|] eqn:T; [|discriminate]. destruct (fwell f) eqn:W; [|discriminate].
    destruct (form_automaton n f) as [w|] eqn:A; [|discriminate].
    destruct (form_automaton_ok n f N0 W w A) as [K R].
    assert (Sem : forall p, fsem p f <-> holds p c) by (intros p; exact (translate_ok p c f T W)).
    assert (Hw : forall p L, length p = n -> fits p L -> (1 <= result w p L <-> holds p c)).
    { intros p L D F. destruct (R p L D F) as [R1 R2]. rewrite <- Sem, <- R2. lia. }
    destruct (if misere then covers n r && not_zero n w else true) eqn:C; [|discriminate].
    destruct (independent n w r) eqn:Ind; [|discriminate].
    unfold absorbing in H. destruct (all_lowered n _) as [ds|] eqn:All; [|discriminate].
    assert (Fit : forall p p', move r p p' -> length p' = length p /\ fits p' (bound p)).
    { intros p p' (e & He & _ & (Le & Lo) & _). split; [exact Le|].
      apply (fits_lower p); [exact Le|intros i; apply (within_le (amounts e)), Lo|apply fits_bound]. }
    split; [intros M; rewrite M in C; apply andb_prop in C; exact (proj1 C)|]. split; [|split; [|split]].
    - intros p. rewrite <- Sem. now apply fsem_dec.
    - intros p p' D Hp M Hp'. destruct (Fit p p' M) as [D' F'].
      apply (Hw p _ D (fits_bound p)) in Hp. apply (Hw p' _ ltac:(congruence) F') in Hp'.
      exact (independent_ok n w r N0 K Ind p p' _ D (fits_bound p) M Hp Hp').
    - intros p D Hp.
      assert (Tops : forall d q, In (d, Some q) (map (fun d => (d, top_of d)) (w :: ds)) ->
        forall v, 1 <= output d (run d q v)).
      { intros d q I v. apply in_map_iff in I. destruct I as (d' & E & _). inversion E; subst.
        now apply top_of_ok. }
      destruct (covered_ok n N0 _ Tops _ H p (bound p) D) as [(d & top & I & A1)|[M Z]].
      + left. apply in_map_iff in I. destruct I as (d' & E & I). inversion E; subst d'.
        destruct I as [<-|I]; [exfalso; apply Hp; exact (proj1 (Hw p _ D (fits_bound p)) A1)|].
        destruct (all_lowered_ok n N0 _ _ All d I) as (e & t & I' & Lo).
        apply in_prod_iff in I'. destruct I' as [He Ht].
        destruct (Lo p _ D (fits_bound p) A1) as (Em & p' & Al & A2).
        assert (F' : fits p' (bound p)) by (apply (fits_lower p); [apply Al|intros i; apply (within_le (amounts e)), Al|apply fits_bound]).
        assert (D' : length p' = n) by (destruct Al; congruence).
        assert (Hp' : holds p' c).
        { unfold targets in Ht. match type of Ht with In _ (if ?few then _ else _) => destruct few end.
          - destruct Ht as [<-|[]]. now apply (Hw p' _ D' F').
          - apply distinct_in in Ht. destruct Ht as (g & Ig & Eg).
            destruct (disjuncts_ok p' f g Ig) as [Wg Sg]. apply Sem, Sg.
            destruct (form_automaton_ok n g N0 (Wg W) t Eg) as [_ Rg].
            destruct (Rg p' _ D' F') as [R1 R2]. apply R2. lia. }
        exists p'. split; [|exact Hp']. exists e. split; [exact He|]. split; [exact Em|]. split; [exact Al|]. intros ->. contradiction.
      + right. destruct misere; [|discriminate]. split; auto. apply (zero_word (bound p)); auto.
        intros i. apply N.div_small. apply (fits_nth p (bound p) i (fits_bound p)).
    - intros M p D Hp. rewrite M in C. apply andb_prop in C. destruct C as [_ C].
      apply (some_bit p (bound p)). destruct (existsb id (word p (bound p))) eqn:Z; auto. exfalso.
      apply (Hw p _ D (fits_bound p)) in Hp. rewrite (not_zero_ok n N0 w C p _ D Z) in Hp. lia.
  Qed.

  Lemma some_move : covers n r = true -> forall p i, length p = n -> size p i <> 0%N -> exists p', move r p p'.
  Proof.
    intros C p i D Ne. assert (I : i < n).
    { destruct (Nat.lt_ge_cases i n); auto. unfold size in Ne. rewrite nth_overflow in Ne by lia. congruence. }
    unfold covers in C. rewrite every_all in C. specialize (C i ltac:(apply in_seq; lia)).
    apply some_one in C. destruct C as (e & He & C). destruct (empties e) as [|z zs] eqn:Em; [|discriminate].
    apply some_one in C. destruct C as (j & Hj & Ej). apply Nat.eqb_eq in Ej. subst j.
    exists (set_at i (N.pred (size p i)) p), e. split; [exact He|]. split; [rewrite Em; contradiction|]. split.
    - split; [apply set_at_len|]. intros j. unfold size. rewrite set_nth by lia.
      fold (size p i) (size p j). destruct (Nat.eqb_spec j i) as [->|]; split; auto using within_refl; [|tauto].
      destruct (amounts e); simpl; lia.
    - intros E. apply Ne. apply (f_equal (fun q => size q i)) in E. unfold size in *.
      rewrite set_nth, Nat.eqb_refl in E by lia. lia.
  Qed.

  Theorem normal_play : misere = false -> forall p, length p = n -> (P r p <-> holds p c).
  Proof.
    intros M. destruct conditions as (_ & Dec & Ind & Abs & _).
    intros p D. symmetry. apply (partition (list N) (dom n) (move r) (dom_move n r) (ends r)
      (fun p => holds p c) (fun p _ => Dec p) Ind); [|exact D].
    intros q Dq Hq. destruct (Abs q Dq Hq) as [X|[X _]]; [exact X|congruence].
  Qed.

  Theorem misere_play : misere = true -> forall p, length p = n -> (MisereP r p <-> holds p c).
  Proof.
    intros M. destruct conditions as (Cov & Dec & Ind & Abs & Mov).
    intros p D. symmetry. apply (partition_misere (list N) (dom n) (move r) (dom_move n r) (ends r)
      (fun p => holds p c) (fun p _ => Dec p) Ind); [| |exact D].
    - intros q Dq Hq. destruct (Mov M q Dq Hq) as (i & Hi). exact (some_move (Cov M) q i Dq Hi).
    - intros q Dq Hq. destruct (Abs q Dq Hq) as [X|[_ X]]; [right; exact X|].
      left. intros q' (e & _ & _ & (Le & Lo) & Ne). apply Ne. apply lowers_ext; auto.
      intros i. destruct (Lo i) as [A _]. apply within_le in A. rewrite X in *. lia.
  Qed.
End Sound.

(* ---- Grundy values, by the sum with a Nim heap: one heap and one set more ---- *)
Section Values.
  Variable n : nat.
  Variable r : rule.
  Variable c : claim.
  Hypothesis ok : proves_values n r c = true.

  Lemma size_app p g i : length p = n -> size (p ++ [g]) i = if Nat.eqb i n then g else size p i.
  Proof.
    intros D. unfold size. destruct (Nat.eqb_spec i n) as [->|Ne].
    - rewrite app_nth2, D, Nat.sub_diag by lia. reflexivity.
    - destruct (Nat.lt_ge_cases i n) as [Lt|Ge]; [now rewrite app_nth1 by lia|].
      rewrite !nth_overflow; auto; rewrite ?app_length; simpl; lia.
  Qed.
  Lemma app_move p p' g : length p = n -> move r p p' -> move (with_heap n r) (p ++ [g]) (p' ++ [g]).
  Proof.
    intros D (e & He & Em & (Le & Lo) & Ne). pose proof ok as H. unfold proves_values in H.
    apply andb_prop in H. destruct H as [H _]. rewrite every_all in H. specialize (H e He).
    rewrite every_all in H. exists e. split; [apply in_or_app; auto|].
    split.
    { intros i I. rewrite size_app by exact D. specialize (H i (in_or_app _ _ i (or_intror I))).
      apply Nat.ltb_lt in H. destruct (Nat.eqb_spec i n); [lia|auto]. }
    split; [|intros E; apply Ne; now apply app_inv_tail in E].
    split; [rewrite !app_length; lia|]. intros i. rewrite !size_app by congruence.
    destruct (Nat.eqb i n); [split; auto using within_refl|apply Lo].
  Qed.
  Lemma app_heap p g k : length p = n -> (k < g)%N -> move (with_heap n r) (p ++ [g]) (p ++ [k]).
  Proof.
    intros D Lt. exists {| amounts := Any; heaps := [n]; empties := [] |}.
    split; [apply in_or_app; simpl; auto|]. split; [contradiction|]. split.
    - split; [rewrite !app_length; reflexivity|]. intros i. rewrite !size_app by exact D.
      destruct (Nat.eqb_spec i n) as [->|Ne]; simpl; split; try lia; tauto.
    - intros E. apply app_inv_head in E. inversion E. lia.
  Qed.
  Lemma split_last (q : list N) : length q = S n -> exists p g, q = p ++ [g] /\ length p = n.
  Proof.
    intros D. destruct (exists_last (l := q)) as (p & g & E); [destruct q; simpl in D; congruence|].
    exists p, g. split; [exact E|]. rewrite E, app_length in D. simpl in D. lia.
  Qed.
  Lemma move_app p g q : length p = n -> move (with_heap n r) (p ++ [g]) q ->
    (exists k, (k < g)%N /\ q = p ++ [k]) \/ (exists p', move r p p' /\ q = p' ++ [g]).
  Proof.
    intros D (e & He & Em & (Le & Lo) & Ne).
    destruct (split_last q) as (p' & k & -> & D'); [rewrite Le, app_length; simpl; lia|].
    assert (Lo' : forall i, within (amounts e) (if Nat.eqb i n then k else size p' i) (if Nat.eqb i n then g else size p i) /\
      (~ In i (heaps e) -> (if Nat.eqb i n then k else size p' i) = (if Nat.eqb i n then g else size p i))).
    { intros i. rewrite <- !size_app by assumption. apply Lo. }
    apply in_app_or in He. destruct He as [He|[He|[]]].
    - right. exists p'.
      assert (Out : forall i, In i (heaps e ++ empties e) -> i < n).
      { pose proof ok as H. unfold proves_values in H. apply andb_prop in H. destruct H as [H _].
        rewrite every_all in H. specialize (H e He). rewrite every_all in H.
        intros i I. specialize (H i I). now apply Nat.ltb_lt in H. }
      assert (k = g) by (specialize (Lo' n); rewrite Nat.eqb_refl in Lo'; apply Lo';
        intros I; specialize (Out n (in_or_app _ _ n (or_introl I))); lia). subst k.
      split; [|reflexivity]. exists e. split; [exact He|]. split.
      { intros i I. specialize (Em i I). rewrite size_app in Em by exact D.
        specialize (Out i (in_or_app _ _ i (or_intror I))). destruct (Nat.eqb_spec i n); [lia|exact Em]. }
      split; [|intros ->; now apply Ne].
      split; [congruence|]. intros i. specialize (Lo' i). destruct (Nat.eqb_spec i n) as [E|]; [|exact Lo'].
      unfold size. rewrite !nth_overflow by lia. split; auto using within_refl.
    - left. subst e. cbn [heaps amounts] in Lo'. assert (p' = p).
      { apply lowers_ext; [congruence|]. intros i. specialize (Lo' i).
        destruct (Nat.eqb_spec i n) as [E|Ni]; [unfold size; rewrite !nth_overflow by lia; reflexivity|].
        apply Lo'. simpl. intuition. }
      subst p'. exists k. split; [|reflexivity]. specialize (Lo' n). rewrite Nat.eqb_refl in Lo'.
      destruct Lo' as [W _]. simpl in W. destruct (N.eq_dec k g) as [->|]; [now destruct Ne|lia].
  Qed.

  Theorem grundy_values : forall p, length p = n -> forall g, Grundy r p g <-> holds (p ++ [g]) c.
  Proof.
    pose proof ok as H. unfold proves_values in H. apply andb_prop in H. destruct H as [_ H].
    destruct (conditions (S n) false (with_heap n r) c H) as (_ & Dec & Ind & Abs & _).
    assert (Len : forall (p : list N) g, length p = n -> length (p ++ [g]) = S n) by (intros; rewrite app_length; simpl; lia).
    intros p D g. symmetry.
    apply (sprague_grundy (list N) (dom n) (move r) (dom_move n r) (ends r) total (move_total r)
      (fun p g => holds (p ++ [g]) c)); [| | | |exact D].
    - intros q k _. apply Dec.
    - intros q k j Dq Hq Lt. apply (Ind (q ++ [k])); auto. now apply app_heap.
    - intros q q' k Dq Hq M. apply (Ind (q ++ [k])); auto. now apply app_move.
    - intros q k Dq Hq. destruct (Abs (q ++ [k]) (Len q k Dq) Hq) as [(q' & M & Hq')|[X _]]; [|discriminate].
      apply move_app in M; [|exact Dq]. destruct M as [(j & Lt & ->)|(q1 & M & ->)]; eauto.
  Qed.
End Values.
