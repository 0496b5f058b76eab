(* What a theorem's file needs. *)
Require Export List NArith ZArith.
From Nimrule Require Export Game Hyper Claim Proves.
Export ListNotations.
Coercion Z.of_N : N >-> Z.
Notation "a 'xor' b" := (Z.lxor a b) (at level 45, left associativity) : Z_scope.
