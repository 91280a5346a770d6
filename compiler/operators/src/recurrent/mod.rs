//! Recurrent layers: one matrix product of the input for all steps, and a `Scan` over the steps.

mod activation;
mod gru;
mod layer;
mod lstm;
mod rnn;
mod shapes;

pub(crate) use layer::{RANKS, Weights};
pub(crate) use lstm::Lstm;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[&gru::GRU, &lstm::LSTM, &rnn::RNN];
