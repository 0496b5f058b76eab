//! Misère quotients compared with the literature and with search.

mod proof;
mod search;
