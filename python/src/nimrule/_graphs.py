"""Boards from graphs of networkx, and graph6."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def board(graph: Any, planar: bool = False) -> str:
    """The statement of a board, for the text of a rule, from a graph of networkx.

    Vertices have the names of the nodes where these are words of the language, else ``v0``,
    ``v1`` and so on. With ``planar`` the board has faces, which the rule finds where the edges
    determine them; a ``PlanarEmbedding`` has its own.

    >>> import networkx as nx
    >>> board(nx.path_graph(3))
    'board graph { v0-v1, v1-v2 }'
    >>> board(nx.complete_graph(4), planar=True)
    'board planar { v0-v1, v0-v2, v0-v3, v1-v2, v1-v3, v2-v3 }'
    >>> _, embedding = nx.check_planarity(nx.circular_ladder_graph(5))
    >>> board(embedding).partition("faces")[2].count("{")
    7
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
    faces = ""
    if hasattr(graph, "traverse_face"):
        planar = True
        seen: set[Any] = set()
        for edge in graph.edges:
            if edge not in seen:
                cycle = graph.traverse_face(*edge, mark_half_edges=seen)
                faces += f" {{ {' '.join(names[node] for node in cycle)} }}"
        faces = f" faces{faces}"
        graph = graph.to_undirected()
    if graph.is_directed():
        raise ValueError("the edges of a board have no direction: use graph.to_undirected()")
    edges = [f"{names[a]}-{names[b]}" for a, b in graph.edges if a != b]
    if len(edges) < graph.number_of_edges():
        raise ValueError("an edge joins two different vertices")
    kind = "planar" if planar else "graph"
    return f"board {kind} {{ {', '.join([*edges, *lonely])} }}{faces}"


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
