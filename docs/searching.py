"""Searches a built site in Chromium, opened from its folder:  python docs/searching.py SITE WORD"""

from __future__ import annotations

import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.evaluate.browser import PROGRAM, Browser

OPEN = """
document.querySelector("[class*=search] button, button[class*=search]").click();
new Promise((resolve) => setTimeout(resolve, 500))
"""

FOUND = """
new Promise((resolve) => {
  const links = (root) => [...root.querySelectorAll("*")].flatMap((each) => [
    ...(each.shadowRoot ? links(each.shadowRoot) : []),
    ...(each.tagName === "A" && each.href.includes(WORD) ? [each.getAttribute("href")] : []),
  ]);
  const started = Date.now();
  const look = () => {
    const found = links(document);
    if (found.length || Date.now() - started > 30000) resolve(found);
    else setTimeout(look, 100);
  };
  look();
})
"""
"""Waits up to half a minute for links to pages on which the word is to be highlighted."""


def available() -> bool:
    """Whether there is a browser to search with."""
    return PROGRAM is not None


def search(site: Path, word: str) -> list[str]:
    """The links that a search for a word gives, starting on a page in a folder of the site."""
    with Browser() as browser:
        browser.open((site / "worlds" / "index.html").resolve(), width=1280)
        browser.run(OPEN)
        browser.say("Input.insertText", text=word)
        found: list[str] = browser.run(FOUND.replace("WORD", json.dumps(f"?h={word}")))
    return found


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python docs/searching.py SITE WORD")
    print(*search(Path(sys.argv[1]), sys.argv[2]), sep="\n")
