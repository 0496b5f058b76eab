//! Comparisons of weighted sums, and conjunctions of them.

use nimrule_model::source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A natural number that comparisons speak of: a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    /// A heap of the position.
    Before(usize),
    /// A heap of the option.
    After(usize),
    /// An existential variable.
    Some(usize),
}

/// A weighted sum of variables, and a constant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Linear {
    pub weights: BTreeMap<Variable, i64>,
    pub constant: i64,
}

/// The weights and constants go no further than this.
const LARGEST: i64 = 1 << 20;

impl Linear {
    pub fn constant(constant: i64) -> Linear {
        Linear {
            weights: BTreeMap::new(),
            constant,
        }
    }

    pub fn variable(variable: Variable) -> Linear {
        Linear {
            weights: BTreeMap::from([(variable, 1)]),
            constant: 0,
        }
    }

    /// This plus `factor` times the other; `None` if that grows too large.
    pub fn plus(&self, factor: i64, other: &Linear) -> Option<Linear> {
        let sum = |one: i64, more: i64| {
            let sum = more.checked_mul(factor)?.checked_add(one)?;
            (-LARGEST..=LARGEST).contains(&sum).then_some(sum)
        };
        let mut all = self.clone();
        all.constant = sum(self.constant, other.constant)?;
        for (variable, weight) in &other.weights {
            let own = all.weights.entry(*variable).or_default();
            *own = sum(*own, *weight)?;
        }
        all.weights.retain(|_, weight| *weight != 0);
        Some(all)
    }

    /// Its value, where that depends on nothing.
    pub fn value(&self) -> Option<i64> {
        self.weights.is_empty().then_some(self.constant)
    }

    pub fn weight(&self, variable: Variable) -> i64 {
        self.weights.get(&variable).copied().unwrap_or(0)
    }

    /// Whether no weight has the other sign.
    pub fn has_sign(&self, sign: i64) -> bool {
        self.weights.values().all(|weight| weight * sign >= 0)
    }
}

/// A comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// The sum is 0.
    Zero(Linear),
    /// The sum is at most 0.
    AtMost(Linear),
    /// Some of the sums is not 0.
    NonZero(Vec<Linear>),
    /// Whether the sum leaves this remainder by the modulus.
    Residue {
        sum: Linear,
        modulus: i64,
        residue: i64,
        holds: bool,
    },
    /// Whether the variable is a power of the base.
    Power {
        base: i64,
        of: Variable,
        holds: bool,
        place: Place,
    },
    /// In every place the digits of the terms, added mod the modulus, are
    /// those of the results, added.
    Columns {
        base: i64,
        terms: Vec<Variable>,
        modulus: i64,
        results: Vec<Variable>,
        place: Place,
    },
}

/// Where in the text a comparison comes from: no two differ by it.
#[derive(Clone, Copy)]
pub struct Place(pub Span);

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}
impl Eq for Place {}
impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Place) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Place {
    fn cmp(&self, _: &Place) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl Atom {
    /// The sums that it speaks of.
    pub fn sums_mut(&mut self) -> Vec<&mut Linear> {
        match self {
            Atom::Zero(sum) | Atom::AtMost(sum) | Atom::Residue { sum, .. } => vec![sum],
            Atom::NonZero(sums) => sums.iter_mut().collect(),
            Atom::Power { .. } | Atom::Columns { .. } => Vec::new(),
        }
    }

    /// The variables whose single digits it speaks of.
    pub fn tracks_mut(&mut self) -> Vec<&mut Variable> {
        match self {
            Atom::Power { of, .. } => vec![of],
            Atom::Columns { terms, results, .. } => terms.iter_mut().chain(results).collect(),
            _ => Vec::new(),
        }
    }

    pub fn variables(&self) -> Vec<Variable> {
        let mut own = self.clone();
        let tracks: Vec<Variable> = own.tracks_mut().into_iter().map(|t| *t).collect();
        let sums = own.sums_mut().into_iter();
        sums.flat_map(|sum| sum.weights.keys().copied().collect::<Vec<_>>())
            .chain(tracks)
            .collect()
    }

    /// The same comparison between other variables.
    fn renamed(&self, name: impl Fn(&Variable) -> Variable) -> Atom {
        let mut atom = self.clone();
        for track in atom.tracks_mut() {
            *track = name(track);
        }
        for sum in atom.sums_mut() {
            let weights = sum.weights.iter();
            sum.weights = weights.map(|(v, weight)| (name(v), *weight)).collect();
        }
        if let Atom::NonZero(sums) = &mut atom {
            sums.sort();
        }
        atom
    }

    /// Whether it holds, where that is seen at once: variables are not
    /// negative.
    pub fn settled(&self) -> Option<bool> {
        match self {
            Atom::Zero(sum) => match sum.value() {
                Some(value) => Some(value == 0),
                None => (sum.constant > 0 && sum.has_sign(1)
                    || sum.constant < 0 && sum.has_sign(-1))
                .then_some(false),
            },
            Atom::AtMost(sum) if sum.constant <= 0 && sum.has_sign(-1) => Some(true),
            Atom::AtMost(sum) => (sum.constant > 0 && sum.has_sign(1)).then_some(false),
            Atom::NonZero(sums) => {
                if sums
                    .iter()
                    .any(|sum| sum.value().is_some_and(|value| value != 0))
                {
                    return Some(true);
                }
                let all = sums.iter().all(|sum| sum.value() == Some(0));
                all.then_some(false)
            }
            Atom::Residue {
                sum,
                modulus,
                residue,
                holds,
            } => {
                let divides = |weight: &i64| weight % modulus == 0;
                let fixed = sum.weights.values().all(divides);
                fixed.then(|| (sum.constant.rem_euclid(*modulus) == *residue) == *holds)
            }
            Atom::Power { .. } | Atom::Columns { .. } => None,
        }
    }
}

/// A conjunction of comparisons between a position, perhaps an option of it,
/// and existential variables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Clause {
    /// The heaps that the option may have otherwise, ascending.
    pub touched: Vec<usize>,
    /// How many existential variables there are.
    pub some: usize,
    pub atoms: Vec<Atom>,
}

impl Clause {
    /// A clause whose existential variables are numbered as they occur.
    pub fn new(touched: Vec<usize>, mut atoms: Vec<Atom>) -> Clause {
        let mut number = BTreeMap::new();
        for variable in atoms.iter().flat_map(Atom::variables) {
            if let Variable::Some(_) = variable {
                let next = number.len();
                number.entry(variable).or_insert(next);
            }
        }
        let renamed = |variable: &Variable| {
            let own = number.get(variable);
            own.map_or(*variable, |number| Variable::Some(*number))
        };
        for atom in &mut atoms {
            *atom = atom.renamed(renamed);
        }
        atoms.sort();
        Clause {
            touched,
            some: number.len(),
            atoms,
        }
    }

    /// The clause with the heaps permuted: `to[heap]` is where a heap goes.
    pub fn permuted(&self, to: &[usize]) -> Clause {
        let moved = |variable: &Variable| match variable {
            Variable::Before(heap) => Variable::Before(to[*heap]),
            Variable::After(heap) => Variable::After(to[*heap]),
            Variable::Some(_) => *variable,
        };
        let mut touched: Vec<usize> = self.touched.iter().map(|heap| to[*heap]).collect();
        touched.sort_unstable();
        let atoms = self.atoms.iter().map(|atom| atom.renamed(moved)).collect();
        Clause::new(touched, atoms)
    }

    /// What the clause says of an option that is not the position itself: a
    /// condition on the position, and relations that change heaps of their own
    /// and read no heap that another of them changes. So the option is reached
    /// by one relation after another, in any order.
    pub fn separated(&self) -> (Clause, Vec<Clause>) {
        let mut condition = Vec::new();
        let own = self.touched.iter().map(|heap| Variable::After(*heap));
        let mut groups: Vec<(BTreeSet<Variable>, Vec<Atom>)> = own
            .map(|after| (BTreeSet::from([after]), Vec::new()))
            .collect();
        for atom in &self.atoms {
            let variables = atom.variables();
            if variables.iter().all(|v| matches!(v, Variable::Before(_))) {
                condition.push(atom.clone());
                continue;
            }
            if self.is_change(atom) {
                continue;
            }
            let names = variables.into_iter().filter_map(|variable| match variable {
                Variable::Before(heap) => self
                    .touched
                    .contains(&heap)
                    .then_some(Variable::After(heap)),
                other => Some(other),
            });
            let mut whole = (names.collect::<BTreeSet<_>>(), vec![atom.clone()]);
            groups.retain_mut(|(names, atoms)| {
                let apart = whole.0.is_disjoint(names);
                if !apart {
                    whole.0.append(names);
                    whole.1.append(atoms);
                }
                apart
            });
            groups.push(whole);
        }
        let mut relations = Vec::new();
        for (names, mut atoms) in groups {
            let touched: Vec<usize> = names
                .iter()
                .filter_map(|name| match name {
                    Variable::After(heap) => Some(*heap),
                    _ => None,
                })
                .collect();
            atoms.sort();
            if touched.is_empty() {
                condition.append(&mut atoms);
            } else {
                relations.push(Clause::new(touched, atoms));
            }
        }
        relations.sort();
        (Clause::new(Vec::new(), condition), relations)
    }

    /// Whether a comparison says no more than that some heap changes.
    fn is_change(&self, atom: &Atom) -> bool {
        let Atom::NonZero(sums) = atom else {
            return false;
        };
        let is_of = |sum: &Linear, heap: usize| {
            let (before, after) = (Variable::Before(heap), Variable::After(heap));
            sum.constant == 0
                && sum.weights.len() == 2
                && sum.weight(before) == -sum.weight(after)
                && sum.weight(before) != 0
        };
        let mut touched = self.touched.iter();
        touched.all(|heap| sums.iter().any(|sum| is_of(sum, *heap)))
    }
}
