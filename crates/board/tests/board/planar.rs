//! Embeddings of planar graphs, compared with enumeration.

use crate::graph;
use nimrule_board::adjacency::Adjacency;
use nimrule_board::planar::embed;
use nimrule_board::rotation::{Rotation, is_sphere};
use nimrule_board::{Ambiguity, Board, BoardError, CellKind, Face, KuratowskiGraph, NamedGraph};
use nimrule_fixtures::Numbers;
use std::collections::BTreeSet;

/// The faces as sets of edges.
fn family(faces: &[Face]) -> Vec<Vec<usize>> {
    let mut family: Vec<Vec<usize>> = faces
        .iter()
        .map(|face| {
            let set: BTreeSet<usize> = face.edges.iter().copied().collect();
            set.into_iter().collect()
        })
        .collect();
    family.sort();
    family
}

/// All circular orders of some edges, the first one fixed.
fn rings(edges: &[usize]) -> Vec<Vec<usize>> {
    let Some((&last, rest)) = edges.split_last() else {
        return vec![Vec::new()];
    };
    let mut found = Vec::new();
    for ring in rings(rest) {
        for place in 1.min(rest.len())..=rest.len() {
            let mut longer = ring.clone();
            longer.insert(place, last);
            found.push(longer);
        }
    }
    found
}

/// The families of faces of all embeddings on the sphere, at most two, by enumeration of the
/// rotation systems. `None` if there are too many of these.
fn families(
    vertices: usize,
    edges: &[[usize; 2]],
    most: usize,
) -> Option<BTreeSet<Vec<Vec<usize>>>> {
    let adjacency = Adjacency::of(vertices, edges);
    let choices: Vec<Vec<Vec<usize>>> = (0..vertices)
        .map(|vertex| {
            let at: Vec<usize> = adjacency.at(vertex).iter().map(|link| link.edge).collect();
            if at.len() > 6 { Vec::new() } else { rings(&at) }
        })
        .collect();
    let total: usize = choices.iter().map(Vec::len).product();
    if total == 0 || total > most {
        return None;
    }
    let mut found = BTreeSet::new();
    for mut number in 0..total {
        let around = choices
            .iter()
            .map(|rings| {
                let ring = rings[number % rings.len()].clone();
                number /= rings.len();
                ring
            })
            .collect();
        let faces = Rotation::new(around).faces(edges);
        if is_sphere(vertices, edges.len(), faces.len()) {
            found.insert(family(&faces));
            if found.len() > 1 {
                break;
            }
        }
    }
    Some(found)
}

/// The graph of `n` vertices without edges.
fn numbered(n: usize) -> NamedGraph {
    let mut graph = NamedGraph::new();
    for vertex in 0..n {
        graph.add_vertex(&vertex.to_string()).unwrap();
    }
    graph
}

/// Adds an edge between two vertices of a graph of numbered vertices.
fn join(graph: &mut NamedGraph, a: usize, b: usize) -> Result<(), BoardError> {
    graph.add_edge(&a.to_string(), &b.to_string())
}

fn random_connected(numbers: &mut Numbers) -> NamedGraph {
    if numbers.below(5) == 0 {
        return near_k33(numbers);
    }
    let vertices = 2 + numbers.below(6);
    let mut graph = numbered(vertices);
    for vertex in 1..vertices {
        // Trees between paths and stars.
        let to = numbers.below(vertex).max(numbers.below(vertex));
        join(&mut graph, vertex, to).unwrap();
    }
    for _ in 0..numbers.below(2 * vertices) {
        drop(join(
            &mut graph,
            numbers.below(vertices),
            numbers.below(vertices),
        ));
    }
    graph
}

/// K3,3, perhaps without one edge, with up to two more edges and one more vertex.
fn near_k33(numbers: &mut Numbers) -> NamedGraph {
    let mut graph = numbered(6 + numbers.below(2));
    let vertices = graph.vertices().len();
    let left_out = numbers.below(18);
    for pair in (0..9).filter(|&pair| pair != left_out) {
        join(&mut graph, pair / 3, 3 + pair % 3).unwrap();
    }
    if vertices > 6 {
        join(&mut graph, 6, numbers.below(6)).unwrap();
    }
    for _ in 0..numbers.below(3) {
        // Loops and double edges are rejected, as intended.
        drop(join(
            &mut graph,
            numbers.below(vertices),
            numbers.below(vertices),
        ));
    }
    graph
}

fn compare_with_all_rotations(rounds: usize, most: usize) -> [usize; 3] {
    let mut numbers = Numbers::new(0x9E37_79B9_7F4A_7C15);
    let mut seen = [0; 3];
    for _ in 0..rounds {
        let graph = random_connected(&mut numbers);
        let vertices = graph.vertices().len();
        let Some(found) = families(vertices, graph.edges(), most) else {
            continue;
        };
        let verdict = Board::planar(&graph);
        match (found.len(), &verdict) {
            (0, Err(BoardError::NotPlanar { .. })) => seen[0] += 1,
            (1, Ok(board)) => {
                seen[1] += 1;
                assert!(found.contains(&family(board.faces().unwrap())));
            }
            (2, Err(BoardError::NotUnique { .. })) => seen[2] += 1,
            (count, _) => panic!("{:?}: {count} families, {verdict:?}", graph.edges()),
        }
    }
    seen
}

#[test]
fn verdicts_agree_with_all_rotation_systems() {
    let [not_planar, unique, several] = compare_with_all_rotations(3000, 600);
    assert!(
        not_planar >= 50 && unique >= 200 && several >= 200,
        "{not_planar} {unique} {several}"
    );
}

#[test]
fn the_faces_of_solids_follow_from_their_edges() {
    for solid in [
        Board::tetrahedron(),
        Board::cube(),
        Board::octahedron(),
        Board::dodecahedron(),
        Board::icosahedron(),
        Board::prism(9).unwrap(),
        Board::antiprism(8).unwrap(),
    ] {
        let mut graph = numbered(solid.count(CellKind::Vertex).unwrap());
        for &[a, b] in solid.edges() {
            join(&mut graph, a, b).unwrap();
        }
        let board = Board::planar(&graph).unwrap();
        assert_eq!(
            family(board.faces().unwrap()),
            family(solid.faces().unwrap())
        );
    }
}

#[test]
fn faces_are_walks_in_a_fixed_order() {
    let board = Board::planar(&graph("A-B B-C C-D D-A A-C")).unwrap();
    let names: Vec<String> = (0..3)
        .map(|face| board.cell_name(CellKind::Face, face))
        .collect();
    assert_eq!(names, ["A-B-C", "A-B-C-D", "A-C-D"]);
    assert_eq!(board.name(), "planar graph");
    let tree = Board::planar(&graph("A-B B-C B-D")).unwrap();
    assert_eq!(tree.summary(), "4 vertices, 3 edges, 1 face");
    assert_eq!(tree.cell_name(CellKind::Face, 0), "A-B-C-B-D-B");
    let alone = Board::planar(&graph("A")).unwrap();
    assert_eq!(alone.summary(), "1 vertex, 0 edges, 1 face");
}

#[test]
fn known_graphs_with_one_family_of_faces() {
    for unique in [
        "A-B B-C C-A",
        "A-B B-C C-A C-D",
        "A-B B-C C-A C-D D-E E-C",
        "A-B B-C C-A C-X X-Y X-D D-E E-F F-D",
        "A-B B-C A-D D-C A-E E-C",
        "A-B",
    ] {
        assert!(Board::planar(&graph(unique)).is_ok(), "{unique}");
    }
}

#[test]
fn ambiguities_have_their_place() {
    let ambiguity = |edges: &str| match Board::planar(&graph(edges)) {
        Err(BoardError::NotUnique { ambiguity }) => ambiguity,
        other => panic!("{edges}: {other:?}"),
    };
    let pair = |a: &str, b: &str| Ambiguity::Pair(a.to_owned(), b.to_owned());
    let cut = |a: &str| Ambiguity::CutVertex(a.to_owned());
    assert_eq!(ambiguity("A-B B-Z A-C C-Z A-D D-Z A-E E-Z"), pair("A", "Z"));
    assert_eq!(ambiguity("A-B B-C C-A C-D C-E"), cut("C"));
    assert_eq!(ambiguity("A-B B-C C-D D-A A-C B-E"), cut("B"));
    let error = Board::planar(&graph("A-B B-C C-A C-D C-E")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the graph has more than one embedding, with different faces: \
         a part attached at the vertex `C` can be moved to another face"
    );
    assert!(error.help().unwrap().contains("faces"));
}

#[test]
fn disconnected_graphs_are_rejected() {
    assert_eq!(
        Board::planar(&graph("A-B C-D")).unwrap_err(),
        BoardError::NotConnected {
            a: "A".to_owned(),
            b: "C".to_owned()
        }
    );
}

#[test]
fn nonplanar_graphs_have_a_kuratowski_subgraph() {
    let obstruction = |graph: &NamedGraph| match Board::planar(graph) {
        Err(BoardError::NotPlanar {
            obstruction: Some(found),
        }) => found,
        other => panic!("{other:?}"),
    };
    let complete = |n: usize| {
        let mut graph = numbered(n);
        for &[a, b] in Board::complete(n).unwrap().edges() {
            join(&mut graph, a, b).unwrap();
        }
        graph
    };
    let five = obstruction(&complete(5));
    assert_eq!(five.subdivided, KuratowskiGraph::K5);
    assert_eq!(five.edges.len(), 10);
    let wells = graph("A-x A-y A-z B-x B-y B-z C-x C-y C-z");
    let error = Board::planar(&wells).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the graph is not planar: the edges `A-x`, `A-y`, `A-z`, `B-x`, `B-y`, `B-z`, `C-x`, \
         `C-y`, `C-z` form a subdivision of K3,3"
    );

    // In the Petersen graph and in larger graphs the result is a subdivision.
    let mut numbers = Numbers::new(7);
    let mut graphs = vec![complete(9)];
    let mut petersen = numbered(10);
    for i in 0..5 {
        join(&mut petersen, i, (i + 1) % 5).unwrap();
        join(&mut petersen, i, i + 5).unwrap();
        join(&mut petersen, i + 5, (i + 2) % 5 + 5).unwrap();
    }
    graphs.push(petersen);
    for _ in 0..10 {
        let mut graph = numbered(20);
        for i in 1..20 {
            join(&mut graph, i, numbers.below(i)).unwrap();
        }
        for _ in 0..40 {
            // Loops and double edges are rejected, as intended.
            drop(join(&mut graph, numbers.below(20), numbers.below(20)));
        }
        graphs.push(graph);
    }
    for graph in graphs {
        let found = obstruction(&graph);
        let edges: Vec<[usize; 2]> = found.edges.iter().map(|&e| graph.edges()[e]).collect();
        let vertices = graph.vertices().len();
        let adjacency = Adjacency::of(vertices, &edges);
        let with = |degree| {
            (0..vertices)
                .filter(|&v| adjacency.degree(v) == degree)
                .count()
        };
        let joints = match found.subdivided {
            KuratowskiGraph::K5 => (5, 0),
            KuratowskiGraph::K33 => (0, 6),
        };
        assert_eq!((with(4), with(3)), joints);
        assert_eq!(with(0) + with(2) + joints.0 + joints.1, vertices);
    }
}

#[test]
fn large_graphs_are_embedded() {
    let drawn = |vertices: usize, edges: &[[usize; 2]]| {
        let rotation = embed(&Adjacency::of(vertices, edges), edges).unwrap();
        is_sphere(vertices, edges.len(), rotation.faces(edges).len())
    };
    let grid = Board::grid(&[30, 30]).unwrap();
    assert!(drawn(900, grid.edges()));
    // Very many paths between two vertices fit into very many faces.
    let paths: Vec<[usize; 2]> = (2..1000).flat_map(|v| [[0, v], [1, v]]).collect();
    assert!(drawn(1000, &paths));
}
