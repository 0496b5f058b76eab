(* The language of closed forms, what it means, and its translation to formulas over atoms.

   [holds p c] computes, for a claim and a list of variables, to a plain statement about integers:
   a theorem is stated with that statement, and the claim occurs in its proof only. *)
Require Import Bool List Arith NArith ZArith Lia.
From Nimrule Require Import Digits Formula.
Import ListNotations.
Local Open Scope Z_scope.
Local Arguments Z.mul : simpl never.
Local Arguments Z.add : simpl never.
Local Arguments Z.sub : simpl never.

Inductive num :=
| Heap (i : nat)                       (* the size of a heap, the first being 0 *)
| Const (k : Z)
| Add (s t : num) | Sub (s t : num) | Mul (k : Z) (t : num)
| Rem (t : num) (m : Z)                (* t mod m *)
| Min (s t : num) | Max (s t : num)
| Xor (s t : num).                     (* the nim-sum *)

Inductive claim :=
| Same (i j : nat) | Is (i : nat) (k : N)   (* two heaps, or a heap and a number, are equal *)
| Eq (s t : num) | Le (s t : num) | Lt (s t : num)
| NoCarry (i : nat) (m : Z)            (* at each place the bits of the first i heaps make 0 modulo m *)
| And (c d : claim) | Or (c d : claim) | Not (c : claim) | Yes.

(* the size of a heap *)
Fixpoint heap (p : list N) (i : nat) : Z :=
  match p, i with [], _ => 0 | a :: _, O => Z.of_N a | _ :: p, S i => heap p i end.
(* the sum of the bits of some heaps at a place *)
Fixpoint ones (p : list N) (i : nat) (j : Z) : Z :=
  match p, i with a :: p, S i => Z.b2z (Z.testbit (Z.of_N a) j) + ones p i j | _, _ => 0 end.

Fixpoint value (p : list N) (t : num) : Z :=
  match t with
  | Heap i => heap p i
  | Const k => k
  | Add s t => value p s + value p t
  | Sub s t => value p s - value p t
  | Mul k t => k * value p t
  | Rem t m => value p t mod m
  | Min s t => Z.min (value p s) (value p t)
  | Max s t => Z.max (value p s) (value p t)
  | Xor s t => Z.lxor (value p s) (value p t)
  end.

Fixpoint holds (p : list N) (c : claim) : Prop :=
  match c with
  | Same i j => nth i p 0%N = nth j p 0%N
  | Is i k => nth i p 0%N = k
  | Eq s t => value p s = value p t
  | Le s t => value p s <= value p t
  | Lt s t => value p s < value p t
  | NoCarry i m => forall j, 0 <= j -> ones p i j mod m = 0
  | And c d => holds p c /\ holds p d
  | Or c d => holds p c \/ holds p d
  | Not c => ~ holds p c
  | Yes => True
  end.

(* ---- formulas over atoms ---- *)
Inductive form := FA (a : atom) | FAnd (f g : form) | FOr (f g : form) | FNot (f : form).
Fixpoint fsem (p : list N) (f : form) : Prop :=
  match f with
  | FA a => asem p a
  | FAnd f g => fsem p f /\ fsem p g
  | FOr f g => fsem p f \/ fsem p g
  | FNot f => ~ fsem p f
  end.
Fixpoint fwell (f : form) : bool :=
  match f with
  | FA a => well a
  | FAnd f g | FOr f g => fwell f && fwell g
  | FNot f => fwell f
  end.

(* every formula is decided at every position *)
Lemma asem_dec p a : well a = true -> asem p a \/ ~ asem p a.
Proof.
  intros W.
  assert (H : exists s, state a s (zs p) \/ exists b, asem p a <-> b = true).
  { assert (G : forall l, (exists s, state a s (top p l)) \/ exists b, asem p a <-> b = true).
    { intros l. assert (E : exists k, (k + l >= bound p)%nat) by (exists (bound p); lia).
      destruct E as (k & E). revert l E. induction k; intros l E.
      - left. exists 0. apply state_start; auto. apply (fits_le p (bound p)); [lia|apply fits_bound].
      - destruct (IHk (S l) ltac:(lia)) as [(s & Hs)|R]; [|right; exact R].
        assert (M : exists s', mid a s' (top p (S l)) (letter p l)).
        { assert (Q : forall bs, exists s', mid a s' (top p (S l)) bs).
          { induction bs as [|b bs IHb] using rev_ind; [exists (before a s); apply mid_start; auto|].
            destruct IHb as (s' & Hs'). eexists. apply mid_step; eauto. }
          apply Q. }
        destruct M as (s' & M). apply after_place in M; auto. destruct (after a s'); eauto. }
    destruct (G O) as [(s & Hs)|R]; [rewrite top_0 in Hs; eauto | exists 0; eauto]. }
  destruct H as (s & [H|(b & H)]).
  - apply final_right in H; auto. destruct (final a s); [left; apply H; auto|right; intros X; apply H in X; discriminate].
  - destruct b; [left; apply H; auto|right; intros X; apply H in X; discriminate].
Qed.
Lemma fsem_dec p f : fwell f = true -> fsem p f \/ ~ fsem p f.
Proof.
  induction f; simpl; intros W; try (apply andb_prop in W; destruct W); try (now apply asem_dec); intuition.
Qed.

(* ---- terms as values: a weighted sum and a constant, a nim-sum and a constant, or the nim-sum of
   a nim-sum and a weighted sum ---- *)
Inductive val := Linear (c : list Z) (k : Z) | Nim (c : list Z) (k : Z) | Mixed (d c : list Z) (k : Z).
Definition vsem (p : list N) (v : val) : Z :=
  match v with Linear c k => dot c (zs p) + k | Nim c k => Z.lxor (nim c (zs p)) k
  | Mixed d c k => Z.lxor (nim d (zs p)) (dot c (zs p) + k) end.

Definition unit (i : nat) : list Z := repeat 0 i ++ [1].
Fixpoint is_zero (c : list Z) : bool := match c with [] => true | w :: c => if w =? 0 then is_zero c else false end.
Fixpoint is_unit (c : list Z) : bool :=
  match c with [] => false | w :: c => if w =? 0 then is_unit c else if w =? 1 then is_zero c else false end.

Lemma dot_unit i : forall p, dot (unit i) (zs p) = heap p i.
Proof.
  unfold unit. induction i as [|i IH]; intros [|a p]; cbn [repeat app dot zs map heap]; auto.
  - rewrite dot_nil || idtac. simpl. destruct (map Z.of_N p); lia.
  - fold (zs p). rewrite IH. lia.
Qed.
Lemma heap_nth i : forall p, heap p i = Z.of_N (nth i p 0%N).
Proof. induction i as [|i IH]; intros [|a p]; simpl; auto. Qed.
Lemma zero_dot c : is_zero c = true -> forall v, dot c v = 0 /\ nim c v = 0.
Proof.
  induction c as [|w c IH]; intros H [|x v]; simpl in *; auto. destruct (Z.eqb_spec w 0); [|discriminate].
  subst w. destruct (IH H v) as [-> ->]. split; [lia|reflexivity].
Qed.
Lemma unit_dot c : is_unit c = true -> forall v, dot c v = nim c v.
Proof.
  induction c as [|w c IH]; intros H [|x v]; simpl in *; auto.
  destruct (Z.eqb_spec w 0) as [->|].
  - rewrite IH by exact H. simpl. lia.
  - destruct (Z.eqb_spec w 1) as [->|]; [|discriminate]. destruct (zero_dot c H v) as [-> ->].
    simpl. rewrite Z.lxor_0_r. lia.
Qed.

Definition to_nim (v : val) : option (list Z * Z) :=
  match v with
  | Nim c k => Some (c, k)
  | Linear c k => if is_zero c then Some (c, k) else if is_unit c && (k =? 0) then Some (c, 0) else None
  | Mixed _ _ _ => None
  end.
Lemma to_nim_ok p v c k : to_nim v = Some (c, k) -> vsem p v = Z.lxor (nim c (zs p)) k.
Proof.
  destruct v as [c' k'|c' k'|d' c' k']; simpl; [|congruence|discriminate]. destruct (is_zero c') eqn:Z0.
  - intros H. inversion H; subst. destruct (zero_dot c Z0 (zs p)) as [-> ->].
    rewrite Z.lxor_0_l. lia.
  - destruct (is_unit c') eqn:U; simpl; [|discriminate]. destruct (Z.eqb_spec k' 0); [|discriminate].
    intros H. inversion H; subst. rewrite Z.lxor_0_r, (unit_dot c U). lia.
Qed.

(* the nim-sum of two values, as one of a nim-sum and a weighted sum *)
Definition mix_left (a b : val) : option (list Z * list Z * Z) :=
  match to_nim b with
  | Some (e, y) => if y =? 0 then
      match a with
      | Linear c k => Some (e, c, k) | Mixed d c k => Some (vadd d e, c, k) | Nim _ _ => None
      end else None
  | None => None
  end.
Definition mix (a b : val) : option (list Z * list Z * Z) :=
  match mix_left a b with Some m => Some m | None => mix_left b a end.

Definition with_linear (a b : val) (f : list Z -> Z -> list Z -> Z -> option form) : option form :=
  match a, b with Linear c k, Linear d l => f c k d l | _, _ => None end.
Definition below (a b : val) : option form :=      (* a <= b *)
  with_linear a b (fun c k d l => Some (FA (Below (vadd c (scale (-1) d)) (k - l)))).
Definition equal (a b : val) : option form :=
  match a, b with
  | Linear c k, Linear d l => Some (FA (Zero (vadd c (scale (-1) d)) (k - l)))
  | _, _ => match to_nim a, to_nim b with
      | Some (c, k), Some (d, l) => Some (FA (Places (vadd c d) 2 (Z.lxor k l)))
      | _, _ => match mix a b with Some (d, c, k) => Some (FA (Sum c d k)) | None => None end
      end
  end.
Definition fand (f g : option form) : option form :=
  match f, g with Some f, Some g => Some (FAnd f g) | _, _ => None end.
Definition for_ (f g : option form) : option form :=
  match f, g with Some f, Some g => Some (FOr f g) | _, _ => None end.
Definition fnot (f : option form) : option form := match f with Some f => Some (FNot f) | _ => None end.

(* the sum and x have a remainder less than r modulo m, for which k holds *)
Fixpoint remainders (c : list Z) (x m : Z) (k : val -> option form) (r : nat) : option form :=
  match r with
  | O => Some (FNot (FA (Zero [] 0)))
  | S r => let z := Z.of_nat r in
      for_ (fand (Some (FA (Congruent c (x - z) m))) (k (Linear [] z))) (remainders c x m k r)
  end.
(* a term has one of several values, on cases; [k] says what is to hold of the value *)
Fixpoint cases (t : num) (k : val -> option form) : option form :=
  match t with
  | Heap i => k (Linear (unit i) 0)
  | Const c => k (Linear [] c)
  | Add s t => cases s (fun a => cases t (fun b =>
      with_linear a b (fun c x d y => k (Linear (vadd c d) (x + y)))))
  | Sub s t => cases s (fun a => cases t (fun b =>
      with_linear a b (fun c x d y => k (Linear (vadd c (scale (-1) d)) (x - y)))))
  | Mul m t => cases t (fun a =>
      with_linear a a (fun c x _ _ => k (Linear (scale m c) (m * x))))
  | Rem t m => cases t (fun a =>
      with_linear a a (fun c x _ _ => if 0 <? m then remainders c x m k (Z.to_nat m) else None))
  | Min s t => cases s (fun a => cases t (fun b =>
      for_ (fand (below a b) (k a)) (fand (fnot (below a b)) (k b))))
  | Max s t => cases s (fun a => cases t (fun b =>
      for_ (fand (below a b) (k b)) (fand (fnot (below a b)) (k a))))
  | Xor s t => cases s (fun a => cases t (fun b =>
      match to_nim a, to_nim b with
      | Some (c, x), Some (d, y) => k (Nim (vadd c d) (Z.lxor x y))
      | _, _ => match mix a b with Some (d, c, x) => k (Mixed d c x) | None => None end
      end))
  end.

Fixpoint translate (c : claim) : option form :=
  match c with
  | Same i j => cases (Heap i) (fun a => cases (Heap j) (fun b => equal a b))
  | Is i k => cases (Heap i) (fun a => cases (Const (Z.of_N k)) (fun b => equal a b))
  | Eq s t => cases s (fun a => cases t (fun b => equal a b))
  | Le s t => cases s (fun a => cases t (fun b => below a b))
  | Lt s t => fnot (cases t (fun b => cases s (fun a => below b a)))
  | NoCarry i m => Some (FA (Places (repeat 1 i) m 0))
  | And c d => fand (translate c) (translate d)
  | Or c d => for_ (translate c) (translate d)
  | Not c => fnot (translate c)
  | Yes => Some (FA (Zero [] 0))
  end.

Definition means (p : list N) (o : option form) (P : Prop) : Prop :=
  forall f, o = Some f -> fwell f = true -> (fsem p f <-> P).

Lemma means_and p f g P Q : means p f P -> means p g Q -> means p (fand f g) (P /\ Q).
Proof.
  intros F G h H W. destruct f, g; try discriminate H. inversion H; subst. simpl in *.
  apply andb_prop in W. destruct W as [W1 W2]. rewrite (F f eq_refl W1), (G f0 eq_refl W2). tauto.
Qed.
Lemma means_or p f g P Q : means p f P -> means p g Q -> means p (for_ f g) (P \/ Q).
Proof.
  intros F G h H W. destruct f, g; try discriminate H. inversion H; subst. simpl in *.
  apply andb_prop in W. destruct W as [W1 W2]. rewrite (F f eq_refl W1), (G f0 eq_refl W2). tauto.
Qed.
Lemma means_not p f P : means p f P -> means p (fnot f) (~ P).
Proof.
  intros F h H W. destruct f; try discriminate H. inversion H; subst. simpl in *.
  rewrite (F f eq_refl W). tauto.
Qed.
Lemma means_iff p f P Q : (P <-> Q) -> means p f P -> means p f Q.
Proof. intros E F h H W. rewrite (F h H W). exact E. Qed.

Lemma means_below p a b : means p (below a b) (vsem p a <= vsem p b).
Proof.
  intros f H W. destruct a, b; try discriminate H. inversion H; subst. simpl.
  rewrite dot_vadd, dot_scale. lia.
Qed.

Lemma nim_bit c j : 0 <= j -> forall v, Z.testbit (nim c v) j = Z.odd (dot c (place v j)).
Proof.
  intros J. induction c as [|w c IH]; intros [|x v]; cbn [nim dot place map]; try apply Z.bits_0.
  fold (place v j). rewrite Z.odd_add, Z.odd_mul.
  assert (O : Z.odd (Z.b2z (Z.testbit x j)) = Z.testbit x j) by (destruct (Z.testbit x j); reflexivity).
  rewrite O, <- IH. destruct (Z.odd w); rewrite ?andb_true_l, ?andb_false_l, ?xorb_false_l; auto.
  apply Z.lxor_spec.
Qed.
Lemma places_nim c k p : (forall j, 0 <= j -> dot c (place (zs p) j) mod 2 = Z.b2z (Z.testbit k j)) <->
  nim c (zs p) = k.
Proof.
  split.
  - intros H. apply Z.bits_inj'. intros j J. rewrite nim_bit by exact J. specialize (H j J).
    rewrite Zmod_odd in H. destruct (Z.odd _), (Z.testbit k j); simpl in H; auto; discriminate.
  - intros <- j J. rewrite nim_bit by exact J. rewrite Zmod_odd. destruct (Z.odd _); reflexivity.
Qed.
Lemma nim_vadd c : forall d v, nim (vadd c d) v = Z.lxor (nim c v) (nim d v).
Proof.
  induction c as [|w c IH]; intros [|y d] [|x v]; cbn [vadd nim];
    rewrite ?Z.lxor_0_l, ?Z.lxor_0_r; auto.
  rewrite Z.odd_add, IH. destruct (Z.odd w), (Z.odd y); simpl; auto.
  - apply Z.bits_inj'. intros j J. rewrite !Z.lxor_spec.
    destruct (Z.testbit x j), (Z.testbit (nim c v) j), (Z.testbit (nim d v) j); reflexivity.
  - now rewrite Z.lxor_assoc.
  - rewrite <- !Z.lxor_assoc. f_equal. apply Z.lxor_comm.
Qed.
Lemma lxor_move a b c d : Z.lxor a b = Z.lxor c d <-> Z.lxor a c = Z.lxor b d.
Proof.
  assert (G : forall a b c d, Z.lxor a b = Z.lxor c d -> Z.lxor a c = Z.lxor b d).
  { clear. intros a b c d H. apply Z.bits_inj'. intros j J. apply (f_equal (fun x => Z.testbit x j)) in H.
    rewrite !Z.lxor_spec in *. destruct (Z.testbit a j), (Z.testbit b j), (Z.testbit c j), (Z.testbit d j); auto; discriminate. }
  split; apply G.
Qed.
Lemma mix_left_ok p a b d c k : mix_left a b = Some (d, c, k) ->
  Z.lxor (vsem p a) (vsem p b) = Z.lxor (nim d (zs p)) (dot c (zs p) + k).
Proof.
  unfold mix_left. destruct (to_nim b) as [[e y]|] eqn:B; [|discriminate].
  destruct (Z.eqb_spec y 0) as [->|]; [|discriminate]. rewrite (to_nim_ok p b e 0 B), Z.lxor_0_r.
  destruct a as [c' k'|c' k'|d' c' k']; intros H; inversion H; subst; simpl.
  - apply Z.lxor_comm.
  - rewrite nim_vadd, !Z.lxor_assoc. f_equal. apply Z.lxor_comm.
Qed.
Lemma mix_ok p a b d c k : mix a b = Some (d, c, k) ->
  Z.lxor (vsem p a) (vsem p b) = Z.lxor (nim d (zs p)) (dot c (zs p) + k).
Proof.
  unfold mix. destruct (mix_left a b) as [m|] eqn:M; intros H.
  - inversion H; subst. now apply mix_left_ok.
  - rewrite Z.lxor_comm. now apply mix_left_ok.
Qed.
Lemma means_equal p a b : means p (equal a b) (vsem p a = vsem p b).
Proof.
  assert (N : forall f, match to_nim a, to_nim b with
      | Some (c, k), Some (d, l) => Some (FA (Places (vadd c d) 2 (Z.lxor k l)))
      | _, _ => match mix a b with Some (d, c, k) => Some (FA (Sum c d k)) | None => None end
      end = Some f -> (fsem p f <-> vsem p a = vsem p b)).
  { assert (M : forall f, match mix a b with Some (d, c, k) => Some (FA (Sum c d k)) | None => None end = Some f ->
      (fsem p f <-> vsem p a = vsem p b)).
    { intros f H. destruct (mix a b) as [[[d c] k]|] eqn:M; [|discriminate]. inversion H; subst. cbn [fsem asem].
      apply (mix_ok p) in M. split; intros E.
      - rewrite E, Z.lxor_nilpotent in M. now apply Z.lxor_eq.
      - rewrite E, Z.lxor_nilpotent in M. symmetry in M. apply Z.lxor_eq in M. auto. }
    intros f H. destruct (to_nim a) as [[c k]|] eqn:A; [|auto].
    destruct (to_nim b) as [[d l]|] eqn:B; [|auto]. inversion H; subst. cbn [fsem asem].
    rewrite places_nim, nim_vadd, (to_nim_ok p a c k A), (to_nim_ok p b d l B). apply lxor_move. }
  intros f H W. destruct a, b; try (exact (N f H)). simpl in H. inversion H; subst. simpl.
  rewrite dot_vadd, dot_scale. lia.
Qed.

Lemma vsem_nim_add p a b c x d y : to_nim a = Some (c, x) -> to_nim b = Some (d, y) ->
  vsem p (Nim (vadd c d) (Z.lxor x y)) = Z.lxor (vsem p a) (vsem p b).
Proof.
  intros A B. rewrite (to_nim_ok p a c x A), (to_nim_ok p b d y B). simpl. rewrite nim_vadd.
  apply Z.bits_inj'. intros j J. rewrite !Z.lxor_spec.
  destruct (Z.testbit (nim c (zs p)) j), (Z.testbit (nim d (zs p)) j), (Z.testbit x j), (Z.testbit y j); reflexivity.
Qed.

Lemma congruent_mod p c x m z : 0 <= z < m -> (dot c (zs p) + (x - z)) mod m = 0 <-> (dot c (zs p) + x) mod m = z.
Proof.
  intros R. replace (dot c (zs p) + (x - z)) with (dot c (zs p) + x - z) by lia.
  set (y := dot c (zs p) + x). split; intros M.
  - pose proof (Z.div_mod (y - z) m ltac:(lia)). symmetry. apply (Z.mod_unique_pos y m ((y - z) / m)); lia.
  - rewrite <- M, Zminus_mod_idemp_r, Z.sub_diag. apply Z.mod_0_l. lia.
Qed.
Lemma remainders_ok p c x m k (P : Z -> Prop) : (forall v, means p (k v) (P (vsem p v))) ->
  0 < m -> forall r, Z.of_nat r <= m -> means p (remainders c x m k r)
    ((dot c (zs p) + x) mod m < Z.of_nat r /\ P ((dot c (zs p) + x) mod m)).
Proof.
  intros K M. induction r as [|r IH]; intros R.
  - intros f E W. inversion E; subst. cbn [fsem asem dot].
    pose proof (Z.mod_pos_bound (dot c (zs p) + x) m M). lia.
  - cbn [remainders]. eapply means_iff; [|apply means_or; [apply means_and; [|apply K]|apply IH; lia]].
    2: { intros f E W. inversion E; subst. cbn [fsem asem]. apply congruent_mod. lia. }
    cbn [vsem dot]. set (y := (dot c (zs p) + x) mod m). split.
    + intros [[E H]|[Lt H]]; split; try lia; auto. now rewrite E.
    + intros [Lt H]. destruct (Z.eq_dec y (Z.of_nat r)) as [E|]; [left; rewrite E in H|right]; split; auto; lia.
Qed.

Lemma cases_ok p (P : Z -> Prop) t : forall k, (forall v, means p (k v) (P (vsem p v))) ->
  means p (cases t k) (P (value p t)).
Proof.
  revert P. induction t; intros P K HK; cbn [cases value].
  - specialize (HK (Linear (unit i) 0)). simpl in HK. rewrite dot_unit, Z.add_0_r in HK. exact HK.
  - specialize (HK (Linear [] k)). simpl in HK. exact HK.
  - apply (IHt1 (fun x => P (x + value p t2))). intros a. apply (IHt2 (fun y => P (vsem p a + y))). intros b.
    destruct a, b; try (intros f H; discriminate H). simpl with_linear.
    specialize (HK (Linear (vadd c c0) (k + k0))). simpl in *. rewrite dot_vadd in HK.
    replace (dot c (zs p) + k + (dot c0 (zs p) + k0)) with (dot c (zs p) + dot c0 (zs p) + (k + k0)) by lia. exact HK.
  - apply (IHt1 (fun x => P (x - value p t2))). intros a. apply (IHt2 (fun y => P (vsem p a - y))). intros b.
    destruct a, b; try (intros f H; discriminate H). simpl with_linear.
    specialize (HK (Linear (vadd c (scale (-1) c0)) (k - k0))). simpl in *. rewrite dot_vadd, dot_scale in HK.
    replace (dot c (zs p) + k - (dot c0 (zs p) + k0)) with (dot c (zs p) + -1 * dot c0 (zs p) + (k - k0)) by lia. exact HK.
  - apply (IHt (fun x => P (k * x))). intros a.
    destruct a; try (intros f H; discriminate H). simpl with_linear.
    specialize (HK (Linear (scale k c) (k * k0))). simpl in *. rewrite dot_scale in HK.
    replace (k * (dot c (zs p) + k0)) with (k * dot c (zs p) + k * k0) by lia. exact HK.
  - apply (IHt (fun x => P (x mod m))). intros a.
    destruct a; try (intros f H; discriminate H). simpl with_linear.
    destruct (Z.ltb_spec 0 m); [|intros f H0; discriminate H0]. cbn [vsem].
    eapply means_iff; [|apply (remainders_ok p c k m K P HK); lia].
    pose proof (Z.mod_pos_bound (dot c (zs p) + k) m ltac:(lia)). rewrite Z2Nat.id by lia. tauto.
  - apply (IHt1 (fun x => P (Z.min x (value p t2)))). intros a.
    apply (IHt2 (fun y => P (Z.min (vsem p a) y))). intros b.
    eapply means_iff; [|apply means_or; apply means_and;
      [apply means_below|apply HK|apply means_not, means_below|apply HK]].
    destruct (Z.le_gt_cases (vsem p a) (vsem p b)); [rewrite Z.min_l by lia|rewrite Z.min_r by lia]; intuition lia.
  - apply (IHt1 (fun x => P (Z.max x (value p t2)))). intros a.
    apply (IHt2 (fun y => P (Z.max (vsem p a) y))). intros b.
    eapply means_iff; [|apply means_or; apply means_and;
      [apply means_below|apply HK|apply means_not, means_below|apply HK]].
    destruct (Z.le_gt_cases (vsem p a) (vsem p b)); [rewrite Z.max_r by lia|rewrite Z.max_l by lia]; intuition lia.
  - apply (IHt1 (fun x => P (Z.lxor x (value p t2)))). intros a.
    apply (IHt2 (fun y => P (Z.lxor (vsem p a) y))). intros b.
    assert (M : means p match mix a b with Some (d, c, x) => K (Mixed d c x) | None => None end
      (P (Z.lxor (vsem p a) (vsem p b)))).
    { destruct (mix a b) as [[[d c] x]|] eqn:M; [|intros f H; discriminate H].
      rewrite (mix_ok p a b d c x M). apply (HK (Mixed d c x)). }
    destruct (to_nim a) as [[c x]|] eqn:A; [|exact M].
    destruct (to_nim b) as [[d y]|] eqn:B; [|exact M].
    specialize (HK (Nim (vadd c d) (Z.lxor x y))).
    rewrite (vsem_nim_add p a b c x d y A B) in HK. exact HK.
Qed.

Lemma ones_dot i j : forall p, dot (repeat 1 i) (place (zs p) j) = ones p i j.
Proof. induction i as [|i IH]; intros [|a p]; cbn [repeat dot place zs map ones]; auto. fold (zs p). fold (place (zs p) j). rewrite IH. lia. Qed.

Theorem translate_ok p c : means p (translate c) (holds p c).
Proof.
  assert (Equal : forall s t, means p (cases s (fun a => cases t (fun b => equal a b))) (value p s = value p t)).
  { intros s t. apply (cases_ok p (fun x => x = value p t)). intros a.
    apply (cases_ok p (fun y => vsem p a = y)). intros b. apply means_equal. }
  induction c; cbn [translate holds].
  - eapply means_iff; [|apply Equal]. cbn [value]. rewrite !heap_nth. apply N2Z.inj_iff.
  - eapply means_iff; [|apply Equal]. cbn [value]. rewrite heap_nth. apply N2Z.inj_iff.
  - apply Equal.
  - apply (cases_ok p (fun x => x <= value p t)). intros a.
    apply (cases_ok p (fun y => vsem p a <= y)). intros b. apply means_below.
  - eapply means_iff; [|apply means_not; apply (cases_ok p (fun y => y <= value p s)); intros b;
      apply (cases_ok p (fun x => vsem p b <= x)); intros a; apply means_below]. lia.
  - intros f E W. inversion E; subst. cbn [fsem asem]. split; intros H j J; specialize (H j J);
      rewrite ones_dot in * || rewrite <- ones_dot in *; rewrite Z.bits_0 in *; simpl Z.b2z in *;
      try rewrite ones_dot; auto; rewrite ones_dot in H; exact H.
  - now apply means_and.
  - now apply means_or.
  - now apply means_not.
  - intros f E0 W. inversion E0; subst. simpl. tauto.
Qed.
