(* The rule: Nim on sets of heaps.  A move chooses one of the sets, lowers at least one of its
   heaps and none outside: each by any amount, or each by at most one token, and on a board that
   shrinks while other heaps are empty.  Heaps are numbered from 0. *)
Require Import List Arith NArith Lia Wf_nat.
From Nimrule Require Import Game.
Import ListNotations.
Local Open Scope N_scope.

Definition size (p : list N) (i : nat) : N := nth i p 0.

(* what a move may take from a heap of the set: any number of tokens, or at most one *)
Inductive amount := Any | One.
Definition within (m : amount) (x' x : N) : Prop :=
  match m with Any => x' <= x | One => x' <= x <= x' + 1 end.

(* p' comes from p by lowering, or leaving, the heaps of e *)
Definition lowers (m : amount) (e : list nat) (p' p : list N) : Prop :=
  length p' = length p /\
  forall i, within m (size p' i) (size p i) /\ (~ In i e -> size p' i = size p i).

(* a set of heaps that may be lowered while some other heaps are empty *)
Record part := { amounts : amount; heaps : list nat; empties : list nat }.
Definition rule : Type := list part.
Definition any_amount (sets : list (list nat)) : rule :=
  map (fun e => {| amounts := Any; heaps := e; empties := [] |}) sets.
Definition at_most_one (sets : list (list nat)) : rule :=
  map (fun e => {| amounts := One; heaps := e; empties := [] |}) sets.
Definition while_empty (sets : list (list nat * list nat)) : rule :=
  map (fun e => {| amounts := Any; heaps := fst e; empties := snd e |}) sets.
Definition move (r : rule) (p p' : list N) : Prop :=
  exists e, In e r /\ (forall i, In i (empties e) -> size p i = 0) /\ lowers (amounts e) (heaps e) p' p /\ p' <> p.

(* the outcome classes and the Grundy values of positions, as Game.v defines them for any rule *)
Definition P (r : rule) : list N -> Prop := NormalP (list N) (move r).
Definition MisereP (r : rule) : list N -> Prop := Game.MisereP (list N) (move r).
Definition Grundy (r : rule) : list N -> N -> Prop := Game.Grundy (list N) (move r).

(* ---- play ends: every move lowers the number of tokens ---- *)
Fixpoint total (p : list N) : N := match p with [] => 0 | a :: p => a + total p end.

Lemma lower_total : forall p' p, length p' = length p -> (forall i, size p' i <= size p i) ->
  total p' <= total p /\ (total p' = total p -> p' = p).
Proof.
  unfold size. induction p' as [|a p' IH]; intros [|b p] L H; simpl in L; try lia; simpl; [split; [lia|auto]|].
  pose proof (H O) as H0. simpl in H0.
  destruct (IH p ltac:(lia) (fun i => H (S i))) as [A B]. split; [lia|]. intros E.
  assert (a = b) by lia. subst. f_equal. apply B. lia.
Qed.

Lemma within_le m x' x : within m x' x -> x' <= x.
Proof. destruct m; simpl; lia. Qed.
Lemma move_total r p p' : move r p p' -> total p' < total p.
Proof.
  intros (e & _ & _ & (L & H) & D).
  destruct (lower_total p' p L (fun i => within_le _ _ _ (proj1 (H i)))) as [A B].
  assert (total p' <> total p) by (intros E; exact (D (B E))). lia.
Qed.
Lemma ends r : well_founded (fun p' p => move r p p').
Proof.
  apply (well_founded_lt_compat _ (fun p => N.to_nat (total p))).
  intros p' p M. apply move_total in M. lia.
Qed.

Definition dom (n : nat) (p : list N) : Prop := length p = n.
Lemma dom_move n r p p' : dom n p -> move r p p' -> dom n p'.
Proof. unfold dom. intros D (e & _ & _ & (L & _) & _). lia. Qed.
