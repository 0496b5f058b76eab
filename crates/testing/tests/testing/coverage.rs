//! Coverage of the grammar: the generator produces every construct.
//!
//! The test reads the rules of the grammar file, so that it fails for a new rule
//! that the generator does not produce.

use nimrule_syntax::{grammar_rules, grammar_rules_in};
use nimrule_testing::compare::compiled;
use nimrule_testing::generate::{RuleClass, rule};
use std::collections::BTreeMap;

/// The rules that the generator does not produce, and why.
const NOT_MADE: [(&str, &str); 16] = [
    ("single_statement", "a text of its own, read by editors"),
    ("single_position", "a text of its own, on the command line"),
    ("single_value", "a text of its own, on the command line"),
    ("single_condition", "a text of its own, on the command line"),
    ("file_board", "there are no files beside a random rule"),
    ("file_ref", "there are no files beside a random rule"),
    ("word", "within other words"),
    ("short_if", "choices are written with brackets"),
    (
        "real_size",
        "heaps of real size have no options to enumerate",
    ),
    ("kw_real", "heaps of real size have no options to enumerate"),
    // These views change pictures alone, and each fits few rules; `shown as rows` is made.
    ("kw_strip", "it fits few rules"),
    ("kw_bar", "it fits few rules"),
    ("kw_tree", "it fits few rules"),
    ("kw_order", "it fits few rules"),
    ("reserved", "looked ahead for only"),
    ("EOI", "the end"),
];

#[test]
fn every_rule_of_the_grammar_is_made() {
    let mut made: BTreeMap<String, usize> = BTreeMap::new();
    let (mut sound, mut texts) = (0, 0);
    let is_wanted =
        |rule: &String| !is_silent(rule) && !NOT_MADE.iter().any(|(name, _)| name == rule);
    let wanted: Vec<String> = grammar_rules().into_iter().filter(is_wanted).collect();
    for seed in 0..12_000 {
        if seed >= 500 && wanted.iter().all(|rule| made.contains_key(rule)) {
            break;
        }
        let text = rule(seed, RuleClass::Any).to_string();
        // Invalid texts do not count; of the later ones those that have something new are looked at.
        let rules = grammar_rules_in(&text);
        let is_new = |rules: &Vec<String>| rules.iter().any(|rule| !made.contains_key(rule));
        if seed >= 500 && !rules.as_ref().is_some_and(is_new) {
            continue;
        }
        texts += 1;
        if compiled(&text).is_none() {
            continue;
        }
        sound += 1;
        for rule in rules.unwrap_or_else(|| panic!("not parsed as a whole: {text}")) {
            *made.entry(rule).or_default() += 1;
        }
    }
    assert!(sound * 3 > texts, "{sound} of {texts} texts make sense");
    let mut missing = wanted;
    missing.retain(|rule| !made.contains_key(rule));
    assert!(missing.is_empty(), "never made: {missing:?}");
    for (name, why) in NOT_MADE {
        assert!(
            !made.contains_key(name) || name == "EOI",
            "{name} is made, although: {why}"
        );
    }
}

/// Whether a rule is silent: it yields no pair of its own.
fn is_silent(rule: &str) -> bool {
    let grammar = include_str!("../../../../grammar/nimrule.pest");
    grammar.lines().any(|line| {
        line.split_once('=')
            .is_some_and(|(name, body)| name.trim() == rule && body.trim_start().starts_with('_'))
    }) || rule == "COMMENT"
}
