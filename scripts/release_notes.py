#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the section of a version in CHANGELOG.md as the notes of its release: release_notes.py VERSION URL

Relative links lead to URL. The lines of a paragraph are joined, since release notes show each line as a separate paragraph.
"""
import re
import sys
from pathlib import Path

version, url = sys.argv[1:]
changelog = (Path(__file__).resolve().parent.parent / "CHANGELOG.md").read_text(encoding="utf-8")
section = re.search(rf"(?ms)^## {re.escape(version)} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", changelog)
if not section or not section[1].strip():
    sys.exit(f"CHANGELOG.md says nothing of {version}: it needs a section ## {version} - <its date, as 2001-02-03>")
notes = re.sub(r"(?<=\S)\n *(?![-#\s])", " ", section[1].strip())
print(re.sub(r"\]\((?!https?:|#)", f"]({url.rstrip('/')}/", notes))
