//! The labels of arrows: sets of letters as conditions on the digits, or as patterns.

/// The largest number of lines of a label.
const MAX_LINES: usize = 4;

/// The lines of a label for the letters for which `leads` is true; `names` are those of
/// the tracks. The digit of the first track changes fastest.
pub fn label(names: &[String], base: usize, leads: &[bool]) -> Vec<String> {
    if leads.iter().all(|leads| *leads) {
        return vec!["any digits".to_owned()];
    }
    let mut patterns = Vec::new();
    gather(base, leads, names.len(), &mut patterns);
    let length: usize = patterns
        .iter()
        .map(|pattern| pattern.chars().count() + 1)
        .sum();
    let digits = |letter: usize| -> Vec<usize> {
        let mut rest = letter;
        (0..names.len())
            .map(|_| {
                let digit = rest % base;
                rest /= base;
                digit
            })
            .collect()
    };
    let rows: Vec<Vec<usize>> = (0..leads.len()).map(digits).collect();
    let atoms = conjunction(base, &rows, leads);
    let words = atoms.map(|atoms| {
        let all: Vec<String> = atoms.iter().map(|atom| atom.words(names)).collect();
        broken(&all)
    });
    match words {
        Some(words)
            if patterns.len() > 1
                && (patterns.len() > MAX_LINES
                    || words.iter().map(|line| line.chars().count()).sum::<usize>() <= length) =>
        {
            words
        }
        _ => {
            let mut lines: Vec<String> = patterns.iter().take(MAX_LINES).cloned().collect();
            if patterns.len() > MAX_LINES {
                lines.push(format!("and {} more", patterns.len() - MAX_LINES));
            }
            lines
        }
    }
}

/// Conditions in lines of about 24 letters.
fn broken(all: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (number, words) in all.iter().enumerate() {
        let comma = if number + 1 < all.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + words.chars().count() < 24 => {
                line.push_str(&format!(" {words}{comma}"));
            }
            _ => lines.push(format!("{words}{comma}")),
        }
    }
    lines
}

/// A condition on the digits.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Atom {
    /// A digit is a number.
    Is(usize, usize),
    /// A digit is not a number.
    IsNot(usize, usize),
    /// Two digits are equal.
    Same(usize, usize),
    /// Two digits differ.
    Differ(usize, usize),
    /// The nim-sum of digits in base 2.
    Sum(Vec<usize>, usize),
}

impl Atom {
    fn holds(&self, digits: &[usize]) -> bool {
        match self {
            Atom::Is(a, digit) => digits[*a] == *digit,
            Atom::IsNot(a, digit) => digits[*a] != *digit,
            Atom::Same(a, b) => digits[*a] == digits[*b],
            Atom::Differ(a, b) => digits[*a] != digits[*b],
            Atom::Sum(tracks, sum) => tracks.iter().map(|a| digits[*a]).sum::<usize>() % 2 == *sum,
        }
    }

    fn words(&self, names: &[String]) -> String {
        match self {
            Atom::Is(a, digit) => format!("{} = {digit}", names[*a]),
            Atom::IsNot(a, digit) => format!("{} ≠ {digit}", names[*a]),
            Atom::Same(a, b) => format!("{} = {}", names[*a], names[*b]),
            Atom::Differ(a, b) => format!("{} ≠ {}", names[*a], names[*b]),
            Atom::Sum(tracks, sum) => {
                let tracks: Vec<&str> = tracks.iter().map(|a| names[*a].as_str()).collect();
                format!("{} = {sum}", tracks.join(" ⊕ "))
            }
        }
    }
}

/// Atoms whose conjunction holds for exactly the marked letters, without superfluous
/// ones; `None` if none is found.
fn conjunction(base: usize, rows: &[Vec<usize>], leads: &[bool]) -> Option<Vec<Atom>> {
    let marked: Vec<&[usize]> = rows
        .iter()
        .zip(leads)
        .filter(|(_, leads)| **leads)
        .map(|(row, _)| row.as_slice())
        .collect();
    let tracks = rows.first()?.len();
    let mut atoms = Vec::new();
    for a in 0..tracks {
        atoms.extend((0..base).map(|digit| Atom::Is(a, digit)));
    }
    for a in 0..tracks {
        for b in a + 1..tracks {
            atoms.extend([Atom::Same(a, b), Atom::Differ(a, b)]);
        }
    }
    if base > 2 {
        for a in 0..tracks {
            atoms.extend((0..base).map(|digit| Atom::IsNot(a, digit)));
        }
    } else if tracks <= 10 {
        // All sums of three and more digits, short ones first.
        let mut sums: Vec<Vec<usize>> = (0..1_usize << tracks)
            .filter(|set| set.count_ones() >= 3)
            .map(|set| (0..tracks).filter(|a| set >> a & 1 == 1).collect())
            .collect();
        sums.sort_by_key(Vec::len);
        atoms.extend(
            sums.into_iter()
                .flat_map(|set| [0, 1].map(|sum| Atom::Sum(set.clone(), sum))),
        );
    }
    atoms.retain(|atom| marked.iter().all(|row| atom.holds(row)));
    // Each atom is chosen if it excludes a letter that those before it do not.
    let mut outside: Vec<&[usize]> = rows
        .iter()
        .zip(leads)
        .filter(|(_, leads)| !**leads)
        .map(|(row, _)| row.as_slice())
        .collect();
    let mut chosen: Vec<Atom> = Vec::new();
    for atom in atoms {
        let before = outside.len();
        outside.retain(|row| atom.holds(row));
        if outside.len() < before {
            chosen.push(atom);
        }
    }
    if !outside.is_empty() {
        return None;
    }
    for place in (0..chosen.len()).rev() {
        let mut fewer = chosen.clone();
        fewer.remove(place);
        let exact = rows
            .iter()
            .zip(leads)
            .all(|(row, leads)| fewer.iter().all(|atom| atom.holds(row)) == *leads);
        if exact {
            chosen = fewer;
        }
    }
    Some(chosen)
}

/// Patterns for the marked letters, from the last track on. One pattern covers all
/// digits of a track if they lead to the same state.
fn gather(base: usize, leads: &[bool], track: usize, patterns: &mut Vec<String>) {
    if leads.iter().all(|leads| !leads) {
        return;
    }
    if leads.iter().all(|leads| *leads) {
        patterns.push("*".repeat(track));
        return;
    }
    // The last track's digit weighs most in a letter.
    let part = leads.len() / base;
    let parts: Vec<&[bool]> = leads.chunks(part).collect();
    let mut some = Vec::new();
    if parts.iter().all(|other| *other == parts[0]) {
        gather(base, parts[0], track - 1, &mut some);
        patterns.extend(some.into_iter().map(|pattern| pattern + "*"));
        return;
    }
    for (digit, part) in parts.into_iter().enumerate() {
        some.clear();
        gather(base, part, track - 1, &mut some);
        patterns.extend(some.iter().map(|pattern| format!("{pattern}{digit}")));
    }
}
