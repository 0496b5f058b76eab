//! Circles, rows, grids and complete graphs.
//!
//! Heaps are on the vertices, edges join neighbours, and there are no faces.

use super::{Arrangement, Board, BoardError, CellKind, Shrinking, check_count};

/// The largest number of dimensions of a grid.
const MAX_DIMENSIONS: usize = 6;

impl Board {
    /// The circle of `n` vertices, at least 1. Vertex `i` is followed by `i + 1`, the last by the
    /// first. Two vertices are joined by one edge; a single vertex has no edge.
    ///
    /// # Errors
    ///
    /// If `n` is out of range.
    pub fn circle(n: usize, shrinking: Shrinking) -> Result<Board, BoardError> {
        sequence("circle", n, Arrangement::Circle, shrinking)
    }

    /// The row of `n` vertices, at least 1. Vertex `i` is followed by `i + 1`.
    ///
    /// # Errors
    ///
    /// If `n` is out of range.
    pub fn row(n: usize, shrinking: Shrinking) -> Result<Board, BoardError> {
        sequence("row", n, Arrangement::Row, shrinking)
    }

    /// The grid with these sizes, of 1 to 6 dimensions. Its vertices are ordered lexicographically
    /// by their coordinates; edges join vertices at distance 1. The lines are those parallel to the
    /// first axis, then those parallel to the second, and so on; parallel lines are ascending by
    /// their first vertex. Along an axis of size 1 a line is a single vertex.
    ///
    /// # Errors
    ///
    /// If a size or the number of dimensions is out of range.
    pub fn grid(sizes: &[usize]) -> Result<Board, BoardError> {
        if sizes.is_empty() || sizes.len() > MAX_DIMENSIONS {
            return Err(BoardError::Dimensions { given: sizes.len() });
        }
        let listed: Vec<String> = sizes.iter().map(usize::to_string).collect();
        let name = format!("grid({})", listed.join(","));
        if sizes.contains(&0) {
            return Err(too_small(name, "each size"));
        }
        let product = sizes
            .iter()
            .try_fold(1_usize, |product, &size| product.checked_mul(size));
        let vertices = check_count(&name, product, CellKind::Vertex.plural())?;
        let lines: usize = sizes.iter().map(|size| vertices / size).sum();
        check_count(&name, Some(lines), "lines")?;
        let edges = sizes.iter().map(|size| vertices / size * (size - 1)).sum();
        check_count(&name, Some(edges), CellKind::Edge.plural())?;

        let mut lines = Vec::with_capacity(lines);
        let mut stride = vertices;
        for &size in sizes {
            stride /= size;
            let starts = (0..vertices).filter(|place| place / stride % size == 0);
            lines.extend(starts.map(|start| (0..size).map(|i| start + i * stride).collect()));
        }
        let neighbours = lines
            .iter()
            .flat_map(|line: &Vec<usize>| line.windows(2).map(|pair| [pair[0], pair[1]]));
        let mut board = Board::without_faces(name, vertices, ascending(neighbours));
        board.lines = lines;
        board.lengths = sizes.to_vec();
        Ok(board)
    }

    /// The complete graph on `n` vertices, at least 1.
    ///
    /// # Errors
    ///
    /// If `n` is out of range.
    pub fn complete(n: usize) -> Result<Board, BoardError> {
        let name = format!("complete({n})");
        if n == 0 {
            return Err(too_small(name, "the number of vertices"));
        }
        check_count(&name, Some(n), CellKind::Vertex.plural())?;
        check_count(&name, Some(n * (n - 1) / 2), CellKind::Edge.plural())?;
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
        Ok(Board::without_faces(name, n, pairs.collect()))
    }
}

fn sequence(
    word: &str,
    n: usize,
    arrangement: Arrangement,
    shrinking: Shrinking,
) -> Result<Board, BoardError> {
    let suffix = match shrinking {
        Shrinking::Yes => " shrinking",
        Shrinking::No => "",
    };
    let name = format!("{word}({n}){suffix}");
    if n == 0 {
        return Err(too_small(name, "the number of places"));
    }
    check_count(&name, Some(n), CellKind::Vertex.plural())?;
    let closing = match arrangement {
        Arrangement::Circle if n > 2 => Some([0, n - 1]),
        _ => None,
    };
    let edges = ascending((1..n).map(|i| [i - 1, i]).chain(closing));
    let mut board = Board::without_faces(name, n, edges);
    board.arrangement = Some(arrangement);
    board.shrinking = shrinking;
    Ok(board)
}

/// The edges in ascending order, which every built-in board uses. Each edge has its smaller vertex
/// first.
fn ascending(edges: impl Iterator<Item = [usize; 2]>) -> Vec<[usize; 2]> {
    let mut edges: Vec<[usize; 2]> = edges.collect();
    edges.sort_unstable();
    edges
}

fn too_small(board: String, what: &'static str) -> BoardError {
    BoardError::TooSmall {
        board,
        what,
        least: 1,
    }
}
