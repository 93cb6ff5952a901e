# SPDX-License-Identifier: MIT
"""Sphinx's configuration; scripts/site_pages.py lays out the files that it reads, see scripts/docs.sh."""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

version_h = (HERE.parent.parent / "include" / "neml2" / "version.h").read_text(encoding="utf-8")
project = "NEML2 tensors"
release = ".".join(re.search(r"(?s)_MAJOR (\d+).*_MINOR (\d+).*_PATCH (\d+)", version_h).groups())
html_title = f"{project} {release}"
html_show_copyright = html_show_sphinx = html_copy_source = False

extensions = ["myst_parser", "sphinx_design", "sphinx_copybutton", "prose"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
smartquotes = False  # what is quoted is code
highlight_language = "none"
suppress_warnings = ["duplicate_declaration.cpp"]  # overloads that differ by what their templates take, which is not shown
primary_domain = "cpp"
cpp_maximum_signature_line_length = 100
cpp_index_common_prefix = ["neml2::"]
toc_object_entries = False
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div:not(.signature):not(.highlight-text) > div.highlight > pre"

html_theme = "furo"
html_favicon = "static/icon.svg"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5f9e", "color-brand-content": "#1d5f9e", "color-brand-visited": "#5b4a9e"},
    "dark_css_variables": {"color-brand-primary": "#7db8ee", "color-brand-content": "#7db8ee", "color-brand-visited": "#b5a5ee"},
}
