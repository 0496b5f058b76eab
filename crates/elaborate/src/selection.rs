//! Selections: the sets of heaps that a step may act on.

use super::names::Meaning;
use super::{BoardProblem, Checker, Problem};
use itertools::Itertools;
use nimrule_board::shrinking::ShrinkingBoard;
use nimrule_board::{Arrangement, CellKind};
use nimrule_model::expr::{HeapId, Num};
use nimrule_model::game::{CountedSets, Members, Number, RemainingSets, Selection, SetFamily};
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{self, Expr, FamilyName, HeapSet, Name, What};

/// The largest number of sets in a selection.
pub const MAX_MEMBERS: usize = 200_000;

/// The largest total size of the sets of a selection.
const MAX_LISTED: usize = 4_000_000;

/// The members of a family.
struct Family {
    members: Vec<Vec<HeapId>>,
    word: String,
    /// On a shrinking board: runs of neighbours among the remaining heaps.
    neighbours: bool,
}

impl Family {
    /// The unions of this many members among the remaining heaps.
    fn left(self, board: ShrinkingBoard, number: Number) -> Members {
        Members::Remaining(RemainingSets {
            board,
            family: match self.neighbours {
                true => SetFamily::Consecutive { least: 2, most: 2 },
                false => SetFamily::Listed(self.members),
            },
            number,
        })
    }
}

/// Whether a step may leave a selected heap unchanged; then choosing exactly
/// N members is the same as choosing up to N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untouched {
    Allowed,
    NotAllowed,
}

impl Checker<'_> {
    /// The sets of heaps that a selection chooses from. After an error its name is bound
    /// nevertheless, to avoid further errors.
    pub fn selection(
        &mut self,
        selection: &Spanned<ast::Selection>,
        untouched: Untouched,
    ) -> Option<Selection> {
        let checked = self.checked_selection(selection, untouched);
        if let (None, Some(name)) = (&checked, &selection.node.bound)
            && self.names.peek(&name.node).is_none()
        {
            self.names.bind_unknown(&name.node);
        }
        checked
    }

    fn checked_selection(
        &mut self,
        selection: &Spanned<ast::Selection>,
        untouched: Untouched,
    ) -> Option<Selection> {
        let at = selection.span;
        let words = self.quote(at);
        if let (Some(place), true) = (&selection.node.place, self.heap_kinds.is_some()) {
            self.problem(super::MultisetProblem::NoPlaces { at: place.span });
            return None;
        }
        if self.heap_kinds.is_some() && !matches!(selection.node.what, What::Named { .. }) {
            return self.multiset_selection(selection, words);
        }
        let free = untouched == Untouched::Allowed && selection.node.bound.is_none();
        let members = match &selection.node.what {
            what if let Some(place) = &selection.node.place => self.placed(what, place)?,
            What::UpTo { count, .. }
            | What::Consecutive { count, .. }
            | What::Exactly { count, .. }
                if let Some(varying) = self.varying_count(count) =>
            {
                self.by_count(&selection.node.what, varying?, at)?
            }
            What::All(family) => {
                let family = self.family(family)?;
                if let Some(board) = self.shrinking {
                    family.left(board, Number::All)
                } else {
                    let mut union: Vec<HeapId> = family.members.concat();
                    union.sort_unstable();
                    union.dedup();
                    Members::Listed(vec![union])
                }
            }
            What::One(family) => {
                let family = self.family(family)?;
                match self.shrinking {
                    Some(board) => family.left(board, Number::Some { least: 1, most: 1 }),
                    None => Members::Listed(family.members),
                }
            }
            What::UpTo {
                count,
                consecutive: true,
                family,
            } => {
                let most = self.consecutive_count(count, family, Exceeding::Clipped)?;
                self.consecutive(if free { most } else { 1 }, most, at)?
            }
            What::Consecutive { count, family } => {
                let count = self.consecutive_count(count, family, Exceeding::Fault)?;
                self.consecutive(count, count, at)?
            }
            What::UpTo { count, family, .. } => {
                let (family, most) = self.family_and_count(family, count, Exceeding::Clipped)?;
                // On a shrinking board fewer heaps may remain.
                let least = if free && self.shrinking.is_none() {
                    most
                } else {
                    1
                };
                self.unions(family, least, most, at)?
            }
            What::Exactly { count, family } => {
                let (family, exactly) = self.family_and_count(family, count, Exceeding::Fault)?;
                self.unions(family, exactly, exactly, at)?
            }
            What::HeapAt(index) => {
                let (heaps, first, index) = self.heap_by_number(index)?;
                heap_at(heaps, first, index)
            }
            What::Named { name, indices } => self.named_place(name, indices)?,
        };
        if let Members::Listed(members) = &members
            && members.iter().all(Vec::is_empty)
        {
            let problem = Problem::EmptySelection {
                fix: "choose from a family whose members hold heaps",
                at,
            };
            self.impossible_here(self.places_vary, problem);
            return None;
        }
        let pick = self.fresh_pick();
        if self.selects_tokens(&members) {
            self.token_picks.insert(pick);
        }
        if let Some(name) = &selection.node.bound {
            self.check_not_taken(name);
            // As many heaps as the name of an earlier selection denotes.
            let one = members.is_one_heap(|_| {
                matches!(
                    &selection.node.what,
                    What::Named { name, .. }
                        if matches!(self.names.peek(&name.node), Some(Meaning::OneHeap(_)))
                )
            });
            let meaning = if one {
                Meaning::OneHeap(pick)
            } else {
                Meaning::SomeHeaps(pick)
            };
            self.names.bind(name, meaning);
        }
        Some(Selection {
            members,
            pick,
            words,
            span: selection.span,
        })
    }

    /// The number of heaps to choose, if the position gives it; the inner `None` if it has an
    /// error.
    #[allow(clippy::option_option)]
    pub fn varying_count(&mut self, count: &Expr) -> Option<Option<Spanned<Num>>> {
        let known = self.problems.len();
        let Some(number) = self.num(count) else {
            return Some(None);
        };
        if number.constant().is_some() || self.shrinking.is_some() {
            // It is evaluated again as a constant.
            self.problems.truncate(known);
            return None;
        }
        if self.real {
            self.whole("a number of heaps that the position gives", count.span);
            return Some(None);
        }
        Some(Some(number))
    }

    /// The sets of a selection whose number of heaps depends on the position.
    fn by_count(&mut self, what: &What, count: Spanned<Num>, at: Span) -> Option<Members> {
        let clips = matches!(what, What::UpTo { .. });
        // A number of 0 has no sets.
        let mut by_count: Vec<Vec<Vec<HeapId>>> = vec![Vec::new()];
        let mut add = |sets: Vec<Vec<HeapId>>| by_count.push(sets);
        match what {
            What::UpTo {
                consecutive: true,
                family,
                ..
            }
            | What::Consecutive { family, .. } => {
                let most = self.most_consecutive(family)?;
                for number in 1..=most {
                    match self.consecutive(if clips { 1 } else { number }, number, at)? {
                        Members::Listed(sets) => add(sets),
                        _ => return None,
                    }
                }
            }
            What::UpTo { family, .. } | What::Exactly { family, .. } => {
                let family = self.family(family)?;
                let members = family.members.len();
                let widest = family.members.iter().map(Vec::len).max().unwrap_or(0);
                let subsets = u32::try_from(members)
                    .ok()
                    .and_then(|n| 2_usize.checked_pow(n));
                let times = if clips { members.max(1) } else { 1 };
                let is_small = |sets: usize| {
                    let sets = sets.checked_mul(times);
                    sets.is_some_and(|sets| {
                        let listed = sets.checked_mul(members * widest);
                        sets <= MAX_MEMBERS && listed.is_some_and(|all| all <= MAX_LISTED)
                    })
                };
                if !subsets.is_some_and(is_small) {
                    self.problem(Problem::TooMany {
                        count: format!("more than {MAX_MEMBERS}"),
                        most: MAX_MEMBERS,
                        at,
                    });
                    return None;
                }
                for number in 1..=members {
                    add(choose(
                        &family.members,
                        if clips { 1 } else { number },
                        number,
                    ));
                }
            }
            What::All(_) | What::One(_) | What::HeapAt(_) | What::Named { .. } => return None,
        }
        Some(Members::Counted(CountedSets {
            to: None,
            count,
            clips,
            sets: vec![by_count].into(),
        }))
    }

    fn family_and_count(
        &mut self,
        family: &FamilyName,
        count: &Expr,
        exceeding: Exceeding,
    ) -> Option<(Family, usize)> {
        let family = self.family(family);
        let value = self.constant(count);
        let (family, value) = (family?, value?);
        let there = family.members.len();
        let wanted = usize::try_from(value).unwrap_or(0);
        if wanted == 0 {
            self.problem(Problem::EmptySelection {
                fix: "choose at least one",
                at: count.span,
            });
            return None;
        }
        if wanted > there {
            if exceeding == Exceeding::Fault {
                let problem = Problem::TooLarge {
                    wanted: format!("{wanted} {}", family.word),
                    there: there.to_string(),
                    at: count.span,
                };
                let varies = self.places_vary || self.names_parameter(count.span);
                self.impossible_here(varies, problem);
                return None;
            }
            return Some((family, there));
        }
        Some((family, wanted))
    }

    /// The unions of `least` to `most` members of a family.
    fn unions(&mut self, family: Family, least: usize, most: usize, at: Span) -> Option<Members> {
        let widest = family.members.iter().map(Vec::len).max().unwrap_or(0);
        let mut room = MAX_LISTED;
        let ways = (least..=most).try_fold(0_usize, |sum, chosen| {
            let ways = binomial(family.members.len(), chosen)?;
            room = room.checked_sub(ways.checked_mul(chosen.checked_mul(widest)?)?)?;
            sum.checked_add(ways).filter(|sum| *sum <= MAX_MEMBERS)
        });
        if ways.is_none() {
            self.problem(Problem::TooMany {
                count: format!("more than {MAX_MEMBERS}"),
                most: MAX_MEMBERS,
                at,
            });
            return None;
        }
        if let Some(board) = self.shrinking {
            return Some(family.left(board, Number::Some { least, most }));
        }
        Some(Members::Listed(choose(&family.members, least, most)))
    }

    /// The number of heaps of which consecutive ones are chosen.
    fn most_consecutive(&mut self, family: &FamilyName) -> Option<usize> {
        if let FamilyName::Named(name) = family {
            self.problem(Problem::Kind {
                wanted: "`heaps`",
                found: "another family".to_owned(),
                at: name.span,
                help: Some("only heaps are consecutive: `2 consecutive heaps`".to_owned()),
            });
            return None;
        }
        let places = match self.heaps_on {
            Some((CellKind::Vertex, _)) => {
                self.board.as_ref().and_then(|b| b.count(CellKind::Vertex))
            }
            _ => None,
        };
        Some(places.unwrap_or(self.heap_names.len()))
    }

    fn consecutive_count(
        &mut self,
        count: &Expr,
        family: &FamilyName,
        exceeding: Exceeding,
    ) -> Option<usize> {
        let heaps = self.most_consecutive(family)?;
        let value = self.constant(count)?;
        match usize::try_from(value) {
            Ok(0) | Err(_) => {
                self.problem(Problem::EmptySelection {
                    fix: "choose at least one heap",
                    at: count.span,
                });
                None
            }
            Ok(wanted) if wanted > heaps && heaps > 0 && exceeding == Exceeding::Clipped => {
                Some(heaps)
            }
            Ok(wanted) if wanted > heaps && heaps > 0 && !self.heaps_are_faulty => {
                let problem = Problem::TooLarge {
                    wanted: super::heaps::plural(wanted, "consecutive heap"),
                    there: heaps.to_string(),
                    at: count.span,
                };
                let varies = self.places_vary || self.names_parameter(count.span);
                self.impossible_here(varies, problem);
                None
            }
            Ok(wanted) => Some(wanted),
        }
    }

    /// Arcs of a circle, windows of a row.
    fn consecutive(&mut self, least: usize, most: usize, at: Span) -> Option<Members> {
        let order = self
            .board
            .as_ref()
            .and_then(nimrule_board::Board::arrangement);
        let (Some(order), Some((CellKind::Vertex, first))) = (order, self.heaps_on) else {
            if !self.board_is_faulty && !self.heap_names.is_empty() {
                self.problem(Problem::NoOrder { at });
            }
            return None;
        };
        if let Some(board) = self.shrinking {
            return Some(Members::Remaining(RemainingSets {
                board,
                family: SetFamily::Consecutive { least, most },
                number: Number::Some { least: 1, most: 1 },
            }));
        }
        let places = self
            .board
            .as_ref()
            .and_then(|b| b.count(CellKind::Vertex))
            .unwrap_or(0);
        let mut members = Vec::new();
        for length in least..=most {
            let starts = match order {
                Arrangement::Circle if length < places => places,
                Arrangement::Circle => 1,
                Arrangement::Row => places + 1 - length,
            };
            for start in 0..starts {
                let mut arc: Vec<HeapId> = (start..start + length)
                    .map(|place| HeapId::new(first + place % places))
                    .collect();
                arc.sort_unstable();
                members.push(arc);
            }
        }
        Some(Members::Listed(members))
    }

    fn named_place(&mut self, name: &Name, indices: &[Expr]) -> Option<Members> {
        let meaning = self.names.look_up(&name.node, name.span);
        match (meaning, indices) {
            (Some(Meaning::Heap(heap)), []) => Some(Members::Listed(vec![vec![heap]])),
            (Some(Meaning::State(state)), []) if self.setting => {
                Some(Members::Listed(vec![vec![state]]))
            }
            (Some(Meaning::OneHeap(pick) | Meaning::SomeHeaps(pick)), []) => {
                Some(Members::Picked(pick))
            }
            (Some(Meaning::Group(group)), [_, ..]) => {
                let (heaps, first, index) = self.heap_in_group(&group, indices)?;
                Some(heap_at(heaps, first, index))
            }
            (Some(Meaning::Unknown), _) => None,
            (Some(other), _) => {
                let help = match &other {
                    Meaning::Group(_) | Meaning::Family(_) => {
                        format!(
                            "write `one {0}`, or `all {0}` for all of its heaps",
                            name.node
                        )
                    }
                    Meaning::FamilyOf(_) => format!(
                        "write `one {0} of x` or `all {0} of x`, with x a selected heap",
                        name.node
                    ),
                    Meaning::State(_) => format!("write `set {} to …`", name.node),
                    _ => "select `one heap`, or name a heap".to_owned(),
                };
                self.problem(Problem::Kind {
                    wanted: "a heap, or the name of what was selected",
                    found: super::expression::describe(&other).to_owned(),
                    at: name.span,
                    help: Some(help),
                });
                None
            }
            (None, _) => {
                if matches!(name.node.as_str(), "vertex" | "edge" | "face" | "line") {
                    self.problem(Problem::UnknownName {
                        name: name.node.clone(),
                        at: name.span,
                        help: Some(format!("write the number: `one {}`", name.node)),
                    });
                } else {
                    self.unknown_name(&name.node, name.span);
                }
                None
            }
        }
    }

    /// The sets of heaps of a family.
    pub fn family_members(&mut self, family: &FamilyName) -> Option<Vec<Vec<HeapId>>> {
        Some(self.family(family)?.members)
    }

    /// The members of a family on the spot.
    fn listed_family(&mut self, list: &Spanned<Vec<Spanned<HeapSet>>>) -> Option<Family> {
        let members: Vec<Option<Vec<HeapId>>> =
            list.node.iter().map(|set| self.heap_set(set)).collect();
        Some(Family {
            members: without_repeats(members.into_iter().collect::<Option<_>>()?),
            word: "heaps".to_owned(),
            neighbours: false,
        })
    }

    fn family(&mut self, family: &FamilyName) -> Option<Family> {
        let name = match family {
            FamilyName::Listed(list) => return self.listed_family(list),
            FamilyName::Heaps(_) | FamilyName::Tokens(_) => {
                if self.heap_names.is_empty() {
                    return None;
                }
                let (all, word) = match family {
                    FamilyName::Tokens(_) => (self.all_tokens(), "tokens"),
                    _ => (self.all_heaps(), "heaps"),
                };
                return Some(Family {
                    members: all.into_iter().map(|heap| vec![heap]).collect(),
                    word: word.to_owned(),
                    neighbours: false,
                });
            }
            FamilyName::Named(name) => name,
        };
        if let Some(meaning) = self.declared_family(&name.node, name.span) {
            return match meaning {
                Meaning::Family(members) => Some(Family {
                    members,
                    word: name.node.clone(),
                    neighbours: false,
                }),
                Meaning::Group(group) => Some(Family {
                    members: group.heaps.iter().map(|heap| vec![*heap]).collect(),
                    word: name.node.clone(),
                    neighbours: false,
                }),
                Meaning::Unknown => None,
                Meaning::FamilyOf(_) => {
                    self.problem(Problem::Kind {
                        wanted: "a family of selections",
                        found: "a family that each heap has".to_owned(),
                        at: name.span,
                        help: Some(format!(
                            "say of which heap: `one {} of x`, where a step before has named `x`",
                            name.node
                        )),
                    });
                    None
                }
                other => {
                    self.problem(Problem::Kind {
                        wanted: "a family of selections",
                        found: super::expression::describe(&other).to_owned(),
                        at: name.span,
                        help: Some(
                            "choose `one heap`, `one edge` …, or declare a `family`".to_owned(),
                        ),
                    });
                    None
                }
            };
        }
        match name.node.as_str() {
            "vertex" | "vertices" => self.cell_family(CellKind::Vertex, name.span),
            "edge" | "edges" => self.cell_family(CellKind::Edge, name.span),
            "face" | "faces" => self.cell_family(CellKind::Face, name.span),
            "line" | "lines" => self.line_family(name.span),
            other => {
                let mut known: Vec<String> = vec![
                    "heap".into(),
                    "vertex".into(),
                    "edge".into(),
                    "face".into(),
                    "line".into(),
                ];
                known.extend(
                    self.names
                        .all()
                        .filter(|(_, meaning)| {
                            matches!(meaning, Meaning::Family(_) | Meaning::Group(_))
                        })
                        .map(|(n, _)| n.to_owned()),
                );
                let help = match nimrule_syntax::nearest(other, known.iter().map(String::as_str)) {
                    Some(near) => nimrule_syntax::did_you_mean(near),
                    None => format!(
                        "the families are {}; declare others with `family {other} = {{ … }}, …`",
                        known
                            .iter()
                            .map(|k| format!("`{k}`"))
                            .collect::<Vec<_>>()
                            .join(", ")
                    ),
                };
                self.problem(Problem::UnknownName {
                    name: other.to_owned(),
                    at: name.span,
                    help: Some(help),
                });
                None
            }
        }
    }

    /// A declared family or group of heaps, by its name or its plural.
    pub fn declared_family(&mut self, word: &str, at: Span) -> Option<Meaning> {
        let name = self.name_of_family(word)?.to_owned();
        self.names.look_up(&name, at)
    }

    /// The name that a word is, or that of a family or group of which it is the plural.
    pub fn name_of_family<'w>(&self, word: &'w str) -> Option<&'w str> {
        let plurals = [word.strip_suffix("es"), word.strip_suffix('s')];
        let is_family = |name: &&str| {
            matches!(
                self.names.peek(name),
                Some(
                    Meaning::Family(_)
                        | Meaning::FamilyOf(_)
                        | Meaning::Group(_)
                        | Meaning::Unknown
                )
            )
        };
        match self.names.peek(word) {
            Some(_) => Some(word),
            None => plurals.into_iter().flatten().find(is_family),
        }
    }

    fn cell_family(&mut self, kind: CellKind, at: Span) -> Option<Family> {
        self.cells(kind, at)?;
        let Some((on, first)) = self.heaps_on else {
            if !self.heap_names.is_empty() {
                self.problem(Problem::HeapsNowhere {
                    fix: "write the cells of the board that the heaps are on, `heaps on faces`",
                    at,
                });
            }
            return None;
        };
        let touching = self.board.as_ref()?.touching(on, kind)?;
        let members: Vec<Vec<HeapId>> = touching
            .into_iter()
            .map(|cells| {
                cells
                    .into_iter()
                    .map(|cell| HeapId::new(first + cell))
                    .collect()
            })
            .collect();
        Some(Family {
            members: without_repeats(members),
            word: kind.plural().to_owned(),
            neighbours: self.shrinking.is_some() && kind == CellKind::Edge,
        })
    }

    fn line_family(&mut self, at: Span) -> Option<Family> {
        let lines = self
            .board
            .as_ref()
            .map(|board| board.lines().to_vec())
            .unwrap_or_default();
        let (false, Some((CellKind::Vertex, first))) = (lines.is_empty(), self.heaps_on) else {
            if !self.board_is_faulty {
                let board = self
                    .board
                    .as_ref()
                    .map_or("a game without a board".to_owned(), |b| {
                        format!("`board {}`", b.name())
                    });
                self.problem(BoardProblem::NoCells {
                    cells: "lines".to_owned(),
                    board,
                    at,
                    help: Some(
                        "lines are those of a `grid(…)` with a heap on each place".to_owned(),
                    ),
                });
            }
            return None;
        };
        Some(Family {
            members: lines
                .into_iter()
                .map(|line| {
                    line.into_iter()
                        .map(|place| HeapId::new(first + place))
                        .collect()
                })
                .collect(),
            word: "lines".to_owned(),
            neighbours: false,
        })
    }
}

/// The unions of `least` to `most` members of a family, without repetitions.
pub fn choose(members: &[Vec<HeapId>], least: usize, most: usize) -> Vec<Vec<HeapId>> {
    let mut unions = Vec::new();
    for chosen in least..=most {
        for sets in members.iter().combinations(chosen) {
            let mut union: Vec<HeapId> = sets.into_iter().flatten().copied().collect();
            union.sort_unstable();
            union.dedup();
            unions.push(union);
        }
    }
    if members.iter().any(|member| member.len() > 1) {
        // Different members may have the same union.
        unions.sort_unstable();
        unions.dedup();
    }
    unions
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exceeding {
    /// "Up to 4" of three is "up to 3".
    Clipped,
    Fault,
}

/// The sets that hold a heap, each once, in their order.
pub fn without_repeats(members: Vec<Vec<HeapId>>) -> Vec<Vec<HeapId>> {
    let mut seen = std::collections::BTreeSet::new();
    members
        .into_iter()
        .filter(|member| !member.is_empty() && seen.insert(member.clone()))
        .collect()
}

/// The heap with an index, which is known or a number of the position.
fn heap_at(heaps: Vec<HeapId>, first: i64, index: Spanned<Num>) -> Members {
    let known = index.constant().and_then(|index| {
        let place = usize::try_from(index.checked_sub(first)?).ok()?;
        heaps.get(place).copied()
    });
    match known {
        Some(heap) => Members::Listed(vec![vec![heap]]),
        None => Members::At {
            heaps,
            first,
            index,
        },
    }
}

/// The binomial coefficient, if it is small.
fn binomial(from: usize, chosen: usize) -> Option<usize> {
    let chosen = chosen.min(from - chosen.min(from));
    (0..chosen).try_fold(1_usize, |ways, i| {
        Some(ways.checked_mul(from - i)? / (i + 1))
    })
}
