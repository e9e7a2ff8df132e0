"""Follows every link of a built site:  python docs/crawl.py SITE

Reports links to pages, anchors, pictures, styles and scripts that do not exist, pages that no link
leads to, and anything that a page would load from the network. Links to other sites are not
followed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}
"""Tags that load something, and the attribute that says from where."""

NOT_LOADED = {"canonical", "edit", "next", "prev", "alternate"}
"""Kinds of <link> that only name another page."""


class Page(HTMLParser):
    """The anchors of a page, where its links lead, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchor and the link of a tag."""
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif found.get(LOADS.get(tag, "")) and found.get("rel") not in NOT_LOADED:
            self.loads.append(found[LOADS[tag]])


def problems(site: Path) -> Iterator[str]:
    """Broken links of a site, and other problems of its pages, one line each."""
    site = site.resolve()
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    start = site / "index.html"
    if start not in pages:
        yield f"{site}: has no index.html"
        return
    reached = {start}
    waiting = [start]
    while waiting:
        file = waiting.pop()
        place = file.relative_to(site)
        for link in (*pages[file].links, *pages[file].loads):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in pages[file].loads and parts.scheme != "data":
                    yield f"{place}: loads {link} from the network"
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.is_relative_to(site) or not target.is_file():
                yield f"{place}: {link} does not exist"
            elif target in pages:
                if parts.fragment and unquote(parts.fragment) not in pages[target].anchors:
                    yield f"{place}: {link} has no such anchor"
                if target not in reached:
                    reached.add(target)
                    waiting.append(target)
    for file in sorted(set(pages) - reached - {site / "404.html"}):
        yield f"{file.relative_to(site)}: no link leads here"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/crawl.py SITE")
    found = list(problems(Path(sys.argv[1])))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
