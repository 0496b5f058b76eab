//! Boards: their cells, embeddings and symmetries.

mod blocks;
mod graph6;
mod grids;
mod incidences;
mod listed_faces;
mod named;
mod planar;
mod planar_code;
mod rotation;
mod shrinking;
mod solids;
mod symmetry;

use nimrule_board::NamedGraph;

/// The graph of these edges: `A-B B-C`. A word without a hyphen is a vertex.
fn graph(edges: &str) -> NamedGraph {
    let mut graph = NamedGraph::new();
    for word in edges.split_whitespace() {
        match word.split_once('-') {
            Some((a, b)) => graph.add_edge(a, b).unwrap(),
            None => drop(graph.add_vertex(word).unwrap()),
        }
    }
    graph
}
