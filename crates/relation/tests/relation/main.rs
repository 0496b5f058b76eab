//! Finite relations: the fast algorithms compared with the definition.

mod isomorphism;
mod relations;
