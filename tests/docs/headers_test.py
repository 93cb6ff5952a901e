# SPDX-License-Identifier: MIT
"""What scripts/headers.py reads, and what it and python/generate.py refuse."""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "scripts"), str(ROOT / "python")]
import generate  # noqa: E402
import headers  # noqa: E402


def read(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve() / "Odd.h"
        path.write_text("class A {};\n#define NEML2_COLD\n" + text, encoding="utf-8")
        return headers.read([path])[path]


class Headers(unittest.TestCase):
    def test_functions_are_as_they_are_written(self):
        for text, shown in {
            "template <class T, class = std::enable_if_t<std::is_same_v<T, A>>>\nNEML2_COLD [[nodiscard]] inline "
            "std::vector<T>\nodd(const T & t, // the first\n  double x = 1.5)\n{\n  return {};\n}":
                "std::vector<T> odd(const T & t, double x = 1.5)",
            "auto odd(const A & a = {}) noexcept { return a; }": "auto odd(const A & a = {}) noexcept",
            "void odd(int (&x)[3], const A &, ...);": "void odd(int (&x)[3], const A &, ...)",
            "struct B { explicit constexpr B(int n) : m(n) {}; int m; };": "explicit constexpr B(int n)",
            "struct B { static B & odd(); };": "static B & odd()",
            "struct B { B & operator()(const A & = A()) const; };": "B & operator()(const A & = A()) const",
            "struct B { operator std::vector<int>() const { return {}; } };": "operator std::vector<int>() const",
            "namespace math { template <class A, class F, class B, class G> using if_types = int; }\n"
            "template <class S, class T, math::if_types<S, A, T, int> = 0>\nA odd(const S & s, const T & t);":
                "A odd(const A & s, const int & t)",
        }.items():
            with self.subTest(text):
                [function] = read(text).functions
                self.assertEqual(function.text, shown)

    def test_only_what_is_public_is_read(self):
        self.assertEqual(read("class B { void odd(); friend void g(B); protected: void h(); };").functions, [])
        self.assertEqual(read("namespace core { void odd(); }\nvoid g(A) = delete;").functions, [])
        self.assertEqual(read("template <class T>\nauto odd(const T &) { static_assert(sizeof(T) == 0); }").functions, [])
        found = read("namespace neml2\n{\n/// One.\nvoid odd();\nclass B { public: void f(); };\n}\n"
                     "inline void neml2::odd() {}\ninline void neml2::B::f() {}").functions
        self.assertEqual([f.key for f in found], ["odd", "B::f"])

    def test_a_comment_is_also_that_of_overloads_and_of_the_next_line(self):
        found = read("/// One,\n/// a δ_ij.\nvoid f();\nvoid g();\n\nvoid f(int);\n\nvoid h();\n\n/**\n * Two:\n *\n *     x\n"
                     " */\nvoid i() {}\nvoid j();\n/// Three, a block away.\n\nvoid k(); ///< Four.")
        self.assertEqual([(f.name, f.comment) for f in found.functions], [
            ("f", "One,\na δ_ij."), ("g", "One,\na δ_ij."), ("f", ""), ("h", ""), ("i", "Two:\n\n    x"), ("j", ""), ("k", "")])

    def test_what_libclang_does_not_understand_is_refused(self):
        for text in ("void odd(", "std::unknown<A> odd();", "void odd(const Unknown & u);", '#include "neml2/none.h"'):
            with self.subTest(text), self.assertRaisesRegex(SystemExit, "stand_ins.h:\n.*error: "):
                read(text)
        read("namespace core { std::unknown<A> odd(); }\n#include <unknown>\nauto f() { return unknown; }")

    def test_what_cannot_be_bound_is_refused(self):
        for text in ("void odd(const A &);", "void odd(A a);", "void odd(A && a);", "void odd(const A * a);",
                     "void odd(const std::vector<A> & a);", "void odd(const A & a, ...);", "void odd(double (&x)[3]);",
                     "template <class T>\nvoid odd(const T & t);", "bool operator<(const A & a, const A & b);",
                     "struct B { operator A() const; };"):
            with self.subTest(text):
                [function] = read(text).functions
                self.assertEqual(list(generate.definitions(function, ["A"])), [None])
        [function] = read("void odd(const A & a);").functions
        self.assertNotIn(None, list(generate.definitions(function, ["A"])))


if __name__ == "__main__":
    unittest.main()
