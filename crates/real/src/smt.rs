//! The sentences of a claim in SMT-LIB 2, for other solvers.
//!
//! Each sentence states that one condition of a consistent labelling, or of a cogame, is violated.
//! If a solver answers `unsat` to all of them, the labelling is consistent with
//! the moves. Each sentence is a separate script, because some solvers answer
//! only one query per run.

use super::fields::{Claimed, Fields, RealProblem, SizeFormula};
use super::formula::{Comparison, Comparisons, Formula, Relation};
use super::number::{
    Polynomial, Rational, Term, Variable, first_free, integer, of_heap, of_heap_after, sign,
};
use nimrule_model::game::{Claim, Convention, Game};
use nimrule_symbolic::Transition;
use nimrule_symbolic::Unsupported;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// An SMT-LIB 2 script with one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmtScript {
    /// A short name, for the name of a file.
    pub name: String,
    /// What exists if the solver answers `sat`: "a P-position without a move".
    pub violation: &'static str,
    /// The text of the script.
    pub text: String,
}

/// Returns the scripts of a claim about heaps of real size.
///
/// # Errors
///
/// The claim or the rule has an operation without a translation.
pub fn scripts(game: &Game, claim: &Claim) -> Result<Vec<SmtScript>, Unsupported> {
    let problem = RealProblem::read(game, claim)?;
    let mut writer = ScriptWriter {
        problem: &problem,
        text: String::new(),
        all: Vec::new(),
    };
    writer.head(game, claim);
    writer.rule();
    writer.conditions();
    Ok(writer.all)
}

struct ScriptWriter<'s> {
    problem: &'s RealProblem,
    /// The common begin of all scripts.
    text: String,
    all: Vec<SmtScript>,
}

impl ScriptWriter<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The name of a variable. It contains a dot, so that it differs from the
    /// predefined names.
    fn name(&self, variable: Variable) -> String {
        let heap = (variable / 2) as usize;
        let quoted = |side: &str, name: &str| {
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            match plain {
                true => format!("{side}.{name}"),
                false => format!("|{side}.{name}|"),
            }
        };
        match self.problem.names.get(heap) {
            Some(name) if variable == of_heap(heap) => quoted("before", name),
            Some(name) => quoted("after", name),
            None => format!("amount.{}", variable - first_free(self.problem.heaps()) + 1),
        }
    }

    fn before(&self) -> Vec<Variable> {
        (0..self.problem.heaps()).map(of_heap).collect()
    }

    fn after(&self) -> Vec<Variable> {
        (0..self.problem.heaps()).map(of_heap_after).collect()
    }

    /// The declaration of bound variables: `((before.x Real) (before.y Real))`.
    fn bound(&self, variables: &[Variable]) -> String {
        let all: Vec<String> = variables
            .iter()
            .map(|variable| format!("({} Real)", self.name(*variable)))
            .collect();
        format!("({})", all.join(" "))
    }

    /// The names in order: `before.x before.y`.
    fn names(&self, variables: &[Variable]) -> String {
        let all: Vec<String> = variables.iter().map(|v| self.name(*v)).collect();
        all.join(" ")
    }

    fn head(&mut self, game: &Game, claim: &Claim) {
        let problem = self.problem;
        let mut products = false;
        let sets = [&problem.positions, &problem.set];
        for formula in sets
            .into_iter()
            .chain(problem.moves.iter().map(|part| &part.formula))
        {
            formula.each(&mut |term, _| products |= term.as_linear().is_none());
        }
        self.line(&format!("; {}: {}", game.name, claim.words));
        self.line("; The labelling fits the moves if all its sentences are unsat.");
        self.line(&format!(
            "(set-logic {})",
            if products { "NRA" } else { "LRA" }
        ));
    }

    fn rule(&mut self) {
        let (before, after) = (self.before(), self.after());
        let zero = format_rational(&integer(0));
        let sizes = before
            .iter()
            .map(|v| format!("(<= {zero} {})", self.name(*v)));
        let mut parts: Vec<String> = sizes.collect();
        parts.push(self.formula(&self.problem.positions));
        let bound = self.bound(&before);
        let positions = joined("and", parts, "true");
        self.line(&format!(
            "(define-fun is-position {bound} Bool\n  {positions})"
        ));
        let set = self.formula(&self.problem.set);
        self.line("; The P-positions, as claimed.");
        self.line(&format!("(define-fun is-P {bound} Bool\n  {set})"));
        self.line("; The moves, whatever positions there are.");
        let moves = self.problem.moves.iter();
        let moves = moves.map(|part| self.transition(part)).collect();
        let both: Vec<Variable> = before.iter().chain(&after).copied().collect();
        let bound = self.bound(&both);
        let moves = joined("or", moves, "false");
        self.line(&format!("(define-fun is-move {bound} Bool\n  {moves})"));
    }

    fn transition(&self, part: &Transition<Fields>) -> String {
        let zero = format_rational(&integer(0));
        let amounts = part.existentials.iter();
        let mut parts: Vec<String> = amounts
            .map(|amount| format!("(<= {zero} {})", self.name(*amount)))
            .collect();
        parts.push(self.formula(&part.formula));
        for heap in 0..self.problem.heaps() {
            if !part.touched.contains(&heap) {
                let (before, after) = (of_heap(heap), of_heap_after(heap));
                parts.push(format!("(= {} {})", self.name(after), self.name(before)));
            }
        }
        let all = joined("and", parts, "true");
        match part.existentials.is_empty() {
            true => all,
            false => format!("(exists {} {all})", self.bound(&part.existentials)),
        }
    }

    /// Adds a script: there are values of the variables for which all parts hold.
    fn add_script(
        &mut self,
        name: &str,
        violation: &'static str,
        of: &[Variable],
        parts: &[String],
    ) {
        let mut text = self.text.clone();
        text.push_str(&format!("; Is there {violation}?\n"));
        for variable in of {
            let name = self.name(*variable);
            text.push_str(&format!("(declare-const {name} Real)\n"));
        }
        for part in parts {
            text.push_str(&format!("(assert {part})\n"));
        }
        text.push_str("(check-sat)\n");
        self.all.push(SmtScript {
            name: name.to_owned(),
            violation,
            text,
        });
    }

    fn conditions(&mut self) {
        let all = self.before();
        let (before, after) = (self.names(&all), self.names(&self.after()));
        let bound = self.bound(&self.after());
        let position = format!("(is-position {before})");
        let p_position = format!("(is-P {before})");
        let moves = format!("(is-move {before} {after}) (is-position {after})");
        let into = format!("(exists {bound} (and {moves} (is-P {after})))");
        let some = format!("(exists {bound} (and {moves}))");
        let misere = self.problem.convention == Convention::Misere;
        for (number, fault) in (1..).zip(&self.problem.faults) {
            // The condition of a fault may contain amounts and sizes after the move.
            let mut own = Vec::new();
            fault.condition.each(&mut |term, _| {
                let variables = term.terms.keys().flatten().map(|(variable, _)| *variable);
                own.extend(variables.filter(|variable| !all.contains(variable)));
            });
            own.sort_unstable();
            own.dedup();
            let own: Vec<Variable> = all.iter().copied().chain(own).collect();
            let parts = [position.clone(), self.formula(&fault.condition)];
            let what = "a position where an expression has no value";
            self.add_script(&format!("no-value-{number}"), what, &own, &parts);
        }
        if self.problem.claimed == Claimed::Outcomes {
            let lost: Vec<String> = (0..self.problem.heaps())
                .map(|heap| {
                    let (before, after) = (of_heap(heap), of_heap_after(heap));
                    format!("(- {} {})", self.name(before), self.name(after))
                })
                .collect();
            let lost = joined("+", lost, "0.0");
            let both: Vec<Variable> = all.iter().copied().chain(self.after()).collect();
            let small = format!(
                "(exists {} (and (<= 0.0 {}) (is-move {before} {after}) (< {lost} least)))",
                self.bound(&both),
                self.names(&all).replace(' ', ") (<= 0.0 ")
            );
            let part = format!("(forall ((least Real)) (=> (< 0.0 least) {small}))");
            let what = "no least amount that every move takes in all";
            self.add_script("ends", what, &[], &[part]);
        }
        let dependent = [position.clone(), p_position.clone(), into.clone()];
        self.add_script(
            "apart",
            "a P-position with a move to a P-position",
            &all,
            &dependent,
        );
        if self.problem.claimed == Claimed::Cogame {
            let from = format!(
                "(exists {bound} (and (is-move {after} {before}) (is-position {after}) \
                 (is-P {after})))"
            );
            let unreached = [
                position,
                format!("(not {p_position})"),
                format!("(not {from})"),
            ];
            let what = "an N-position that is no option of a P-position";
            return self.add_script("from", what, &all, &unreached);
        }
        let mut unabsorbed = vec![
            position.clone(),
            format!("(not {p_position})"),
            format!("(not {into})"),
        ];
        if misere {
            unabsorbed.push(some.clone());
        }
        self.add_script(
            "reached",
            "an N-position without a move to a P-position",
            &all,
            &unabsorbed,
        );
        if misere {
            let terminal = [position, p_position, format!("(not {some})")];
            self.add_script("movable", "a P-position without a move", &all, &terminal);
        }
    }

    fn formula(&self, formula: &SizeFormula) -> String {
        match formula {
            Formula::Const(value) => value.to_string(),
            Formula::Atom(Comparison {
                term: sum,
                relation,
            }) => {
                let relation = match relation {
                    Relation::Zero => "=",
                    Relation::Negative => "<",
                    Relation::AtMostZero => "<=",
                };
                // Negative terms are moved to the other side.
                let (left, right) = sides(sum);
                format!("({relation} {} {})", self.sum(&left), self.sum(&right))
            }
            Formula::Not(inner) => format!("(not {})", self.formula(inner)),
            // The quantifier binds no variable.
            Formula::Exists(_, body) => self.formula(body),
            Formula::And(all) => {
                joined("and", all.iter().map(|p| self.formula(p)).collect(), "true")
            }
            Formula::Or(any) => {
                joined("or", any.iter().map(|p| self.formula(p)).collect(), "false")
            }
        }
    }

    fn sum(&self, polynomial: &Polynomial) -> String {
        let (more, less) = sides(polynomial);
        if !less.terms.is_empty() {
            return format!("(- {} {})", self.sum(&more), self.sum(&less));
        }
        let terms = more.terms.iter().map(|(product, weight)| {
            let mut factors = Vec::new();
            if product.is_empty() || *weight != integer(1) {
                factors.push(format_rational(weight));
            }
            for (variable, exponent) in product {
                let name = self.name(*variable);
                factors.extend((0..*exponent).map(|_| name.clone()));
            }
            joined("*", factors, "1.0")
        });
        joined("+", terms.collect(), "0.0")
    }
}

/// The terms with positive weights, and the negated terms with negative weights.
fn sides(polynomial: &Polynomial) -> (Polynomial, Polynomial) {
    let side = |wanted: Ordering| {
        let terms = polynomial.terms.iter();
        let terms = terms.filter(move |(_, weight)| sign(weight) == wanted);
        Polynomial {
            terms: terms
                .map(|(p, weight)| (p.clone(), weight.clone()))
                .collect(),
        }
    };
    (side(Ordering::Greater), side(Ordering::Less).negated())
}

/// The application of an associative operator: `(word a b)`, `a` alone, or the
/// neutral element `none`.
fn joined(word: &str, mut parts: Vec<String>, none: &str) -> String {
    parts.retain(|part| part != none);
    match parts.len() {
        0 => none.to_owned(),
        1 => parts.remove(0),
        _ => {
            let mut text = format!("({word}");
            for part in parts {
                // Writing to a string cannot fail.
                let _ = write!(text, " {part}");
            }
            text.push(')');
            text
        }
    }
}

/// A nonnegative number in the syntax of SMT-LIB.
fn format_rational(value: &Rational) -> String {
    match value.is_integer() {
        true => format!("{}.0", value.numer()),
        false => format!("(/ {}.0 {}.0)", value.numer(), value.denom()),
    }
}
