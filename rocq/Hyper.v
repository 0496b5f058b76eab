(* The rule: Nim on sets of heaps.  A move chooses one of the sets, lowers at least one of its
   heaps and none outside.  Heaps are numbered from 0. *)
Require Import List Arith NArith Lia Wf_nat.
From Nimrule Require Import Game.
Import ListNotations.
Local Open Scope N_scope.

Definition size (p : list N) (i : nat) : N := nth i p 0.

(* p' comes from p by lowering, or leaving, the heaps of e *)
Definition lowers (e : list nat) (p' p : list N) : Prop :=
  length p' = length p /\
  forall i, size p' i <= size p i /\ (~ In i e -> size p' i = size p i).

Definition move (sets : list (list nat)) (p p' : list N) : Prop :=
  exists e, In e sets /\ lowers e p' p /\ p' <> p.

(* the outcome classes of positions, as Game.v defines them for any rule *)
Definition P (sets : list (list nat)) : list N -> Prop := NormalP (list N) (move sets).
Definition MisereP (sets : list (list nat)) : list N -> Prop := Game.MisereP (list N) (move sets).

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

Lemma ends sets : well_founded (fun p' p => move sets p p').
Proof.
  apply (well_founded_lt_compat _ (fun p => N.to_nat (total p))).
  intros p' p (e & _ & (L & H) & D). destruct (lower_total p' p L (fun i => proj1 (H i))) as [A B].
  assert (total p' <> total p) by (intros E; exact (D (B E))). lia.
Qed.

Definition dom (n : nat) (p : list N) : Prop := length p = n.
Lemma dom_move n sets p p' : dom n p -> move sets p p' -> dom n p'.
Proof. unfold dom. intros D (e & _ & (L & _) & _). lia. Qed.
