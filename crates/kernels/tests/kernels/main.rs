//! Each kernel compared with plain recursion.

mod arena;
mod columns;
mod hypergraph_nim;
mod nim_sums;
mod sparse;
mod subtraction_vectors;
