"""Boards from graphs of networkx, and graph6."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def board(graph: Any) -> str:
    """The statement of a board: the graph of networkx, planar or not, for the text of a rule.

    Vertices have the names of the nodes where these are words of the language, else ``v0``,
    ``v1`` and so on.

    >>> import networkx as nx
    >>> board(nx.path_graph(3))
    'board graph { v0-v1, v1-v2 }'
    >>> from nimrule import Game
    >>> rule = board(nx.petersen_graph()) + " heaps on vertices move take from one edge"
    >>> len(Game("game petersen " + rule).heaps)
    10
    """
    nodes = list(graph.nodes)
    are_words = all(
        isinstance(node, str) and node.isidentifier() and node.isascii() for node in nodes
    )
    names = {node: node if are_words else f"v{at}" for at, node in enumerate(nodes)}
    lonely = [names[node] for node in nodes if not any(True for _ in graph.neighbors(node))]
    if graph.is_directed():
        raise ValueError("the edges of a board have no direction: use graph.to_undirected()")
    edges = [f"{names[a]}-{names[b]}" for a, b in graph.edges if a != b]
    if len(edges) < graph.number_of_edges():
        raise ValueError("an edge joins two different vertices")
    return f"board graph {{ {', '.join([*edges, *lonely])} }}"


def graph6(graph: Any) -> bytes:
    """The graph in the format graph6, for a board ``from "file.g6"``."""
    import networkx

    nx: Any = networkx
    return bytes(nx.to_graph6_bytes(graph, header=False))


def from_graph6(line: bytes | str) -> Any:
    """The graph of networkx of a line in the format graph6."""
    import networkx

    nx: Any = networkx
    data = line.encode() if isinstance(line, str) else line
    return nx.from_graph6_bytes(data.strip())
