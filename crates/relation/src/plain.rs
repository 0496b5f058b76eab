//! Labels by the definition, round by round until nothing changes: what the
//! faster ways are compared with.

use super::{Label, Relation, Stuck};

/// Who wins where, in time that grows with the rounds of play.
///
/// In round d every state is looked at that is not labelled yet. It is won in
/// d if some arc leads to a state that is lost in fewer; it is lost in d if
/// every arc leads to one that is won in fewer.
pub fn labels(relation: &Relation, stuck: Stuck) -> Vec<Label> {
    let mut labels = vec![Label::Draw; relation.states()];
    for (state, label) in labels.iter_mut().enumerate() {
        if relation.from(state).is_empty() {
            *label = match stuck {
                Stuck::Loses => Label::Lose(0),
                Stuck::Wins => Label::Win(0),
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
