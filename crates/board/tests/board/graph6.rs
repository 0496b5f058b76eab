//! Graphs in graph6.

use nimrule_board::{Board, BoardError};
use nimrule_fixtures::Numbers;

#[test]
fn known_codes_are_read() {
    // The example of the format's description: 5 vertices, edges 0-2, 0-4, 1-3, 3-4.
    let board = Board::from_graph6(b"DQc\n", 1).unwrap();
    assert_eq!(board.edges(), [[0, 2], [0, 4], [1, 3], [3, 4]]);
    assert_eq!(board.summary(), "5 vertices, 4 edges");
    assert!(!board.names_are_given());
    let marked = Board::from_graph6("\u{feff}>>graph6<<DQc\n".as_bytes(), 1).unwrap();
    assert_eq!(marked.edges(), board.edges());
    let file = b">>graph6<<C~\r\n\nD~{\nBw";
    let summary = |which| Board::from_graph6(file, which).unwrap().summary();
    assert_eq!(summary(1), "4 vertices, 6 edges");
    assert_eq!(summary(2), "5 vertices, 10 edges");
    assert_eq!(summary(3), "3 vertices, 3 edges");
    let tetrahedron = Board::planar_from_graph6(file, 1).unwrap();
    assert_eq!(tetrahedron.summary(), "4 vertices, 6 edges, 4 faces");
    assert!(!tetrahedron.names_are_given());
    assert!(matches!(
        Board::planar_from_graph6(file, 2),
        Err(BoardError::NotPlanar { .. })
    ));
}

#[test]
fn all_forms_of_the_size_are_read() {
    let code = |head: &[u8], size: usize| {
        let mut code = head.to_vec();
        code.resize(head.len() + (size * (size - 1) / 2).div_ceil(6), b'?');
        code
    };
    for (head, size) in [
        (&b"@"[..], 1),
        (b"}", 62),
        (b"~??~", 63),
        (b"~?@~", 64 + 63),
        (b"~~????C?", 4 * 64),
    ] {
        let board = Board::from_graph6(&code(head, size), 1).unwrap();
        assert!(board.summary().starts_with(&size.to_string()), "{size}");
    }
    for huge in [&b"~~~~~~~~"[..], b"~}~~"] {
        assert!(matches!(
            Board::from_graph6(huge, 1),
            Err(BoardError::TooLarge { .. })
        ));
    }
}

#[test]
fn errors_have_their_offset() {
    let fault = |bytes: &[u8], which| Board::from_graph6(bytes, which).unwrap_err();
    assert_eq!(fault(b"", 1), BoardError::NoGraphs);
    assert_eq!(fault(b">>graph6<<\n", 1), BoardError::NoGraphs);
    assert_eq!(
        fault(b"Bw\n", 2),
        BoardError::NoSuchGraph {
            which: 2,
            graphs: 1
        }
    );
    assert_eq!(
        fault(b"Bw\n", 0).to_string(),
        "there is no graph number 0: the file has 1"
    );
    assert_eq!(fault(b"Bw\nDQ", 2), BoardError::Truncated { offset: 5 });
    assert_eq!(fault(b"~?", 1), BoardError::Truncated { offset: 2 });
    assert_eq!(fault(b"Bww", 1), BoardError::TrailingBytes { offset: 2 });
    assert_eq!(fault(b"?", 1), BoardError::NoVertices);
    let sparse = fault(b":Fa@x^\n", 1);
    assert_eq!(
        sparse,
        BoardError::BadByte {
            format: "graph6",
            offset: 0,
            byte: b':'
        }
    );
    assert!(sparse.help().unwrap().contains("sparse6"));
    let headed = fault(b">>sparse6<<:Fa@x^\n", 1);
    assert!(headed.help().unwrap().contains("sparse6"));
}

#[test]
fn no_bytes_panic() {
    let mut numbers = Numbers::new(1);
    for length in 0..200 {
        let bytes: Vec<u8> = (0..length).map(|_| numbers.below(256) as u8).collect();
        drop(Board::from_graph6(&bytes, 1));
        drop(Board::from_planar_code(&bytes, 1));
    }
}
