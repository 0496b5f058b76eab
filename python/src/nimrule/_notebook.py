"""Notebooks: the cell magic ``%%nimrule``, and a widget to play."""

from __future__ import annotations

from nimrule._errors import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nimrule._game import Game, PositionLike


def load_ipython_extension(shell: Any) -> None:
    """Add the cell magic: ``%load_ext nimrule``, then ``%%nimrule NAME`` above a rule.

    The cell makes the game, under its own name or another one, and shows it. Errors are
    underlined.
    """

    def nimrule(line: str, cell: str) -> Any:
        """Make a game of the rule in this cell."""
        from nimrule._game import Game

        try:
            game = Game(cell)
        except RuleError as error:
            print(error)
            return None
        shell.push({line.strip() or game.name: game})
        return game

    shell.register_magic_function(nimrule, magic_kind="cell", magic_name="nimrule")


_SCRIPT = """
function render({ model, el }) {
  const show = () => {
    el.replaceChildren();
    const board = document.createElement("div");
    board.innerHTML = model.get("svg");
    const words = document.createElement("p");
    words.textContent = model.get("words");
    const moves = document.createElement("select");
    moves.setAttribute("aria-label", "Your move");
    for (const [text, shown] of model.get("moves")) moves.add(new Option(shown, text));
    const button = (name, value) => {
      const made = document.createElement("button");
      made.textContent = name;
      made.onclick = () => { model.set("asked", value()); model.save_changes(); };
      return made;
    };
    const row = document.createElement("div");
    if (model.get("moves").length) row.append(moves, button("Move", () => "move " + moves.value));
    row.append(button("Hint", () => "hint " + Math.random()));
    row.append(button("Begin again", () => "again " + Math.random()));
    el.append(board, words, row);
  };
  for (const name of ["svg", "words", "moves"]) model.on("change:" + name, show);
  show();
}
export default { render };
"""


def widget(game: Game, start: PositionLike | None = None) -> Any:
    """A widget to play against the program; it needs anywidget."""
    import anywidget
    import traitlets as library

    traitlets: Any = library
    base: Any = anywidget.AnyWidget

    from nimrule._errors import NimruleError

    begun = game.position(
        start if start is not None else game.start or game.ask("random", wins=True)["text"]
    )

    class Board(base):  # type: ignore[misc]
        """The board, the moves, and what happened."""

        _esm = _SCRIPT
        svg = traitlets.Unicode().tag(sync=True)
        words = traitlets.Unicode().tag(sync=True)
        moves = traitlets.List().tag(sync=True)
        asked = traitlets.Unicode().tag(sync=True)

        def __init__(self) -> None:
            base.__init__(self)
            self.at = begun
            self.observe(self.answer, names="asked")
            self.show("You begin.")

        def show(self, words: str) -> None:
            found = game.ask("options", position=self.at.text, side=None)["list"]
            self.moves = [[move["to"]["text"], move["words"]] for move in found]
            self.svg = str(self.at.svg())
            self.words = words

        def answer(self, change: Any) -> None:
            """Answer a click: a move, a hint, or another game."""
            kind, _, text = str(change["new"]).partition(" ")
            try:
                if kind == "again":
                    self.at = begun
                    self.show("You begin.")
                elif kind == "hint":
                    words = self.at.solve().moves_in_words
                    self.words = f"This wins: {words[0]}." if words else "No move wins."
                elif kind == "move":
                    self.at = game.position(text)
                    self.reply()
            except NimruleError as error:
                self.words = str(error)

        def reply(self) -> None:
            """Make the program's move."""
            wins = "You win." if not game.is_misere else "The program wins."
            if not self.at.options:
                self.show(wins)
                return
            made = game.ask("reply", position=self.at.text, side=None, errs=0)
            self.at = game.position(made["to"]["text"])
            over = (
                ""
                if self.at.options
                else (" You win." if game.is_misere else " The program wins.")
            )
            self.show(f"The program: {made['words']}.{over}")

    return Board()
