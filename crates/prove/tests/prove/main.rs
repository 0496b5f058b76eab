//! Decisions and counterexamples, compared with the definitions of what they rest on.

mod any_number;
mod counterexample;
mod digits;
mod hypergraph_nim;
mod same_as;
