//! Move-generator graphs in the DOT language, labelled with the source text.

use super::{Arc, MoveGraph, Node};
use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, NodeIndex};

/// One or several move-generator graphs, such as those of the two players, in the
/// DOT language of Graphviz.
///
/// # Examples
///
/// ```
/// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
/// let graph = nimrule_ir::lower(&nim);
/// assert!(nimrule_ir::dot(&[&graph], "Nim").starts_with("digraph"));
/// ```
pub fn dot(graphs: &[&MoveGraph], title: &str) -> String {
    let mut all: DiGraph<&Node, Arc> = DiGraph::new();
    let mut words = Vec::new();
    for graph in graphs {
        let first = all.node_count();
        for (node, said) in graph.nodes.node_weights().zip(&graph.words) {
            all.add_node(node);
            words.push(said);
        }
        for edge in graph.nodes.raw_edges() {
            let shifted = |node: NodeIndex| NodeIndex::new(first + node.index());
            all.add_edge(shifted(edge.source()), shifted(edge.target()), edge.weight);
        }
    }
    let nodes = |_: &_, (index, node): (NodeIndex, &&Node)| {
        let words = wrapped(words[index.index()]);
        let shape = match node {
            Node::Join => "circle",
            Node::End | Node::Again(_) => "doublecircle",
            Node::Guard(_) => "hexagon",
            Node::Number { .. } | Node::Choice { .. } => "diamond",
            Node::Take(_)
            | Node::Put { .. }
            | Node::Set { .. }
            | Node::Split { .. }
            | Node::Replace(_)
            | Node::Slide { .. } => "box",
            Node::Repeat { .. } => "ellipse",
        };
        let kind = match node {
            Node::Join => "join",
            Node::End => "end",
            Node::Again(_) => "again",
            Node::Guard(_) => "guard",
            Node::Number { .. } => "number",
            Node::Choice { .. } => "choice",
            Node::Take(_) => "take",
            Node::Put { .. } => "put",
            Node::Set { .. } => "set",
            Node::Slide { .. } => "slide",
            Node::Split { .. } => "split",
            Node::Replace(_) => "replace",
            Node::Repeat { .. } => "repeat",
        };
        format!("label=\"{kind}\\n{words}\" shape={shape}")
    };
    let arcs = |_: &_, edge: petgraph::graph::EdgeReference<'_, Arc>| match edge.weight() {
        Arc::Next => String::new(),
        Arc::Again => "label=\"again\"".to_owned(),
        Arc::Enough => "label=\"enough\"".to_owned(),
    };
    let body = format!(
        "{:?}",
        Dot::with_attr_getters(
            &all,
            &[Config::EdgeNoLabel, Config::NodeNoLabel],
            &arcs,
            &nodes
        )
    );
    let head = format!(
        "digraph {{\n    label=\"{}\" labelloc=t fontname=\"sans-serif\"\n    node [fontname=\"sans-serif\"]\n    edge [fontname=\"sans-serif\"]\n",
        escaped(title)
    );
    body.replacen("digraph {\n", &head, 1)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Wraps a text into lines of about 40 characters.
fn wrapped(words: &str) -> String {
    let mut lines = vec![String::new()];
    for word in words.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.len() + word.len() > 40 {
            lines.push(escaped(word));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&escaped(word));
        }
    }
    lines.join("\\n")
}
