//! Families: the sets of heaps that a step chooses among.

use super::*;

impl Rule<'_> {
    /// The members of a family. On a shrinking board they are made of the heaps
    /// that are there: those of the board that are not empty, and those beside it.
    pub(super) fn family(
        &self,
        family: &FamilyName,
        view: &View<'_>,
    ) -> Result<Vec<Vec<usize>>, Fault> {
        let mut members = self.whole_family(family, view)?;
        if let (Some(board), Some((_, first))) = (self.board, self.on)
            && board.is_shrinking()
        {
            let places = first..first + board.count(CellKind::Vertex).unwrap_or(0);
            for member in &mut members {
                member.retain(|heap| view.position[*heap] > 0 || !places.contains(heap));
            }
            let different: BTreeSet<Vec<usize>> = members.into_iter().collect();
            members = different.into_iter().filter(|m| !m.is_empty()).collect();
        }
        Ok(members)
    }

    fn whole_family(&self, family: &FamilyName, view: &View<'_>) -> Result<Vec<Vec<usize>>, Fault> {
        let name = match family {
            FamilyName::Heaps(_) => return Ok((0..self.heaps).map(|heap| vec![heap]).collect()),
            FamilyName::Named(name) => name.node.as_str(),
        };
        let singular = [Some(name), name.strip_suffix("es"), name.strip_suffix('s')];
        for word in singular.into_iter().flatten() {
            if let Some(members) = self.families.get(word) {
                return Ok(members.clone());
            }
            if let Some((_, heaps)) = self.names.groups.get(word) {
                return Ok(heaps.iter().map(|heap| vec![*heap]).collect());
            }
        }
        let board = self.board.ok_or("a family without a board")?;
        let (on, first) = self.on.ok_or("no heaps on the board")?;
        if matches!(name, "line" | "lines") {
            return Ok(board.lines().to_vec());
        }
        let kind = kind_of(name).ok_or_else(|| format!("no family is called `{name}`"))?;
        if board.is_shrinking() && kind == CellKind::Edge {
            // Neighbours are those that are left.
            return self.consecutive(2, view.position);
        }
        let touching = board.touching(on, kind).ok_or("no such cells")?;
        Ok(touching
            .into_iter()
            .map(|cells| cells.into_iter().map(|cell| first + cell).collect())
            .collect())
    }

    /// The stretches of `length` neighbours; where an empty heap vanishes,
    /// of those that are left, or all of them if there are no more.
    pub(super) fn consecutive(
        &self,
        length: usize,
        position: &[u64],
    ) -> Result<Vec<Vec<usize>>, Fault> {
        let board = self.board.ok_or("consecutive heaps without a board")?;
        let (_, first) = self.on.ok_or("no heaps on the board")?;
        let order = board.arrangement().ok_or("a board without an order")?;
        let places = board.count(CellKind::Vertex).unwrap_or(0);
        let mut standing: Vec<usize> = (first..first + places).collect();
        let mut length = length;
        if board.is_shrinking() {
            standing.retain(|heap| position[*heap] > 0);
            length = length.min(standing.len());
        }
        let count = standing.len();
        let mut found = BTreeSet::new();
        for start in 0..count {
            if order == Arrangement::Row && start + length > count {
                continue;
            }
            let stretch: BTreeSet<usize> = (start..start + length)
                .map(|place| standing[place % count])
                .collect();
            found.insert(stretch.into_iter().collect::<Vec<usize>>());
        }
        Ok(found.into_iter().collect())
    }
}
