//! Labels by their definition, for comparison with the faster algorithms.

use super::{Label, Relation, Terminal};

/// The labels of all states, by iteration to a fixed point.
///
/// Round d labels states of remoteness d: a state is won if some arc leads to a
/// state lost in fewer moves, and lost if every arc leads to a state won in
/// fewer moves. Each round reads all states.
pub fn labels(relation: &Relation, terminal: Terminal) -> Vec<Label> {
    let mut labels = vec![Label::Draw; relation.states()];
    for (state, label) in labels.iter_mut().enumerate() {
        if relation.from(state).is_empty() {
            *label = match terminal {
                Terminal::Loses => Label::Lose(0),
                Terminal::Wins => Label::Win(0),
            };
        }
    }
    let mut round = 1;
    loop {
        let earlier = labels.clone();
        for (state, label) in labels.iter_mut().enumerate() {
            if earlier[state] != Label::Draw {
                continue;
            }
            let mut options = relation.from(state).iter().map(|to| earlier[*to as usize]);
            if options.any(|option| matches!(option, Label::Lose(_))) {
                *label = Label::Win(round);
                continue;
            }
            let mut options = relation.from(state).iter().map(|to| earlier[*to as usize]);
            if options.all(|option| matches!(option, Label::Win(_))) {
                *label = Label::Lose(round);
            }
        }
        if labels == earlier {
            return labels;
        }
        round += 1;
    }
}
