# SPDX-License-Identifier: MIT
"""How scripts/site_pages.py lays out pages and comments for the site."""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
import python_reference  # noqa: E402
import reference  # noqa: E402
import site_pages  # noqa: E402
from pages import TABLES  # noqa: E402

SITE = site_pages.Site({"core/factories.h": "reference/core/factories"})

STUBS = {"tensors": '''"""Batched tensors."""
class TensorBase:
    """The members that all have in common."""
    def __mul__(self, b: Self | Scalar | float) -> Self: ...
class SR2(TensorBase):
    """Batch of symmetric second order tensors, for example stress or strain.

    More."""
    def __mul__(self, b: SSR4 | Scalar | float) -> SR2: ...
    @staticmethod
    def fill(a: float, *, dtype: torch.dtype | None = None) -> SR2:
        """Of one number."""
''', "math": '''"""Functions of batched tensors."""
def sqrt(a: T) -> T:
    """Square root of each component."""
''', "crystallography": '"""Symmetry of crystals."""\n'}


class Pages(unittest.TestCase):
    def test_links_lead_to_pages_of_the_site(self):
        for path, link, page, result in [
            ("README.md", "[x](docs/vmap.md#finite-elements)", "tour", "[x](vmap.md#finite-elements)"),
            ("README.md", "[docs/memory.md](docs/memory.md)", "tour", "[](memory.md)"),
            ("docs/engine.md", "![x](images/speed.svg)", "engine", "![x](images/speed.svg)"),
            ("docs/site/index.md", "[x](../../LICENSE)", "index", "[x](license.md)"),
            ("docs/vmap.md", "[x](../examples/taylor.cpp)", "vmap", "[x](examples/taylor.md)"),
            ("docs/vmap.md", "[x](reference.md)", "vmap", "[x](reference/index.rst)"),
            ("docs/vmap.md", "[x](../include/neml2/core/factories.h)", "vmap", "[x](reference/core/factories.rst)"),
            ("docs/reference.md", "[x](python_reference.md)", "reference/index", "[x](../python_reference.md)"),
            ("docs/vmap.md", "[x](https://pytorch.org#y) and [x](#tables)", "vmap", "[x](https://pytorch.org#y) and [x](#tables)"),
            ("docs/vmap.md", "`f[i](a)`", "vmap", "`f[i](a)`"),
            ("docs/vmap.md", "```cpp\n[](memory.mdx)\n```", "vmap", "```cpp\n[](memory.mdx)\n```"),
        ]:
            with self.subTest(link):
                self.assertEqual(SITE.prose(link, path, page), result)

    def test_a_link_to_what_is_no_page_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "docs/vmap.md: the site has no page for the link to nothing.md"):
            SITE.prose("[x](nothing.md)", "docs/vmap.md", "vmap")

    def test_quoted_blocks_say_where_they_are_from(self):
        text = SITE.prose("<!-- from examples/taylor.cpp -->\n```cpp\nint i;\n```", "docs/vmap.md", "vmap")
        self.assertEqual(text, "```{code-block} cpp\n:caption: [examples/taylor.cpp](examples/taylor.md)\n\nint i;\n```")

    def test_blocks_whose_like_there_is_in_python_have_tabs(self):
        text = SITE.prose((ROOT / "docs" / "labels.md").read_text(encoding="utf-8"), "docs/labels.md", "labels")
        self.assertRegex(text, r"(?s):sync: cpp\n.*unknowns.add<SR2>.*:sync: python\n.*python/labeled_state.py\n.*# begin axes")

    def test_sections_are_taken_from_other_pages(self):
        text = SITE.prose("<!-- section README.md: Try it -->", "docs/site/start.md", "start")
        self.assertTrue(text.startswith("## Try it\n"))
        self.assertIn("make tutorial   # builds", text)
        self.assertNotIn("## Use it", text)
        with self.assertRaisesRegex(SystemExit, "README.md has no section Nothing"):
            SITE.prose("<!-- section README.md: Nothing -->", "docs/site/start.md", "start")

    def test_comments_become_paragraphs_lists_and_code(self):
        self.assertEqual(site_pages.comment(
            "Turns a * b_ij,\n`x` too. Source: X\nUnits: any.\n- one\n  more\n- two\n\n    f(x);\n\n    g(x);\n@throws IndexException if\n  not.", "  "),
            "  Turns a \\* b\\_ij, ``x`` too. Source: X\n\n  Units: any.\n\n  - one more\n\n  - two\n\n"
            "  .. code-block:: cpp\n\n     f(x);\n\n     g(x);\n\n  Throws ``IndexException`` if not.\n")
        self.assertEqual(site_pages.comment("1. (; )"), "\\1. (; )\n")

    def test_files_are_written_only_where_they_change(self):
        with tempfile.TemporaryDirectory() as folder:
            write, files = site_pages.written(Path(folder))
            write("a/b.md", "x")
            before = (Path(folder) / "a" / "b.md").stat().st_mtime_ns
            write("a/b.md", "x")
            self.assertEqual((Path(folder) / "a" / "b.md").stat().st_mtime_ns, before)
            self.assertEqual(files, {Path(folder) / "a" / "b.md"})

    def test_pictures_of_matplotlib_have_no_white_and_no_black(self):
        for picture in ROOT.glob("docs/images/*.svg"):
            text = picture.read_text(encoding="utf-8")
            shown = site_pages.without_white(text)
            with self.subTest(picture.name):
                self.assertEqual(shown == text, "matplotlib" not in text)
                if shown != text:
                    self.assertNotRegex(shown, r'<path d="[^"]*" style="fill: #ffffff|#000000')
                    self.assertEqual(shown.count("<use"), text.count("<use"))
                    self.assertTrue("fill: #ffffff" in shown or picture.stem != "texture")  # points

    def test_each_class_and_module_of_python_has_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            for module, text in STUBS.items():
                (Path(folder) / f"{module}.pyi").write_text(text, encoding="utf-8")
            classes = site_pages.python_reference(SITE, site_pages.written(Path(folder))[0], Path(folder))
            self.assertEqual([p.rpartition("/")[2] for p, of in classes.items() if of], ["tensors"])
            self.assertIn("python_reference/SR2", classes["python_reference/tensors"])
            text = (Path(folder) / "python_reference" / "SR2.md").read_text(encoding="utf-8")
            self.assertTrue(text.startswith("# SR2\n\nIn `neml2.tensors`, a `TensorBase`.\n"))
            self.assertIn("| `a * b` | `SSR4`, `Scalar`, number | `SR2` |\n", text)
            self.assertIn("SR2.fill(", text)
            self.assertNotIn("\nSSR4.fill(", text)
            text = (Path(folder) / "python_reference" / "tensors.md").read_text(encoding="utf-8")
            self.assertIn("| [SR2](SR2.md) | Batch of symmetric second order tensors, for example stress or strain. |\n", text)
            text = (Path(folder) / "python_reference.md").read_text(encoding="utf-8")
            self.assertIn("[formulas](python_formulas.md)", text)
            self.assertIn("| [neml2.math](python_reference/math.md) | Functions of batched tensors. |\n", text)
            self.assertNotIn("left out", text)
            shown = python_reference.page(Path(folder))
            self.assertEqual(sum(map(len, classes.values())) + len(classes), shown.count("\n## `") + shown.count("\n### `"))
            self.assertIn("math.sqrt(a: T) -> T\n    # Square root of each component. [in formulas]\n", shown)

    def test_without_a_built_package_the_site_has_the_modules_that_are_written_in_python(self):
        with tempfile.TemporaryDirectory() as folder:
            classes = site_pages.python_reference(SITE, site_pages.written(Path(folder))[0], None)
            self.assertEqual([*classes], [f"python_reference/{m}" for m in ("neml2", "formulas", "distributed", "plot", "point")])
            text = (Path(folder) / "python_reference.md").read_text(encoding="utf-8")
            self.assertIn("`neml2.crystallography` are left out", text)
            self.assertIn("\nneml2.point.drive(", (Path(folder) / "python_reference" / "point.md").read_text(encoding="utf-8"))
        text = python_reference.page(None)
        self.assertEqual({*python_reference.missing(text)}, {"neml2.tensors", "neml2.math", "neml2.crystallography"})
        self.assertIn("neml2.point.drive", python_reference.missing(text.replace("neml2.point.drive(", "f(")))

    def test_each_name_of_the_reference_has_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = site_pages.reference(site_pages.written(Path(folder))[0])
            names = {name: page for page in pages for name, _ in page.names()}
            self.assertEqual(names["polar_rotation"].name, "reference/tensors/kinematics")
            self.assertEqual(names["SR2"].name, "reference/tensors/SR2")
            self.assertEqual(names["SR2::fill"].name, "reference/tensors/SR2")
            text = (Path(folder) / "reference" / "tensors" / "kinematics.rst").read_text(encoding="utf-8")
            self.assertIn(".. cpp:function:: R2 polar_rotation(const R2 & F)", text)
            self.assertIn('#include "neml2/tensors/kinematics.h" // namespace neml2\n', text)
            self.assertIn("Kinematics of finite deformation", text)
            self.assertRegex(text, r"Higham \(1986\).*\n\n   .. rst-class:: marks\n\n   In formulas of C\+\+ and Python.\n")
            text = (Path(folder) / "reference" / "tensors" / "SR2.rst").read_text(encoding="utf-8")
            self.assertIn("   static SR2 zeros(const TraceableTensorShape & batch, const TensorOptions & options = ...)\n", text)
            self.assertIn("- Shape: ``batched <reference/core/TensorBase#TensorBase::batched>``", text)
            text = (Path(folder) / "reference" / "tensors" / "interpolation.rst").read_text(encoding="utf-8")
            self.assertIn("- ``Beyond::extrapolate``: the tangent at the end\n", text)
            text = (Path(folder) / "reference" / "tensors" / "LabeledAxisAccessor.rst").read_text(encoding="utf-8")
            self.assertIn('LabeledAxisAccessor.h" // namespace neml2\n', text)
            self.assertRegex(text, r"In the namespace ``neml2::indexing``:\n\n.. code-block:: cpp\n\n   using TensorLabel = ")
            self.assertEqual((names["Beyond"].path, names["NewtonOptions"].path), ("tensors/interpolation.h", "math/newton.h"))
            shown, tables = reference.pages()
            self.assertEqual(len(pages), shown.count("\n### `neml2/"))
            self.assertEqual(len(pages), tables.count("](../include/neml2/") - tables.partition(TABLES)[0].count("](../include/neml2/"))
            self.assertRegex(tables, r"\n\| \[tensors/kinematics.h\].*\| Kinematics of finite deformation.*`polar_rotation`.* \|\n")
            self.assertEqual(reference.anchors(shown), [])
            self.assertEqual(reference.anchors(shown + "[x](#nothing)"), ["the reference has no heading for the link to #nothing"])


if __name__ == "__main__":
    unittest.main()
