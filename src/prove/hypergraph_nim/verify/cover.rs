//! Whether the parts of a certificate cover every position.

use super::Moves;
use crate::automata::interner::Interner;
use crate::automata::levelled::{ACCEPT, LevelledDfa, REJECT};
use crate::automata::memo::Memo;
use crate::limits::{Limits, Met};
use crate::prove::hypergraph_nim::certificate::Certificate;

/// One part turned by one of its images.
struct Member {
    diagram: LevelledDfa,
    /// For every support whether the selection may be used, and whether it may
    /// at all larger ones too, and at any.
    usable: Vec<bool>,
    always: Vec<bool>,
    ever: Vec<bool>,
}

/// Follows the members side by side, with the support. What no longer accepts
/// is dropped; what accepts whatever comes ends the search there.
pub(super) fn covers(
    certificate: &Certificate,
    moves: &Moves,
    limits: &Limits,
) -> Result<bool, Met> {
    let (heaps, base) = (moves.heaps, certificate.set.base);
    let members = members(certificate, moves, limits)?;
    let alike = members.iter().all(|member| member.always[0]) && !moves.misere;
    // A tuple: the support and the level, then member and node in turn.
    let mut tuples = Interner::new();
    let mut tuple = vec![0, 0];
    for (index, member) in members.iter().enumerate() {
        if member.diagram.starts[0] == ACCEPT && member.always[0] {
            return Ok(true);
        }
        tuple.extend([index as u32, member.diagram.starts[0]]);
    }
    tuples.insert(&tuple);
    let mut index = 0;
    let mut to: Vec<u32> = Vec::new();
    while (index as usize) < tuples.len() {
        if index & 0xfff == 0 {
            limits.within_time()?;
            limits.within_memory(tuples.bytes() as u128)?;
        }
        tuple.clear();
        tuple.extend_from_slice(tuples.get(index));
        index += 1;
        let (support, level) = (tuple[0], tuple[1] as usize);
        if level == 0 {
            let accepted = tuple[2..].chunks_exact(2).any(|pair| {
                let member = &members[pair[0] as usize];
                member.usable[support as usize] && member.diagram.accepting[pair[1] as usize]
            });
            if !(accepted || moves.misere && moves.is_stuck(support)) {
                return Ok(false);
            }
        }
        'digits: for digit in 0..base {
            let support = if digit == 0 || alike {
                support
            } else {
                support | 1 << level
            };
            to.clear();
            to.extend([support, ((level + 1) % heaps) as u32]);
            for pair in tuple[2..].chunks_exact(2) {
                let member = &members[pair[0] as usize];
                let node = member.diagram.after(pair[1], digit);
                if node == ACCEPT && member.always[support as usize] {
                    continue 'digits;
                }
                if node != REJECT && member.ever[support as usize] {
                    to.extend([pair[0], node]);
                }
            }
            tuples.insert(&to);
        }
    }
    Ok(true)
}

fn members(certificate: &Certificate, moves: &Moves, limits: &Limits) -> Result<Vec<Member>, Met> {
    let heaps = moves.heaps;
    let supports = 1u32 << heaps;
    let member = |diagram: LevelledDfa, usable: Vec<bool>| {
        let larger = |support: u32| (support..supports).filter(move |more| support & !more == 0);
        let always = (0..supports)
            .map(|s| larger(s).all(|more| usable[more as usize]))
            .collect();
        let ever = (0..supports)
            .map(|s| larger(s).any(|more| usable[more as usize]))
            .collect();
        Member {
            diagram,
            usable,
            always,
            ever,
        }
    };
    // A position of the set itself needs no selection.
    let mut members = vec![member(
        certificate.set.clone(),
        vec![true; supports as usize],
    )];
    for part in &certificate.parts {
        let Some((_, last)) = part.steps.last() else {
            continue;
        };
        for images in &part.images {
            let selection = (0..heaps)
                .filter(|&heap| part.selection >> heap & 1 != 0)
                .fold(0u32, |all, heap| all | 1 << images[heap]);
            // Empty heaps cannot be lowered, so that they may be in it.
            let usable = (0..supports)
                .map(|support| {
                    let within = selection & support;
                    within == 0 || moves.allow(support, within)
                })
                .collect();
            members.push(member(turned(last, images, limits)?, usable));
        }
    }
    Ok(members)
}

/// The diagram that reads heap i where the given one reads the heap that went
/// to i.
fn turned(diagram: &LevelledDfa, images: &[u8], limits: &Limits) -> Result<LevelledDfa, Met> {
    let (heaps, base) = (diagram.tracks, diagram.base);
    let mut turned = LevelledDfa {
        base,
        tracks: heaps,
        starts: Vec::new(),
        level: vec![0, 0],
        accepting: vec![false, true],
        next: [vec![REJECT; base], vec![ACCEPT; base]].concat(),
    };
    // Nodes between letters keep their order; those inside are shared.
    let between: Vec<u32> = (2..diagram.level.len() as u32)
        .filter(|&node| diagram.level[node as usize] == 0)
        .collect();
    let mut number = vec![REJECT; diagram.level.len()];
    number[ACCEPT as usize] = ACCEPT;
    for &node in &between {
        number[node as usize] = turned.level.len() as u32;
        turned.level.push(0);
        turned.accepting.push(diagram.accepting[node as usize]);
        turned.next.extend(std::iter::repeat_n(REJECT, base));
    }
    turned.starts.push(number[diagram.starts[0] as usize]);
    let letters = base.pow(heaps as u32);
    let mut shared: Memo<(u8, Vec<u32>), u32> = Memo::default();
    let mut row = vec![REJECT; letters];
    for (index, &node) in between.iter().enumerate() {
        if index & 0xff == 0 {
            limits.within_time()?;
        }
        for (letter, place) in row.iter_mut().enumerate() {
            // Here the letter's highest digit is that of the first heap read.
            let digit = |heap: usize| letter / base.pow((heaps - 1 - heap) as u32) % base;
            let end = (0..heaps).fold(node, |node, heap| {
                diagram.after(node, digit(usize::from(images[heap])))
            });
            *place = number[end as usize];
        }
        let mut ends = row.clone();
        for level in (0..heaps).rev() {
            ends = ends
                .chunks_exact(base)
                .map(|after| {
                    if level == 0 {
                        let place = number[node as usize] as usize * base;
                        turned.next[place..place + base].copy_from_slice(after);
                        return REJECT;
                    }
                    if after.iter().all(|&to| to == after[0]) && after[0] <= ACCEPT {
                        return after[0];
                    }
                    shared.or_insert_with((level as u8, after.to_vec()), || {
                        turned.level.push(level as u8);
                        turned.accepting.push(false);
                        turned.next.extend_from_slice(after);
                        turned.level.len() as u32 - 1
                    })
                })
                .collect();
        }
    }
    Ok(turned)
}
