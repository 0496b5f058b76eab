//! Relations of valuations, the numbers of zeros at the end of terms in base 2: their
//! remainders, and that two of them are equal. 0 has no valuation, so each relation is tried
//! as true and as false there.

use super::{Bits, bits};

/// The largest modulus of a valuation.
const LARGEST_MODULUS: i64 = 3;

/// The number of zeros at the end of a term in base 2.
pub(super) struct Valuation {
    /// The term.
    of: String,
    /// The positions at which the term is not 0.
    defined: Bits,
    /// The valuations; 0 where there is none.
    values: Vec<i64>,
}

/// A relation of valuations, and the terms that must not be 0 for it to have a meaning.
pub(super) struct OfValuations {
    relation: String,
    terms: Vec<String>,
}

impl OfValuations {
    pub fn guarded(&self) -> String {
        let positive: Vec<String> = self
            .terms
            .iter()
            .map(|term| format!("{term} > 0"))
            .collect();
        format!("{} and {}", positive.join(" and "), self.relation)
    }

    /// In brackets, since `and` binds closer.
    pub fn or_zero(&self) -> String {
        let zero: Vec<String> = self
            .terms
            .iter()
            .map(|term| format!("{term} == 0"))
            .collect();
        format!("({} or {})", zero.join(" or "), self.relation)
    }
}

impl Valuation {
    /// The valuation of a single heap or of one function of all heaps; `None` for other terms,
    /// and for those that are negative somewhere.
    pub fn new((of, values): &(String, Vec<i64>)) -> Option<Valuation> {
        let is_plain = !of.contains([' ', ',']);
        (is_plain && values.iter().all(|value| *value >= 0)).then(|| Valuation {
            of: of.clone(),
            defined: bits(values.iter().map(|value| *value > 0)),
            values: (values.iter())
                .map(|value| {
                    if *value > 0 {
                        value.trailing_zeros().into()
                    } else {
                        0
                    }
                })
                .collect(),
        })
    }

    fn words(&self) -> String {
        format!("valuation(2, {})", self.of)
    }

    /// The remainders of the valuation, and its equality with others: each with the positions
    /// at which it has a meaning, and those at which it holds if it has one.
    pub fn relations(&self, others: &[Valuation]) -> Vec<(OfValuations, Bits, Bits)> {
        let mut all = Vec::new();
        for modulus in 2..=LARGEST_MODULUS {
            for rest in 0..modulus {
                let words = OfValuations {
                    relation: format!("{} mod {modulus} == {rest}", self.words()),
                    terms: vec![self.of.clone()],
                };
                let holds = bits(self.values.iter().map(|value| value % modulus == rest));
                all.push((words, self.defined.clone(), holds));
            }
        }
        for other in others {
            let words = OfValuations {
                relation: format!("{} == {}", self.words(), other.words()),
                terms: vec![self.of.clone(), other.of.clone()],
            };
            let defined = self.defined.iter().zip(&other.defined);
            let holds = bits(self.values.iter().zip(&other.values).map(|(a, b)| a == b));
            all.push((words, defined.map(|(a, b)| a & b).collect(), holds));
        }
        all
    }
}
