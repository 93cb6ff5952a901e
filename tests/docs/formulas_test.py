# SPDX-License-Identifier: MIT
"""The parts of plain text that docs/site/formulas.py takes for formulas, and how they are typeset."""
import re
import sys
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "docs" / "site"), str(ROOT / "scripts")]
import reference  # noqa: E402
from formulas import mathml, split  # noqa: E402


def marked(text):
    return "".join(f"<{part}>" if formula else part for formula, part in split(text))


def shown(text):
    """The MathML in short: its tags are functions, except letters, numbers and rows."""
    def short(node):
        tag, inside = node.tag.rpartition("}")[2], "".join([node.text or "", *map(short, node)])
        if tag in ("msub", "msup", "msubsup", "msqrt"):
            return f"{tag}({', '.join(map(short, node))})"
        return " " if tag == "mspace" else inside
    return short(ElementTree.fromstring(mathml(text)))


def lines(text):
    """The places at which a formula can break."""
    return ["".join(ElementTree.fromstring(part).itertext()) for part in mathml(text).split("<wbr>")]


class Formulas(unittest.TestCase):
    def test_formulas_are_found_in_sentences(self):
        for text in [
            "Deviator <s_ij - s_kk δ_ij / 3>. In the unit of s.",
            "<√(v_i v_i + epsilon)>, epsilon in the square of the unit of v.",
            "The rotation R of <F = R U>, as polar(F) has it.",
            "<-r / (r_i r_i)> are one rotation, by <θ> and by <θ - 2π>.",
            "<a δ_ij>, of a 6 × 6 matrix",
            "<C_ijkl e_kl> a product of a matrix and a vector",
            "<s_ij = Σ_k λ_k V_ik V_jk>. That is",
            "in <[0, 2π)>, which are Bunge's (<π> included)",
            "Lode angle: <cos 3θ = (3√3/2) J3(s) / J2(s)^(3/2)>.",
            "<∂rotate(w, r)_i/∂r_k = ∂R_ij/∂r_k w_j>, in the unit of w.",
            "<|a - b|> is at most 1e-5, <n × m> numbers",
            "where <v = 0> is 0 (for <epsilon = 0>, one choice)",
        ]:
            with self.subTest(text):
                self.assertEqual(marked(re.sub("[<>]", "", text)), text)

    def test_words_and_code_are_no_formulas(self):
        for text in ["A batch of R2 * R2 in the namespace neml2", "a >= b", "See norm_sq(v) and isotropic_E_nu(E, nu)", "Rot drotate",
                     "requires_grad_() of a leaf", "The 24 rotations of a cube, 3 - 2 of them", "m + |offset", "(s, x, y, z), scalar first"]:
            with self.subTest(text):
                self.assertEqual(marked(text), text)

    def test_nothing_is_lost(self):
        text = reference.pages()[0]
        self.assertEqual("".join(part for _, part in split(text)), text)

    def test_indices_exponents_and_roots_are_typeset(self):
        for text, result in {
            "A_ij": "msub(A, ij)",
            "A^-1": "msup(A, −1)",
            "F^-1_ik": "msubsup(F, ik, −1)",
            "ν_ij²": "msubsup(ν, ij, 2)",
            "C12": "msub(C, 12)",
            "a_k+1 - a_k": "msub(a, k+1) − msub(a, k)",
            "e^(p log s)": "msup(e, plogs)",
            "√(v_i v_i)": "msqrt(msub(v, i) msub(v, i))",
            "√3/2": "msqrt(3)/2",
            "(1 + s)²": "msup((1 + s), 2)",
            "∂(e^A)_ij": "∂msub((msup(e, A)), ij)",
            "f'_k": "msub(f′, k)",
            "a * b": "a ∗ b",
            "δ_IK": "msub(δ, IK)",
        }.items():
            with self.subTest(text):
                self.assertEqual(shown(text), result)

    def test_formulas_that_are_long_can_break_at_signs_and_between_factors(self):
        self.assertEqual(lines("A_ij = -B_ij"), ["Aij=−Bij"])
        self.assertEqual(lines("A_ijkl = -T_jikl - (a + b) T_ijlk / 2"), ["Aijkl", "=−Tjikl", "−(a+b)", "Tijlk/2"])
        self.assertEqual(lines("a_ij ((1 - s) δ_ij - 2 x_i r_j + 2 ε_ijk x_k) / d")[-2:], ["+2εijk", "xk)/d"])


if __name__ == "__main__":
    unittest.main()
