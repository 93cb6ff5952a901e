#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that what the pages quote is still so.

A fenced block under `<!-- from FILE -->` must be part of that file; links to files must lead somewhere.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
errors = []
for page in [*root.glob("*.md"), *root.glob("docs/**/*.md")]:
    text = page.read_text()
    where = page.relative_to(root)
    for name, block in re.findall(r"<!-- from (\S+) -->\n```\w*\n(.*?)```", text, re.S):
        if block not in (root / name).read_text():
            errors.append(f"{where}: the block from {name} is not in that file")
    prose = re.sub(r"```.*?```|`[^`\n]*`|(?m:^    .*$)", "", text, flags=re.S)
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        if "://" not in link and not (page.parent / link).exists():
            errors.append(f"{where}: the link to {link} leads nowhere")
print("\n".join(errors))
sys.exit(bool(errors))
