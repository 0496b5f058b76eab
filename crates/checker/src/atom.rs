//! Comparisons of weighted sums, and conjunctions of them.
//!
//! The `Debug` output of these types is part of the format of certificates:
//! `certificate` hashes it to identify a rule. Names of types, variants and
//! fields, and the order of fields, must not change.

use nimrule_model::source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A natural number in a comparison. Each variable is a track of the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    /// A heap of the position.
    Before(usize),
    /// A heap of the option.
    After(usize),
    /// An existential variable.
    Some(usize),
}

/// A linear form: a weighted sum of variables plus a constant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Linear {
    /// The weight of each variable.
    pub weights: BTreeMap<Variable, i64>,
    /// The constant term.
    pub constant: i64,
}

/// The largest absolute value of a weight or constant.
const LARGEST: i64 = 1 << 20;

impl Linear {
    /// The form without variables that has this value.
    pub fn constant(constant: i64) -> Linear {
        Linear {
            weights: BTreeMap::new(),
            constant,
        }
    }

    /// The form that is a single variable.
    pub fn variable(variable: Variable) -> Linear {
        Linear {
            weights: BTreeMap::from([(variable, 1)]),
            constant: 0,
        }
    }

    /// `self + factor * other`; `None` if a weight or the constant becomes too
    /// large.
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

    /// The value of a form without variables.
    pub fn value(&self) -> Option<i64> {
        self.weights.is_empty().then_some(self.constant)
    }

    /// The weight of a variable, 0 if it does not occur.
    pub fn weight(&self, variable: Variable) -> i64 {
        self.weights.get(&variable).copied().unwrap_or(0)
    }

    /// Whether every weight is 0 or has this sign, 1 or -1.
    pub fn has_sign(&self, sign: i64) -> bool {
        self.weights.values().all(|weight| weight * sign >= 0)
    }
}

/// An atomic formula: a comparison of linear forms, or a relation between the
/// digits of variables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// The sum is 0.
    Zero(Linear),
    /// The sum is at most 0.
    AtMost(Linear),
    /// At least one of the sums is not 0.
    NonZero(Vec<Linear>),
    /// The sum is congruent to the residue modulo the modulus; the negation of
    /// that if `holds` is false.
    Residue {
        /// The sum.
        sum: Linear,
        /// The modulus, positive.
        modulus: i64,
        /// The residue, from 0 to the modulus - 1.
        residue: i64,
        /// False for the negation.
        holds: bool,
    },
    /// The variable is a power of the base; the negation of that if `holds` is
    /// false.
    Power {
        /// The base of the powers, at least 2.
        base: i64,
        /// The variable.
        of: Variable,
        /// False for the negation.
        holds: bool,
        /// Where the text has the comparison.
        place: Place,
    },
    /// At every place of the numeration in `base`, the sum of the digits of the
    /// terms, reduced modulo the modulus, is the sum of the digits of the
    /// results.
    Columns {
        /// The base of the numeration, at least 2.
        base: i64,
        /// The variables whose digits are added.
        terms: Vec<Variable>,
        /// The modulus of each sum, positive.
        modulus: i64,
        /// The variables whose digits are added for comparison.
        results: Vec<Variable>,
        /// Where the text has the comparison.
        place: Place,
    },
    /// In the Ostrowski numeration of this quotient the digits of `lower`, which is not 0,
    /// end in an even number of zeros, and those of `upper` are the same, one place up.
    ///
    /// With β = [a; a, a, …] for the quotient a, this holds of two numbers if and only if
    /// they are ⌊n(β - a + 1)⌋ and ⌊n(β + 1)⌋ for some n > 0 (Fraenkel 1982). Their
    /// difference is a·n.
    Pair {
        /// The quotient a.
        quotient: u8,
        /// The lower number of the pair.
        lower: Variable,
        /// The upper number of the pair.
        upper: Variable,
        /// Where the text has the root that needs it.
        place: Place,
    },
}

/// The place in the text that a comparison comes from. All places compare
/// equal, so that equality of comparisons ignores them.
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
    /// The linear forms that are compared.
    pub fn sums_mut(&mut self) -> Vec<&mut Linear> {
        match self {
            Atom::Zero(sum) | Atom::AtMost(sum) | Atom::Residue { sum, .. } => vec![sum],
            Atom::NonZero(sums) => sums.iter_mut().collect(),
            Atom::Power { .. } | Atom::Columns { .. } | Atom::Pair { .. } => Vec::new(),
        }
    }

    /// The variables whose digits are related.
    pub fn tracks_mut(&mut self) -> Vec<&mut Variable> {
        match self {
            Atom::Power { of, .. } => vec![of],
            Atom::Columns { terms, results, .. } => terms.iter_mut().chain(results).collect(),
            Atom::Pair { lower, upper, .. } => vec![lower, upper],
            _ => Vec::new(),
        }
    }

    /// All variables that occur, perhaps repeatedly.
    pub fn variables(&self) -> Vec<Variable> {
        let mut own = self.clone();
        let tracks: Vec<Variable> = own.tracks_mut().into_iter().map(|t| *t).collect();
        let sums = own.sums_mut().into_iter();
        sums.flat_map(|sum| sum.weights.keys().copied().collect::<Vec<_>>())
            .chain(tracks)
            .collect()
    }

    /// The comparison with its variables renamed.
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

    /// Whether the comparison is true or false for all natural numbers, as far
    /// as signs and residues of the weights decide it; otherwise `None`.
    pub fn truth_value(&self) -> Option<bool> {
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
                let is_constant = sum.weights.values().all(divides);
                is_constant.then(|| (sum.constant.rem_euclid(*modulus) == *residue) == *holds)
            }
            Atom::Power { .. } | Atom::Columns { .. } | Atom::Pair { .. } => None,
        }
    }
}

/// A conjunction of comparisons: a relation between a position and an option of
/// it, or a condition on a position, with existential variables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Clause {
    /// The heaps whose size may differ between position and option, ascending.
    pub touched: Vec<usize>,
    /// The number of existential variables.
    pub some: usize,
    /// The comparisons, sorted.
    pub atoms: Vec<Atom>,
}

impl Clause {
    /// A clause, its existential variables renumbered in the order in which they
    /// occur.
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

    /// The clause with its heaps permuted: heap `h` goes to heap `to[h]`.
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

    /// The clause with the roles of position and option exchanged.
    pub fn reversed(&self) -> Clause {
        let exchanged = |variable: &Variable| match variable {
            Variable::Before(heap) if self.touched.contains(heap) => Variable::After(*heap),
            Variable::After(heap) => Variable::Before(*heap),
            _ => *variable,
        };
        let atoms = self.atoms.iter().map(|atom| atom.renamed(exchanged));
        Clause::new(self.touched.clone(), atoms.collect())
    }

    /// An equivalent clause in a normal form, so that most clauses with the same solutions
    /// are equal: the equations are solved for their first variables, which are replaced in
    /// all other comparisons, and comparisons that always hold are left out. A clause whose
    /// numbers become too large is returned as it is.
    pub fn normalised(&self) -> Clause {
        self.with_solved_equations().unwrap_or_else(|| self.clone())
    }

    fn with_solved_equations(&self) -> Option<Clause> {
        let signed = |sum: &Linear| {
            let negative = sum
                .weights
                .values()
                .next()
                .is_some_and(|weight| *weight < 0);
            Linear::default().plus(if negative { -1 } else { 1 }, sum)
        };
        let mut atoms = self.atoms.clone();
        let variables: BTreeSet<Variable> = atoms.iter().flat_map(Atom::variables).collect();
        let mut solved = Vec::new();
        for variable in variables {
            let is_unit = |atom: &Atom| match atom {
                Atom::Zero(sum) => sum.weight(variable).abs() == 1,
                _ => false,
            };
            let Some(Atom::Zero(equation)) = atoms
                .iter()
                .position(is_unit)
                .map(|at| atoms.swap_remove(at))
            else {
                continue;
            };
            let equation = Linear::default().plus(equation.weight(variable), &equation)?;
            let sums = atoms.iter_mut().flat_map(Atom::sums_mut);
            for sum in sums.chain(&mut solved) {
                *sum = sum.plus(-sum.weight(variable), &equation)?;
            }
            solved.push(equation);
        }
        let mut found: Vec<Atom> = Vec::new();
        for atom in atoms {
            found.push(match atom {
                Atom::Zero(sum) => Atom::Zero(signed(&sum)?),
                Atom::NonZero(sums) => {
                    let mut sums: Vec<Linear> = sums.iter().map(signed).collect::<Option<_>>()?;
                    sums.retain(|sum| sum.value() != Some(0));
                    sums.sort();
                    sums.dedup();
                    Atom::NonZero(sums)
                }
                other => other,
            });
        }
        found.extend(solved.into_iter().map(Atom::Zero));
        found.retain(|atom| match atom {
            Atom::AtMost(sum) => !(sum.constant <= 0 && sum.has_sign(-1)),
            Atom::NonZero(sums) => !sums.iter().any(|sum| sum.value().is_some_and(|v| v != 0)),
            other => other.truth_value() != Some(true),
        });
        let all = found.clone();
        found.retain(|atom| match atom {
            Atom::AtMost(sum) => !all.iter().any(|other| match other {
                Atom::AtMost(more) => more.weights == sum.weights && more.constant > sum.constant,
                _ => false,
            }),
            _ => true,
        });
        found.sort();
        found.dedup();
        Some(Clause::new(self.touched.clone(), found))
    }

    /// Splits the clause into independent parts: a condition on the position,
    /// and relations of which each changes its own heaps and reads no heap that
    /// another one changes. The clause is their composition in any order, apart
    /// from comparisons that only exclude the position itself as an option,
    /// which are dropped.
    pub fn separate(&self) -> (Clause, Vec<Clause>) {
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
            if self.only_excludes_identity(atom) {
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

    /// Whether a comparison is true of every option other than the position
    /// itself.
    fn only_excludes_identity(&self, atom: &Atom) -> bool {
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
