(* Impartial games that end, and the partition theorem for normal and misere play: a set that no
   move leaves for itself, and that some move reaches from each other position, is that of the
   P-positions. *)
Require Import Coq.Init.Wf.

Section Game.
  Variable pos : Type.
  Variable dom : pos -> Prop.                  (* the positions of the game *)
  Variable move : pos -> pos -> Prop.          (* move p p': p' is an option of p *)
  Hypothesis dom_move : forall p p', dom p -> move p p' -> dom p'.
  Hypothesis ends : well_founded (fun p' p => move p p').

  (* normal play: the player who cannot move loses *)
  Inductive NormalP : pos -> Prop := P_intro p : (forall p', move p p' -> NormalN p') -> NormalP p
  with NormalN : pos -> Prop := N_intro p p' : move p p' -> NormalP p' -> NormalN p.

  (* misere play: the player who cannot move wins *)
  Inductive MisereP : pos -> Prop :=
    MP_intro p : (exists p', move p p') -> (forall p', move p p' -> MisereN p') -> MisereP p
  with MisereN : pos -> Prop :=
  | MN_end p : (forall p', ~ move p p') -> MisereN p
  | MN_intro p p' : move p p' -> MisereP p' -> MisereN p.

  Lemma P_not_N : forall p, NormalP p -> NormalN p -> False.
  Proof.
    induction p as [p IH] using (well_founded_induction ends).
    intros HP HN. destruct HN as [p p' Hm HP']. inversion HP; subst.
    exact (IH p' Hm HP' (H p' Hm)).
  Qed.

  Lemma MP_not_MN : forall p, MisereP p -> MisereN p -> False.
  Proof.
    induction p as [p IH] using (well_founded_induction ends).
    intros HP HN. inversion HP; subst. destruct HN as [p He | p p' Hm HP'].
    - destruct H as [p' Hm]. exact (He p' Hm).
    - exact (IH p' Hm HP' (H0 p' Hm)).
  Qed.

  Variable W : pos -> Prop.
  Hypothesis decided : forall p, dom p -> W p \/ ~ W p.
  Hypothesis independent : forall p p', dom p -> W p -> move p p' -> ~ W p'.

  Theorem partition :
    (forall p, dom p -> ~ W p -> exists p', move p p' /\ W p') ->
    forall p, dom p -> (W p <-> NormalP p) /\ (~ W p <-> NormalN p).
  Proof.
    intros absorbing.
    assert (K : forall p, dom p -> (W p -> NormalP p) /\ (~ W p -> NormalN p)).
    { induction p as [p IH] using (well_founded_induction ends). intros D. split; intros E.
      - constructor. intros p' Hm. apply (IH p' Hm (dom_move _ _ D Hm)). eauto.
      - destruct (absorbing p D E) as [p' [Hm E']]. apply (N_intro p p' Hm).
        now apply (IH p' Hm (dom_move _ _ D Hm)). }
    intros p D. destruct (K p D) as [K1 K2].
    split; (split; [assumption|]); intros X; destruct (decided p D) as [Y|Y]; try assumption.
    - exfalso. exact (P_not_N p X (K2 Y)).
    - exfalso. exact (P_not_N p (K1 Y) X).
  Qed.

  Theorem partition_misere :
    (forall p, dom p -> W p -> exists p', move p p') ->
    (forall p, dom p -> ~ W p -> (forall p', ~ move p p') \/ exists p', move p p' /\ W p') ->
    forall p, dom p -> (W p <-> MisereP p) /\ (~ W p <-> MisereN p).
  Proof.
    intros moving absorbing.
    assert (K : forall p, dom p -> (W p -> MisereP p) /\ (~ W p -> MisereN p)).
    { induction p as [p IH] using (well_founded_induction ends). intros D. split; intros E.
      - constructor; [exact (moving p D E)|]. intros p' Hm.
        apply (IH p' Hm (dom_move _ _ D Hm)). eauto.
      - destruct (absorbing p D E) as [He | [p' [Hm E']]].
        + exact (MN_end p He).
        + apply (MN_intro p p' Hm). now apply (IH p' Hm (dom_move _ _ D Hm)). }
    intros p D. destruct (K p D) as [K1 K2].
    split; (split; [assumption|]); intros X; destruct (decided p D) as [Y|Y]; try assumption.
    - exfalso. exact (MP_not_MN p X (K2 Y)).
    - exfalso. exact (MP_not_MN p (K1 Y) X).
  Qed.
End Game.
