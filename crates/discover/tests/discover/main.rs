//! What is found without a claim, compared with the definition.

mod forms;
mod residual_learning;
