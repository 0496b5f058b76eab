(* Impartial games that end, and the partition theorem for normal and misere play: a set that no
   move leaves for itself, and that some move reaches from each other position, is that of the
   P-positions.  Grundy values, and the theorem of Sprague and Grundy. *)
Require Import Coq.Init.Wf NArith Lia.

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

  (* Grundy values: g is the least number that no option has *)
  Inductive Grundy : pos -> N -> Prop := mex p g :
    (forall k, (k < g)%N -> exists p', move p p' /\ Grundy p' k) ->
    (forall p', move p p' -> exists k, k <> g /\ Grundy p' k) -> Grundy p g.

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

  (* ---- the theorem of Sprague and Grundy: a position has the value g if and only if its sum with
     a Nim heap of g tokens is a P-position ---- *)
  Lemma value_unique p : forall g h, Grundy p g -> Grundy p h -> g = h.
  Proof.
    induction p as [p IH] using (well_founded_induction ends).
    assert (Less : forall g h, Grundy p g -> Grundy p h -> ~ (g < h)%N).
    { intros g h G H Lt. inversion G; inversion H; subst.
      match goal with B : forall k, (k < h)%N -> _ |- _ => destruct (B g Lt) as (p' & M & V) end.
      match goal with B : forall p', move p p' -> exists k, k <> g /\ _ |- _ =>
        destruct (B p' M) as (k & Ne & V') end.
      exact (Ne (IH p' M k g V' V)). }
    intros g h G H. pose proof (Less g h G H). pose proof (Less h g H G). lia.
  Qed.

  (* the set of a sum: of a position and a Nim heap, either of which a move changes *)
  Variable rank : pos -> N.
  Hypothesis falls : forall p p', move p p' -> (rank p' < rank p)%N.
  Variable S : pos -> N -> Prop.
  Hypothesis S_decided : forall p g, dom p -> S p g \/ ~ S p g.
  Hypothesis S_heap : forall p g k, dom p -> S p g -> (k < g)%N -> ~ S p k.
  Hypothesis S_move : forall p p' g, dom p -> S p g -> move p p' -> ~ S p' g.
  Hypothesis S_absorbs : forall p g, dom p -> ~ S p g ->
    (exists k, (k < g)%N /\ S p k) \/ (exists p', move p p' /\ S p' g).

  Lemma value_at_most p : dom p -> forall g, S p g -> (g <= rank p)%N.
  Proof.
    induction p as [p IH] using (well_founded_induction ends). intros D g H.
    destruct (N.eq_dec g 0) as [|Ne]; [lia|].
    destruct (S_absorbs p (N.pred g) D (S_heap p g (N.pred g) D H ltac:(lia))) as [(k & Lt & K)|(p' & M & K)].
    - exfalso. exact (S_heap p g k D H ltac:(lia) K).
    - pose proof (IH p' M (dom_move _ _ D M) _ K). pose proof (falls _ _ M). lia.
  Qed.
  Lemma value_exists p : dom p -> exists g, S p g.
  Proof.
    intros D. destruct (S_decided p (rank p) D) as [H|H]; [eauto|].
    destruct (S_absorbs p _ D H) as [(k & _ & K)|(p' & M & K)]; [eauto|].
    pose proof (value_at_most p' (dom_move _ _ D M) _ K). pose proof (falls _ _ M). lia.
  Qed.
  Theorem sprague_grundy p : dom p -> forall g, S p g <-> Grundy p g.
  Proof.
    induction p as [p IH] using (well_founded_induction ends). intros D.
    assert (K : forall g, S p g -> Grundy p g).
    { intros g H. constructor.
      - intros k Lt. destruct (S_absorbs p k D (S_heap p g k D H Lt)) as [(j & Lj & J)|(p' & M & J)].
        + exfalso. exact (S_heap p g j D H ltac:(lia) J).
        + exists p'. split; [exact M|]. now apply (IH p' M (dom_move _ _ D M)).
      - intros p' M. destruct (value_exists p' (dom_move _ _ D M)) as (k & Hk). exists k. split.
        + intros ->. exact (S_move p p' g D H M Hk).
        + now apply (IH p' M (dom_move _ _ D M)). }
    intros g. split; [apply K|]. intros G. destruct (value_exists p D) as (h & H).
    rewrite (value_unique p g h G (K h H)). exact H.
  Qed.
End Game.
