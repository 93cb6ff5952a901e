# SPDX-License-Identifier: MIT
"""How scripts/notebooks.py makes notebooks of programs in cells."""
import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
import notebooks  # noqa: E402

PROGRAM = '''# SPDX-License-Identifier: MIT
"""A rod
is pulled.

    rod.py [--plot FILE]
"""

# %% only in the script
import argparse

# %%
x = 1


# %% [markdown]
# ## Results
#
# are *these*.

# %%
print(x)
'''


class Notebooks(unittest.TestCase):
    def test_cells_are_text_and_code_without_what_only_the_script_needs(self):
        self.assertEqual(list(notebooks.cells_of(PROGRAM, "Rod")), [
            ("markdown", "# Rod\n\nA rod\nis pulled."), ("code", "x = 1"),
            ("markdown", "## Results\n\nare *these*."), ("code", "print(x)")])

    def test_a_notebook_holds_no_results(self):
        cells = json.loads(notebooks.notebook(PROGRAM, "Rod"))["cells"]
        self.assertEqual([c["source"] for c in cells][:2], [["# Rod\n", "\n", "A rod\n", "is pulled."], ["x = 1"]])
        self.assertEqual([c["outputs"] for c in cells if c["cell_type"] == "code"], [[], []])
        self.assertEqual(len({c["id"] for c in cells}), 4)

    def test_other_marks_are_refused(self):
        with self.assertRaisesRegex(SystemExit, "does not know cells of '# %% once'"):
            notebooks.notebook(PROGRAM + "# %% once\n", "Rod")


if __name__ == "__main__":
    unittest.main()
