// Rules of the book open in the page, and are played here: where the page is served beside the
// book, in its folder `page` (`npm run site` in web/ puts it there).
(async () => {
  const rules = [...document.querySelectorAll("code.language-nimrule")].filter(
    (code) => !/\b(fragment|true|wrong|fails)\b/.test(code.className),
  );
  if (rules.length === 0 || !location.protocol.startsWith("http")) return;
  // The book says in each of its pages where its root is.
  const page = new URL(`${path_to_root}page/`, location.href);
  const found = await fetch(new URL("manifest.webmanifest", page), { method: "HEAD" }).catch(() => null);
  if (!found?.ok) return;

  for (const code of rules) {
    const hash = `#text=${encodeURIComponent(code.textContent.trim() + "\n")}`;
    const row = document.createElement("p");
    row.className = "open-in-page";
    const link = document.createElement("a");
    link.href = page + hash;
    link.target = "_blank";
    link.textContent = "Open in the page";
    const play = document.createElement("button");
    play.type = "button";
    play.textContent = "Play here";
    row.append(link, play);
    code.parentElement.after(row);

    const show = () => {
      const board = document.createElement("iframe");
      board.className = "live-board";
      board.title = "The board of the rule";
      board.loading = "lazy";
      board.src = `${page}?board${hash}`;
      board.style.colorScheme = getComputedStyle(document.documentElement).colorScheme;
      // The board says how high it is.
      addEventListener("message", (event) => {
        if (event.origin === location.origin && event.source === board.contentWindow && event.data?.height > 0) {
          board.style.height = `${event.data.height}px`;
        }
      });
      // The board has a link of its own, to the position that is shown.
      row.replaceWith(board);
    };
    play.addEventListener("click", show);
    if (code.classList.contains("live")) show();
  }
})();
