#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the links of the site lead somewhere: pages, anchors, pictures, scripts. check_site.py FOLDER

Web addresses are not opened; files that a page loads must be in the folder, since the pages must work without a network.
"""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.twice = set(), [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if name := attrs.get("id"):
            if name in self.ids:
                self.twice.append(name)
            self.ids.add(name)
        if tag == "a" and "href" in attrs:
            self.links.append(attrs["href"])
        elif tag == "link" and attrs.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(attrs["href"])
        elif tag in ("img", "script", "iframe", "source") and "src" in attrs:
            self.loads.append(attrs["src"])


def faults(folder):
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts}
    for path, page in pages.items():
        where = path.relative_to(folder)
        for link in [*page.links, *page.loads]:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                if link in page.loads and url.scheme != "data":
                    yield f"{where} loads {link} from the web"
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            if not target.is_file():
                yield f"{where}: the link to {link} leads nowhere"
            elif url.fragment and target in pages and unquote(url.fragment) not in pages[target].ids:
                yield f"{where}: {url.path or 'the page'} has no anchor {url.fragment}"
        for name in page.twice:
            yield f"{where}: two elements have the id {name}"


folder = Path(sys.argv[1]).resolve()
errors = list(faults(folder))
for error in errors:
    print(error, file=sys.stderr)
sys.exit(bool(errors))
