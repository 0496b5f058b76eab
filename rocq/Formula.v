(* Formulas over the heaps as automata: atoms, their states, and why the states are right.

   A position is read bit by bit: at each place, from the highest, a bit of each heap in turn.
   After whole places the vector [v] holds what has been read of each heap.  An atom keeps one
   integer; between two places it also accounts for the bits [bs] of the place that is half read. *)
Require Import Bool List Arith NArith ZArith Lia.
From Nimrule Require Import Digits.
Import ListNotations.
Local Open Scope Z_scope.
Local Arguments Z.mul : simpl never.
Local Arguments Z.pow : simpl never.
Local Arguments Z.of_nat : simpl never.
Local Arguments Z.sub : simpl never.
Local Arguments Z.add : simpl never.

(* the weighted sum of a vector; what is missing counts as 0 *)
Fixpoint dot (c v : list Z) : Z :=
  match c, v with c :: cs, x :: xs => c * x + dot cs xs | _, _ => 0 end.
(* the nim-sum of the elements with odd weights *)
Fixpoint nim (c v : list Z) : Z :=
  match c, v with
  | w :: c, x :: v => if Z.odd w then Z.lxor x (nim c v) else nim c v | _, _ => 0 end.
Fixpoint vadd (a b : list Z) : list Z :=
  match a, b with [], _ => b | _, [] => a | x :: a, y :: b => x + y :: vadd a b end.
Definition scale (k : Z) (c : list Z) : list Z := map (Z.mul k) c.
Fixpoint norm (c : list Z) : Z := match c with [] => 0 | x :: c => Z.abs x + norm c end.
Definition zs (p : list N) : list Z := map Z.of_N p.
Definition bits (bs : list bool) : list Z := map Z.b2z bs.
Definition place (v : list Z) (j : Z) : list Z := map (fun x => Z.b2z (Z.testbit x j)) v.

Lemma dot_nil c : dot c [] = 0.
Proof. destruct c; reflexivity. Qed.
Lemma dot_vadd a : forall b v, dot (vadd a b) v = dot a v + dot b v.
Proof.
  induction a as [|x a IH]; intros [|y b] [|z v]; simpl; rewrite ?IH; try lia.
Qed.
Lemma dot_scale k c : forall v, dot (scale k c) v = k * dot c v.
Proof. induction c as [|x c IH]; intros [|z v]; simpl; rewrite ?IH; lia. Qed.
Lemma dot_snoc c : forall v x, dot c (v ++ [x]) = dot c v + nth (length v) c 0 * x.
Proof.
  induction c as [|y c IH]; intros [|z v] x; simpl; try lia.
  - rewrite dot_nil. lia.
  - rewrite IH. lia.
Qed.
Lemma norm_pos c : 0 <= norm c.
Proof. induction c; simpl; lia. Qed.
Lemma dot_bound c : forall r m, 0 <= m -> Forall (fun x => 0 <= x <= m) r ->
  Z.abs (dot c r) <= norm c * m.
Proof.
  induction c as [|y c IH]; intros r m M F; simpl; [lia|].
  pose proof (norm_pos c). inversion F as [|x r' Hx Hr]; subst; simpl.
  { pose proof (Z.mul_nonneg_nonneg (Z.abs y + norm c) m ltac:(lia) M). lia. }
  specialize (IH r' m M Hr).
  rewrite Z.mul_add_distr_r. assert (Z.abs (y * x) <= Z.abs y * m); [|lia].
  rewrite Z.abs_mul, (Z.abs_eq x) by lia. apply Z.mul_le_mono_nonneg_l; lia.
Qed.

(* two vectors, element by element *)
Fixpoint join (a b : list Z) : list Z :=
  match a, b with x :: a, y :: b => 2 * x + y :: join a b | _, _ => [] end.
Lemma dot_join c : forall a b, length a = length b -> dot c (join a b) = 2 * dot c a + dot c b.
Proof.
  induction c as [|y c IH]; intros [|x a] [|z b] L; try discriminate L; cbn [dot join]; try lia.
  simpl in L. rewrite IH by lia. ring.
Qed.

(* what has been read of [p] when [l] places are left *)
Definition top (p : list N) (l : nat) : list Z := map (fun x => x / 2 ^ Z.of_nat l) (zs p).
Definition letter (p : list N) (l : nat) : list bool := map (fun a => N.testbit a (N.of_nat l)) p.

Lemma top_len p l : length (top p l) = length p.
Proof. unfold top, zs. now rewrite !map_length. Qed.
Lemma letter_len p l : length (letter p l) = length p.
Proof. apply map_length. Qed.
Lemma top_0 p : top p 0 = zs p.
Proof. unfold top. rewrite <- map_id. apply map_ext. intros. apply Z.div_1_r. Qed.

Lemma top_step p l : top p l = join (top p (S l)) (bits (letter p l)).
Proof.
  unfold top, letter, bits, zs. induction p as [|a p IH]; simpl; auto. rewrite IH. f_equal.
  rewrite <- (Z2N.id (Z.of_nat l)) by lia. rewrite <- Z.testbit_of_N. clear.
  replace (Z.to_N (Z.of_nat l)) with (N.of_nat l) by lia.
  rewrite nat_N_Z. set (x := Z.of_N a).
  change (2 ^ Z.of_nat (S l)) with (2 ^ (Z.of_nat (S l))).
  replace (x / 2 ^ Z.of_nat (S l)) with ((x / 2 ^ Z.of_nat l) / 2).
  - rewrite Z.testbit_spec' by lia. apply Z.div_mod. lia.
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. rewrite (Z.mul_comm 2).
    rewrite Z.div_div; [reflexivity| apply Z.pow_nonzero; lia | lia].
Qed.

Lemma top_zero p l : fits p l -> forall c, dot c (top p l) = 0.
Proof.
  unfold fits, top, zs. induction 1 as [|a p A F IH]; intros [|x c]; simpl; auto.
  rewrite IH. rewrite Z.div_small; [lia|].
  split; [lia|]. apply N2Z.inj_lt in A. rewrite N2Z.inj_pow in A. rewrite nat_N_Z in A. exact A.
Qed.

(* the sum over the whole position, from what has been read *)
Lemma dot_rest c p l : Z.abs (dot c (zs p) - 2 ^ Z.of_nat l * dot c (top p l))
  <= norm c * (2 ^ Z.of_nat l - 1).
Proof.
  set (m := 2 ^ Z.of_nat l). assert (M : 0 < m) by (apply Z.pow_pos_nonneg; lia).
  replace (dot c (zs p) - m * dot c (top p l)) with (dot c (map (fun x => x mod m) (zs p))).
  - apply dot_bound; [lia|]. apply Forall_forall. intros x Hx. apply in_map_iff in Hx.
    destruct Hx as (y & <- & _). pose proof (Z.mod_pos_bound y m M). lia.
  - unfold top. fold m. clear -M. revert p.
    induction c as [|y c IH]; intros [|a p]; cbn [dot zs map]; try lia. fold (zs p).
    rewrite IH. pose proof (Z.div_mod (Z.of_N a) m ltac:(lia)) as D. rewrite D at 2. ring.
Qed.

(* ---- the nim-sum of what has been read ---- *)
Lemma b2z_odd_add x y : Z.odd (Z.b2z x + y) = xorb x (Z.odd y).
Proof. rewrite Z.odd_add. destruct x; reflexivity. Qed.
Lemma lxor_double x y b d : Z.lxor (2 * x + Z.b2z b) (2 * y + Z.b2z d) = 2 * Z.lxor x y + Z.b2z (xorb b d).
Proof.
  assert (T : forall x b j, 0 <= j -> Z.testbit (2 * x + Z.b2z b) j = if j =? 0 then b else Z.testbit x (Z.pred j)).
  { clear. intros x b j J. destruct (Z.eqb_spec j 0) as [->|Ne].
    - rewrite Z.bit0_odd, Z.add_comm, Z.odd_add_mul_2. now destruct b.
    - replace j with (Z.succ (Z.pred j)) at 1 by lia. destruct b; simpl Z.b2z.
      + apply Z.testbit_odd_succ; lia.
      + rewrite Z.add_0_r. apply Z.testbit_even_succ; lia. }
  apply Z.bits_inj'. intros j J. rewrite Z.lxor_spec, !T by exact J.
  destruct (j =? 0); [reflexivity|]. now rewrite Z.lxor_spec.
Qed.
Lemma nim_join c : forall a bs, length a = length bs ->
  nim c (join a (bits bs)) = 2 * nim c a + Z.b2z (Z.odd (dot c (bits bs))).
Proof.
  unfold bits. induction c as [|w c IH]; intros [|x a] [|b bs] L; try discriminate L; cbn [nim join map dot]; try reflexivity.
  simpl in L. rewrite IH by lia. rewrite Z.odd_add, Z.odd_mul.
  assert (O : Z.odd (Z.b2z b) = b) by (destruct b; reflexivity). rewrite O.
  destruct (Z.odd w).
  - rewrite andb_true_l. apply lxor_double.
  - rewrite andb_false_l, xorb_false_l. reflexivity.
Qed.
Lemma nim_rest c p l : 0 <= nim c (zs p) - 2 ^ Z.of_nat l * nim c (top p l) <= 2 ^ Z.of_nat l - 1.
Proof.
  induction l as [|l IH].
  - rewrite top_0. change (2 ^ Z.of_nat 0) with 1. lia.
  - rewrite top_step, nim_join in IH by (now rewrite top_len, letter_len).
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia.
    assert (0 < 2 ^ Z.of_nat l) by (apply Z.pow_pos_nonneg; lia).
    set (m := 2 ^ Z.of_nat l) in *. set (x := nim c (zs p)) in *. set (y := nim c (top p (S l))) in *.
    destruct (Z.odd (dot c (bits (letter p l)))); simpl Z.b2z in IH; nia.
Qed.
Lemma nim_zero p l : fits p l -> forall c, nim c (top p l) = 0.
Proof.
  unfold fits, top, zs. induction 1 as [|a p A F IH]; intros [|x c]; simpl; auto.
  rewrite IH. rewrite Z.div_small; [destruct (Z.odd x); reflexivity|].
  split; [lia|]. apply N2Z.inj_lt in A. rewrite N2Z.inj_pow in A. rewrite nat_N_Z in A. exact A.
Qed.

(* ---- atoms ---- *)
Inductive atom :=
| Zero (c : list Z) (k : Z)              (* the sum and k make 0 *)
| Below (c : list Z) (k : Z)             (* the sum and k make at most 0 *)
| Sum (c d : list Z) (k : Z)             (* the sum and k make the nim-sum with the weights d *)
| Congruent (c : list Z) (k m : Z)       (* the sum and k make a multiple of m *)
| Places (c : list Z) (m k : Z).         (* at each place the digits make, modulo m, the bit of k *)

Definition asem (p : list N) (a : atom) : Prop :=
  match a with
  | Zero c k => dot c (zs p) + k = 0
  | Below c k => dot c (zs p) + k <= 0
  | Sum c d k => dot c (zs p) + k = nim d (zs p)
  | Congruent c k m => (dot c (zs p) + k) mod m = 0
  | Places c m k => forall j, 0 <= j -> dot c (place (zs p) j) mod m = Z.b2z (Z.testbit k j)
  end.

Definition weights (a : atom) : list Z :=
  match a with Zero c _ | Below c _ | Sum c _ _ | Congruent c _ _ | Places c _ _ => c end.
Definition well (a : atom) : bool :=
  match a with
  | Zero _ _ | Below _ _ | Sum _ _ _ => true
  | Congruent _ _ m => 0 <? m
  | Places _ m k => (1 <? m) && (0 <=? k)
  end.

(* before a place, a bit of a heap with its weight, and after a place: a state or a decision *)
Definition before (a : atom) (s : Z) : Z := match a with Places _ m _ => m * s | Sum _ _ _ => 4 * s | _ => 2 * s end.
Definition add_bit (a : atom) (i : nat) (s : Z) (b : bool) : Z :=
  if b then
    let w := nth i (weights a) 0 in
    match a with
    | Places _ m _ => let r := s mod m in s - r + (r + w) mod m
    | Sum _ d _ => let s := s + 2 * w in
        if Z.odd (nth i d 0) then if Z.odd s then s - 1 else s + 1 else s
    | _ => s + w
    end
  else s.
Definition after (a : atom) (s : Z) : Z + bool :=
  match a with
  | Zero c k => if norm c + Z.abs k <? Z.abs s then inr false else inl s
  | Below c k => let b := norm c + Z.abs k in
      if b <? s then inr false else if s <? - b then inr true else inl s
  | Sum c _ k => let s := s / 2 - s mod 2 in
      if norm c + 1 + Z.abs k <? Z.abs s then inr false else inl s
  | Congruent c k m => inl (s mod m)
  | Places c m k => let r := s mod m in
      if 1 <? r then inr false else
      let s' := 2 * (s / m) + r in if k <? s' then inr false else inl s'
  end.
Definition final (a : atom) (s : Z) : bool :=
  match a with
  | Zero _ k | Sum _ _ k => s + k =? 0
  | Below _ k => s + k <=? 0
  | Congruent _ k m => (s + k) mod m =? 0
  | Places _ _ k => s =? k
  end.

(* s is the state after whole places *)
Definition state (a : atom) (s : Z) (v : list Z) : Prop :=
  match a with
  | Zero c _ | Below c _ => s = dot c v
  | Sum c d _ => s = dot c v - nim d v
  | Congruent c _ m => s = dot c v mod m
  | Places c m k => 0 <= s /\ forall j, 0 <= j -> dot c (place v j) mod m = Z.b2z (Z.testbit s j)
  end.
(* s is the state when the bits bs of the next place are read *)
Definition mid (a : atom) (s : Z) (v : list Z) (bs : list bool) : Prop :=
  exists s0, state a s0 v /\
  match a with
  | Zero c _ | Below c _ | Congruent c _ _ => s = 2 * s0 + dot c (bits bs)
  | Sum c d _ => s = 2 * (2 * s0 + dot c (bits bs)) + Z.b2z (Z.odd (dot d (bits bs)))
  | Places c m _ => s = m * s0 + dot c (bits bs) mod m
  end.

Lemma mid_start a s v : well a = true -> state a s v -> mid a (before a s) v [].
Proof.
  intros Wa S. exists s. split; auto. destruct a; simpl; rewrite ?dot_nil; simpl Z.b2z; try lia.
  rewrite Z.mod_0_l; simpl in Wa; lia.
Qed.

Lemma mid_step a s v bs b : well a = true -> mid a s v bs ->
  mid a (add_bit a (length bs) s b) v (bs ++ [b]).
Proof.
  intros Wa (s0 & S & E). exists s0. split; auto.
  assert (D : forall c, dot c (bits (bs ++ [b])) = dot c (bits bs) + nth (length bs) c 0 * Z.b2z b).
  { intros c. unfold bits. rewrite map_app. simpl. rewrite dot_snoc, map_length. reflexivity. }
  unfold add_bit.
  destruct a; rewrite !D; destruct b; simpl Z.b2z; simpl weights; rewrite ?Z.mul_0_r, ?Z.mul_1_r, ?Z.add_0_r; try lia.
  { assert (O : Z.odd (s + 2 * nth (length bs) c 0) = Z.odd (dot d (bits bs))).
    { rewrite E. replace (2 * (2 * s0 + dot c (bits bs)) + Z.b2z (Z.odd (dot d (bits bs))) + 2 * nth (length bs) c 0)
        with (Z.b2z (Z.odd (dot d (bits bs))) + 2 * (2 * s0 + dot c (bits bs) + nth (length bs) c 0)) by lia.
      rewrite Z.odd_add_mul_2. now destruct (Z.odd (dot d (bits bs))). }
    cbv zeta. rewrite O, Z.odd_add, E.
    destruct (Z.odd (nth (length bs) d 0)), (Z.odd (dot d (bits bs))); simpl xorb; simpl Z.b2z; lia. }
  simpl in Wa. apply andb_prop in Wa. destruct Wa as [W1 W2]. apply Z.ltb_lt in W1.
  assert (R : s mod m = dot c (bits bs) mod m).
  { rewrite E, (Z.mul_comm m), (Z.add_comm (s0 * m)), Z.mod_add by lia. apply Z.mod_mod. lia. }
  rewrite R, Z.add_mod_idemp_l by lia. lia.
Qed.

Lemma place_join v : forall bs j, length v = length bs -> 0 <= j ->
  place (join v (bits bs)) (Z.succ j) = place v j.
Proof.
  unfold place. induction v as [|x v IH]; intros [|b bs] j L J; simpl in *; try lia; auto.
  rewrite IH by lia. f_equal. f_equal. destruct b; simpl Z.b2z.
  - apply Z.testbit_odd_succ; lia.
  - rewrite Z.add_0_r. apply Z.testbit_even_succ; lia.
Qed.
Lemma place_0 v : forall bs, length v = length bs -> place (join v (bits bs)) 0 = bits bs.
Proof.
  unfold place, bits. induction v as [|x v IH]; intros [|b bs] L; simpl in *; try lia; auto.
  rewrite IH by lia. f_equal. f_equal. destruct b; simpl Z.b2z.
  - apply Z.testbit_odd_0.
  - rewrite Z.add_0_r. apply Z.testbit_even_0.
Qed.

(* digits at high places are those of what has been read *)
Lemma place_top p l j : 0 <= j -> place (zs p) (j + Z.of_nat l) = place (top p l) j.
Proof.
  intros J. unfold place, top. rewrite map_map. apply map_ext. intros x. f_equal.
  rewrite Z.div_pow2_bits by lia. reflexivity.
Qed.

Lemma testbit_shift k l : (0 <= k) -> forall s, 0 <= s ->
  (forall j, 0 <= j -> Z.testbit s j = Z.testbit k (j + Z.of_nat l)) -> s <= k.
Proof.
  intros K s S H. replace s with (k / 2 ^ Z.of_nat l).
  - apply Z.div_le_upper_bound; [apply Z.pow_pos_nonneg; lia|].
    assert (0 < 2 ^ Z.of_nat l) by (apply Z.pow_pos_nonneg; lia). nia.
  - apply Z.bits_inj'. intros j J. rewrite Z.div_pow2_bits by lia. symmetry. auto.
Qed.

(* after a place: the state is right, and a decision holds for every position that begins so *)
Lemma after_place a s p l : well a = true -> mid a s (top p (S l)) (letter p l) ->
  match after a s with
  | inl s' => state a s' (top p l)
  | inr b => asem p a <-> b = true
  end.
Proof.
  intros Wa (s0 & S & E).
  assert (L : length (top p (Datatypes.S l)) = length (bits (letter p l))).
  { unfold bits. rewrite map_length, top_len, letter_len. reflexivity. }
  assert (Lb : length (top p (Datatypes.S l)) = length (letter p l)) by now rewrite top_len, letter_len.
  assert (M : 0 < 2 ^ Z.of_nat l) by (apply Z.pow_pos_nonneg; lia).
  destruct a; simpl in S, E; simpl after.
  - assert (E1 : s = dot c (top p l)) by (rewrite top_step, dot_join by exact L; lia).
    pose proof (dot_rest c p l) as R. pose proof (norm_pos c).
    destruct (Z.ltb_spec (norm c + Z.abs k) (Z.abs s)); simpl; auto.
    split; [|discriminate]. intros Z0. exfalso. rewrite <- E1 in R.
    set (m := 2 ^ Z.of_nat l) in *. set (x := dot c (zs p)) in *. nia.
  - assert (E1 : s = dot c (top p l)) by (rewrite top_step, dot_join by exact L; lia).
    pose proof (dot_rest c p l) as R. pose proof (norm_pos c). rewrite <- E1 in R.
    destruct (Z.ltb_spec (norm c + Z.abs k) s); [|destruct (Z.ltb_spec s (- (norm c + Z.abs k)))]; simpl; auto.
    + split; [|discriminate]. intros Z0. exfalso.
      set (m := 2 ^ Z.of_nat l) in *. set (x := dot c (zs p)) in *. nia.
    + split; auto. intros _.
      set (m := 2 ^ Z.of_nat l) in *. set (x := dot c (zs p)) in *. nia.
  - set (x := Z.odd (dot d (bits (letter p l)))) in *.
    assert (E2 : s / 2 = 2 * s0 + dot c (bits (letter p l)) /\ s mod 2 = Z.b2z x).
    { rewrite E, Z.add_comm, (Z.mul_comm 2 (2 * s0 + _)). rewrite Z.div_add, Z.mod_add by lia.
      destruct x; simpl Z.b2z; split; try reflexivity; simpl; lia. }
    destruct E2 as [-> ->].
    assert (E1 : 2 * s0 + dot c (bits (letter p l)) - Z.b2z x = dot c (top p l) - nim d (top p l)).
    { rewrite top_step, dot_join, nim_join by assumption. fold x. lia. }
    cbv zeta. rewrite E1. pose proof (dot_rest c p l) as R. pose proof (nim_rest d p l) as Q.
    pose proof (norm_pos c).
    destruct (Z.ltb_spec (norm c + 1 + Z.abs k) (Z.abs (dot c (top p l) - nim d (top p l)))); simpl; auto.
    split; [|discriminate]. intros Z0. exfalso.
    set (m := 2 ^ Z.of_nat l) in *. set (u := dot c (zs p)) in *. set (v := nim d (zs p)) in *.
    set (y := dot c (top p l)) in *. set (z := nim d (top p l)) in *.
    assert (Z.abs (m * (y - z)) <= (norm c + 1) * (m - 1) + Z.abs k) by lia.
    rewrite Z.abs_mul, (Z.abs_eq m) in H1 by lia. nia.
  - simpl. rewrite top_step, dot_join by exact L. simpl in Wa. apply Z.ltb_lt in Wa.
    rewrite E, S. rewrite Z.add_mod, Z.mul_mod_idemp_r by lia. rewrite <- Z.add_mod by lia. reflexivity.
  - simpl in Wa. apply andb_prop in Wa. destruct Wa as [W1 W2]. apply Z.ltb_lt in W1. apply Z.leb_le in W2.
    destruct S as [S0 S1]. set (r := dot c (bits (letter p l)) mod m) in *.
    assert (Rb : 0 <= r < m) by (apply Z.mod_pos_bound; lia).
    assert (E1 : s mod m = r).
    { rewrite E, (Z.mul_comm m), (Z.add_comm (s0 * m)), Z.mod_add by lia. apply Z.mod_small; lia. }
    assert (E2 : s / m = s0).
    { rewrite E, (Z.mul_comm m), (Z.add_comm (s0 * m)), Z.div_add by lia. rewrite Z.div_small by lia. lia. }
    assert (R0 : dot c (place (top p l) 0) mod m = r).
    { rewrite top_step, place_0 by exact Lb. reflexivity. }
    rewrite E1, E2. destruct (Z.ltb_spec 1 r).
    { split; [|discriminate]. intros H0. exfalso. specialize (H0 (0 + Z.of_nat l) ltac:(lia)).
      rewrite place_top, R0 in H0 by lia. destruct (Z.testbit k (0 + Z.of_nat l)); simpl in H0; lia. }
    assert (St : forall j, 0 <= j -> dot c (place (top p l) j) mod m = Z.b2z (Z.testbit (2 * s0 + r) j)).
    { assert (R2 : exists b, r = Z.b2z b).
      { assert (r = 0 \/ r = 1) as [->| ->] by lia; [now exists false| now exists true]. }
      destruct R2 as (b & Eb). intros j J. destruct (Z.eq_dec j 0) as [->|Nj].
      - rewrite R0, Eb. destruct b.
        + change (Z.b2z true) with 1. now rewrite Z.testbit_odd_0.
        + change (Z.b2z false) with 0. now rewrite Z.add_0_r, Z.testbit_even_0.
      - replace j with (Z.succ (Z.pred j)) by lia.
        rewrite top_step, place_join by (try exact Lb; lia). rewrite S1 by lia. f_equal.
        rewrite Eb. destruct b.
        + change (Z.b2z true) with 1. now rewrite Z.testbit_odd_succ by lia.
        + change (Z.b2z false) with 0. now rewrite Z.add_0_r, Z.testbit_even_succ by lia. }
    destruct (Z.ltb_spec k (2 * s0 + r)).
    + split; [|discriminate]. intros H1. exfalso.
      pose proof (testbit_shift k l W2 (2 * s0 + r) ltac:(lia)) as T.
      assert (2 * s0 + r <= k); [|lia]. apply T. intros j J.
      specialize (H1 (j + Z.of_nat l) ltac:(lia)). rewrite place_top in H1 by lia.
      rewrite St in H1 by lia. destruct (Z.testbit (2 * s0 + r) j), (Z.testbit k (j + Z.of_nat l)); simpl in H1; auto; lia.
    + split; [lia|exact St].
Qed.

Lemma state_start a p l : well a = true -> fits p l -> state a 0 (top p l).
Proof.
  intros Wa F. destruct a; simpl; rewrite ?nim_zero by exact F; try (now rewrite top_zero by exact F).
  split; [lia|]. intros j J. rewrite Z.bits_0. simpl in *. apply andb_prop in Wa. destruct Wa as [W1 _].
    apply Z.ltb_lt in W1.
    replace (dot c (place (top p l) j)) with 0; [apply Z.mod_0_l; lia|].
    symmetry. clear -F J. unfold fits in F. unfold place, top, zs. revert c.
    induction F as [|a p A F IH]; intros [|x c]; simpl; auto. rewrite IH.
    rewrite Z.div_small; [rewrite Z.bits_0; simpl; lia|].
    split; [lia|]. apply N2Z.inj_lt in A. rewrite N2Z.inj_pow, nat_N_Z in A. exact A.
Qed.

Lemma final_right a s p : well a = true -> state a s (zs p) -> (final a s = true <-> asem p a).
Proof.
  intros Wa S. destruct a; simpl in *.
  - subst. apply Z.eqb_eq.
  - subst. apply Z.leb_le.
  - subst. rewrite Z.eqb_eq. lia.
  - subst. rewrite Z.add_mod_idemp_l by lia. apply Z.eqb_eq.
  - destruct S as [S0 S1]. rewrite Z.eqb_eq. split; [intros ->; exact S1|].
    intros H. apply Z.bits_inj'. intros j J. specialize (S1 j J). rewrite H in S1 by exact J.
    destruct (Z.testbit s j), (Z.testbit k j); simpl in S1; auto; lia.
Qed.
