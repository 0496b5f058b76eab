//! Single engines, compared with recursion by the definition of a move or with one another.

mod counted;
mod nimbers;
mod search_first;
mod sorted;
mod table_checkpoint;
mod time_estimate;
