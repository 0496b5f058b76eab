//! The sentences of a claim in SMT-LIB 2, for solvers of others.
//!
//! Each says that something is wrong with the labelling, so a solver that
//! answers `unsat` to all of them says that it fits the moves. Each is a text of
//! its own, for not every solver answers more than one question in a run.

use super::fields::{Fields, Said, Sentences};
use super::formula::{Comparison, Formula, Relation};
use super::number::{
    Polynomial, Rational, Term, Variable, first_free, of_heap, of_heap_after, sign, whole,
};
use crate::symbolic::Transition;
use crate::unsupported::Unsupported;
use nimrule_model::game::{Claim, Convention, Game};
use std::cmp::Ordering;
use std::fmt::Write as _;

/// One sentence, as a solver reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// A word for the name of a file.
    pub name: String,
    /// What there is, should the solver answer `sat`.
    pub exception: &'static str,
    pub text: String,
}

/// Writes the sentences of a claim down.
pub fn sentences(game: &Game, claim: &Claim) -> Result<Vec<Sentence>, Unsupported> {
    let sentences = Sentences::read(game, claim)?;
    let mut written = Written {
        sentences: &sentences,
        text: String::new(),
        all: Vec::new(),
    };
    written.head(game, claim);
    written.rule();
    written.questions();
    Ok(written.all)
}

struct Written<'s> {
    sentences: &'s Sentences,
    /// What every sentence begins with.
    text: String,
    all: Vec<Sentence>,
}

impl Written<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The name of a variable: none of the solver's own has a dot.
    fn name(&self, variable: Variable) -> String {
        let heap = (variable / 2) as usize;
        let quoted = |side: &str, name: &str| {
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            match plain {
                true => format!("{side}.{name}"),
                false => format!("|{side}.{name}|"),
            }
        };
        match self.sentences.names.get(heap) {
            Some(name) if variable == of_heap(heap) => quoted("before", name),
            Some(name) => quoted("after", name),
            None => format!(
                "amount.{}",
                variable - first_free(self.sentences.heaps()) + 1
            ),
        }
    }

    fn before(&self) -> Vec<Variable> {
        (0..self.sentences.heaps()).map(of_heap).collect()
    }

    fn after(&self) -> Vec<Variable> {
        (0..self.sentences.heaps()).map(of_heap_after).collect()
    }

    /// `((before.x Real) (before.y Real))`
    fn bound(&self, variables: &[Variable]) -> String {
        let all: Vec<String> = variables
            .iter()
            .map(|variable| format!("({} Real)", self.name(*variable)))
            .collect();
        format!("({})", all.join(" "))
    }

    /// `before.x before.y`
    fn names(&self, variables: &[Variable]) -> String {
        let all: Vec<String> = variables.iter().map(|v| self.name(*v)).collect();
        all.join(" ")
    }

    fn head(&mut self, game: &Game, claim: &Claim) {
        let sentences = self.sentences;
        let mut products = false;
        let said = [&sentences.positions, &sentences.set];
        for said in said
            .into_iter()
            .chain(sentences.moves.iter().map(|part| &part.formula))
        {
            said.each(&mut |term, _| products |= term.as_linear().is_none());
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
        let zero = format_rational(&whole(0));
        let sizes = before
            .iter()
            .map(|v| format!("(<= {zero} {})", self.name(*v)));
        let mut parts: Vec<String> = sizes.collect();
        parts.push(self.said(&self.sentences.positions));
        let bound = self.bound(&before);
        let positions = joined("and", parts, "true");
        self.line(&format!(
            "(define-fun is-position {bound} Bool\n  {positions})"
        ));
        let set = self.said(&self.sentences.set);
        self.line("; The P-positions, as claimed.");
        self.line(&format!("(define-fun is-P {bound} Bool\n  {set})"));
        self.line("; The moves, whatever positions there are.");
        let moves = self.sentences.moves.iter();
        let moves = moves.map(|part| self.transition(part)).collect();
        let both: Vec<Variable> = before.iter().chain(&after).copied().collect();
        let bound = self.bound(&both);
        let moves = joined("or", moves, "false");
        self.line(&format!("(define-fun is-move {bound} Bool\n  {moves})"));
    }

    fn transition(&self, part: &Transition<Fields>) -> String {
        let zero = format_rational(&whole(0));
        let amounts = part.existentials.iter();
        let mut parts: Vec<String> = amounts
            .map(|amount| format!("(<= {zero} {})", self.name(*amount)))
            .collect();
        parts.push(self.said(&part.formula));
        for heap in 0..self.sentences.heaps() {
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

    /// One sentence, about a position where `parts` speak of one.
    fn ask(&mut self, name: &str, exception: &'static str, of: &[Variable], parts: &[String]) {
        let mut text = self.text.clone();
        text.push_str(&format!("; Is there {exception}?\n"));
        for variable in of {
            let name = self.name(*variable);
            text.push_str(&format!("(declare-const {name} Real)\n"));
        }
        for part in parts {
            text.push_str(&format!("(assert {part})\n"));
        }
        text.push_str("(check-sat)\n");
        self.all.push(Sentence {
            name: name.to_owned(),
            exception,
            text,
        });
    }

    fn questions(&mut self) {
        let all = self.before();
        let (before, after) = (self.names(&all), self.names(&self.after()));
        let bound = self.bound(&self.after());
        let position = format!("(is-position {before})");
        let lost = format!("(is-P {before})");
        let moves = format!("(is-move {before} {after}) (is-position {after})");
        let into = format!("(exists {bound} (and {moves} (is-P {after})))");
        let some = format!("(exists {bound} (and {moves}))");
        let misere = self.sentences.convention == Convention::Misere;
        for (number, fault) in (1..).zip(&self.sentences.faults) {
            // A fault of the rule may speak of amounts, and of sizes after it.
            let mut own = Vec::new();
            fault.condition.each(&mut |term, _| {
                let variables = term.terms.keys().flatten().map(|(variable, _)| *variable);
                own.extend(variables.filter(|variable| !all.contains(variable)));
            });
            own.sort_unstable();
            own.dedup();
            let own: Vec<Variable> = all.iter().copied().chain(own).collect();
            let parts = [position.clone(), self.said(&fault.condition)];
            let what = "a position where an expression has no value";
            self.ask(&format!("no-value-{number}"), what, &own, &parts);
        }
        if !self.sentences.consistent {
            let lost: Vec<String> = (0..self.sentences.heaps())
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
            self.ask("ends", what, &[], &[part]);
        }
        let leads = [position.clone(), lost.clone(), into.clone()];
        self.ask(
            "apart",
            "a P-position with a move to a P-position",
            &all,
            &leads,
        );
        let mut stuck = vec![
            position.clone(),
            format!("(not {lost})"),
            format!("(not {into})"),
        ];
        if misere {
            stuck.push(some.clone());
        }
        self.ask(
            "reached",
            "an N-position without a move to a P-position",
            &all,
            &stuck,
        );
        if misere {
            let idle = [position, lost, format!("(not {some})")];
            self.ask("movable", "a P-position without a move", &all, &idle);
        }
    }

    fn said(&self, said: &Said) -> String {
        match said {
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
                // What is taken away stands on the other side.
                let (left, right) = sides(sum);
                format!("({relation} {} {})", self.sum(&left), self.sum(&right))
            }
            Formula::Not(inner) => format!("(not {})", self.said(inner)),
            // It binds nothing.
            Formula::Exists(_, body) => self.said(body),
            Formula::And(all) => joined("and", all.iter().map(|p| self.said(p)).collect(), "true"),
            Formula::Or(any) => joined("or", any.iter().map(|p| self.said(p)).collect(), "false"),
        }
    }

    fn sum(&self, polynomial: &Polynomial) -> String {
        let (more, less) = sides(polynomial);
        if !less.terms.is_empty() {
            return format!("(- {} {})", self.sum(&more), self.sum(&less));
        }
        let terms = more.terms.iter().map(|(product, weight)| {
            let mut factors = Vec::new();
            if product.is_empty() || *weight != whole(1) {
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

/// The terms with positive weights, and the others with theirs turned.
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
    (side(Ordering::Greater), side(Ordering::Less).turned())
}

/// `(word a b)`, `a`, or what no parts at all come to.
fn joined(word: &str, mut parts: Vec<String>, none: &str) -> String {
    parts.retain(|part| part != none);
    match parts.len() {
        0 => none.to_owned(),
        1 => parts.remove(0),
        _ => {
            let mut text = format!("({word}");
            for part in parts {
                // To a string nothing fails to be written.
                let _ = write!(text, " {part}");
            }
            text.push(')');
            text
        }
    }
}

/// A number that is not negative, as SMT-LIB writes reals.
fn format_rational(value: &Rational) -> String {
    match value.is_integer() {
        true => format!("{}.0", value.numer()),
        false => format!("(/ {}.0 {}.0)", value.numer(), value.denom()),
    }
}
