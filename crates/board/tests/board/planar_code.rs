//! Boards in planar code.

use nimrule_board::{Board, BoardError, CellKind};

const TETRAHEDRON: [u8; 17] = [4, 2, 3, 4, 0, 1, 4, 3, 0, 1, 2, 4, 0, 1, 3, 2, 0];
const PATH: [u8; 8] = [3, 2, 0, 1, 3, 0, 2, 0];

fn fault(bytes: &[u8]) -> String {
    Board::from_planar_code(bytes, 1).unwrap_err().to_string()
}

#[test]
fn graphs_are_found_by_their_number() {
    let mut file = b">>planar_code<<".to_vec();
    file.extend(PATH);
    file.extend(TETRAHEDRON);
    let board = Board::from_planar_code(&file, 2).unwrap();
    assert_eq!(board.summary(), "4 vertices, 6 edges, 4 faces");
    assert_eq!(board.name(), "planar graph");
    assert_eq!(board.cell_name(CellKind::Face, 0), "f1");
    let path = Board::from_planar_code(&file, 1).unwrap();
    assert_eq!(path.summary(), "3 vertices, 2 edges, 1 face");
    assert_eq!(
        Board::from_planar_code(&file, 3).unwrap_err(),
        BoardError::NoSuchGraph {
            which: 3,
            graphs: 2
        }
    );
}

#[test]
fn the_embedding_given_is_kept() {
    // Four paths between the vertices 1 and 2 by way of 3, 4, 5, 6, in two orders.
    let faces = |order: [u8; 4]| {
        let [a, b, c, d] = order;
        let mut code = vec![6, a, b, c, d, 0, d, c, b, a, 0];
        code.extend([1, 2, 0].repeat(4));
        let board = Board::from_planar_code(&code, 1).unwrap();
        board.touching(CellKind::Vertex, CellKind::Face).unwrap()
    };
    assert!(faces([3, 4, 5, 6]).contains(&vec![0, 1, 2, 3]));
    assert!(!faces([3, 5, 4, 6]).contains(&vec![0, 1, 2, 3]));
}

#[test]
fn numbers_of_two_bytes_are_read() {
    let n: u16 = 300;
    for (header, endian) in [
        (
            &b">>planar_code<<"[..],
            u16::to_le_bytes as fn(u16) -> [u8; 2],
        ),
        (b">>planar_code le<<", u16::to_le_bytes),
        (b">>planar_code be<<", u16::to_be_bytes),
        (b"", u16::to_le_bytes),
    ] {
        let mut file = header.to_vec();
        file.push(0);
        file.extend(endian(n));
        for i in 0..n {
            for number in [(i + n - 1) % n + 1, (i + 1) % n + 1, 0] {
                file.extend(endian(number));
            }
        }
        let board = Board::from_planar_code(&file, 1).unwrap();
        assert_eq!(board.summary(), "300 vertices, 300 edges, 2 faces");
    }
}

#[test]
fn every_error_is_distinguished() {
    assert_eq!(fault(b""), "there is no graph in the file");
    assert_eq!(
        fault(b">>graph6<<C~"),
        "the header of the file is not one of planar_code"
    );
    assert_eq!(
        fault(&TETRAHEDRON[..10]),
        "the file ends at offset 10, in the middle of a graph"
    );
    assert_eq!(
        fault(&[2, 3, 0, 1, 0]),
        "`v1` has a neighbour number 3 at offset 1, but there are 2 vertices"
    );
    assert_eq!(
        fault(&[2, 1, 2, 0, 1, 0]),
        "the edge `v1-v1` joins a vertex to itself"
    );
    assert_eq!(
        fault(&[3, 2, 0, 1, 3, 0, 0]),
        "`v2` lists `v3` as a neighbour, but `v3` does not list `v2`"
    );
    assert_eq!(
        fault(&[3, 2, 0, 1, 0, 2, 0]),
        "`v3` lists `v2` as a neighbour, but `v2` does not list `v3`"
    );
    assert_eq!(
        fault(&[2, 2, 2, 0, 1, 1, 0]),
        "the edge `v1-v2` is given twice"
    );
    assert_eq!(
        fault(&[2, 2, 0, 1, 1, 0]),
        "the edge `v2-v1` is given twice"
    );
    assert_eq!(
        fault(&[2, 0, 0]),
        "the graph is not connected: there is no path from `v1` to `v2`"
    );
    assert_eq!(
        fault(&[4, 2, 3, 4, 0, 1, 3, 4, 0, 1, 2, 4, 0, 1, 2, 3, 0]),
        "the faces do not form a sphere: 4 vertices - 6 edges + 2 faces is 0, not 2"
    );
    assert_eq!(fault(&[0, 0, 0]), "a board needs at least one vertex");
    assert!(matches!(
        Board::from_planar_code(&[0, 0xFF, 0xFF], 1),
        Err(BoardError::TooLarge { .. })
    ));
}
