# SPDX-License-Identifier: MIT
"""The declarations that scripts/headers.py reads, and those that it and python/generate.py refuse."""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "scripts"), str(ROOT / "python")]
import generate  # noqa: E402
import headers  # noqa: E402
import inherited  # noqa: E402
import vocabulary  # noqa: E402


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
            "template <class T, int... n, class U, class V = A>\nvoid odd(const U & u);": "void odd<T, n...>(const U & u)",
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
        self.assertEqual(read("class B { public: template <class T> explicit B(const T &) = delete; };").functions, [])
        self.assertEqual(read("template <class T>\nauto odd(const T &) { static_assert(sizeof(T) == 0); }").functions, [])
        found = read("namespace neml2\n{\n/// One.\nvoid odd();\nclass B { public: void f(); };\n}\n"
                     "inline void neml2::odd() {}\ninline void neml2::B::f() {}").functions
        self.assertEqual([f.key for f in found], ["odd", "B::f"])

    def test_a_comment_is_also_that_of_overloads_and_of_the_next_line(self):
        found = read("/// One,\n/// a δ_ij.\nvoid f();\nvoid g();\n\nvoid f(int);\n\nvoid h();\n\n/**\n * Two:\n *\n *     x\n"
                     " */\nvoid i() {}\nvoid j();\n/// Three, a block away.\n\nvoid k(); ///< Four.")
        self.assertEqual([(f.name, f.comment) for f in found.functions], [
            ("f", "One,\na δ_ij."), ("g", "One,\na δ_ij."), ("f", ""), ("h", ""), ("i", "Two:\n\n    x"), ("j", ""), ("k", "")])

    def test_types_constants_and_macros_have_the_comment_above_or_beside_them(self):
        found = read("using Number = double; ///< One.\n/// Two.\nenum class Choice\n{\n  first, ///< a\n  second, ///< b\n};\n"
                     "struct B { double low, high; ///< Three.\n  using Other = B; static constexpr auto type_name = 1; };\n"
                     "namespace core { constexpr int hidden = 1; }\n/// Four.\n#define ODD(x) x\n")
        self.assertEqual([(n.text, n.comment) for n in found.names], [
            ("#define ODD(x)", "Four."), ("using Number = double", "One."),
            ("enum class Choice", "Two.\n- `Choice::first`: a\n- `Choice::second`: b"), ("double low", ""), ("double high", "Three.")])

    def test_aliases_of_a_class_are_those_that_its_declarations_name(self):
        found = read("struct B { using Pairs = std::vector<std::pair<A, A>>; ///< One.\n using Other = A; void odd(const Pairs & p); };\n"
                     "namespace neml2 { struct C {}; struct D { using C = neml2::C; C odd(); }; }")
        self.assertEqual([(n.text, n.comment) for n in found.names], [("using Pairs = std::vector<std::pair<A, A>>", "One.")])

    def test_names_of_libtorch_are_those_brought_in(self):
        found = read("namespace neml2\n{\nusing c10::kBool; ///< One.\nusing std::int8_t;\n}")
        self.assertEqual([(n.scope, n.name, n.text, n.comment) for n in found.names], [("neml2", "kBool", "using c10::kBool", "One.")])

    def test_labels_that_are_bound_are_shown_as_such(self):
        [function] = read("template <class L> using if_bound = int;\ntemplate <class L, if_bound<L> = 0>\nvoid odd(const L & labels);").functions
        self.assertEqual(function.text, "void odd(const BoundLabels & labels)")

    def test_namespaces_have_comments(self):
        self.assertEqual(read("/// One.\nnamespace neml2\n{\n/// Two.\nnamespace core\n{\n}\n/**\n * Three.\n */\nnamespace f\n{\n}\n}").about,
                         "One.\n\nThree.")

    def test_a_type_has_the_factories_of_its_bases_unless_it_hides_them(self):
        bases = inherited.Bases([read(
            "template <class Derived> class Makes { public: static Derived make(const A & batch); static Derived make(const A & dynamic, const A & intmd);\n"
            "static Derived twice(const A & intmd); static Derived own(A);\n  // ---- Views ----\n  A view() const; };\n"
            "template <class Derived, int... S> class PrimitiveTensor : public Makes<Derived> {};\n"
            "class T : public PrimitiveTensor<T, 3, 3> { public: static T own(); };\n"
            "class U : public PrimitiveTensor<U> { public: using PrimitiveTensor::own; static U own(); };")])
        self.assertEqual(list(bases.factories("T")), ["static T make(const A & batch)", "static T twice(const A & intmd)"])
        self.assertEqual(list(bases.factories("U"))[-1], "static U own(A)")
        self.assertEqual((bases.shape("T"), bases.shape("U"), bases.shape("Makes")), ("3, 3", "", None))
        self.assertEqual([f.name for f in bases.members("T")["Views"]], ["view"])

    def test_formulas_call_what_has_rows(self):
        functions = read("class SR2 {}; class Tensor {};\nnamespace neml2 { A dev(const SR2 & s); A dev(const SR2 & s, double x); A dev(const Tensor & t);\n"
                         "template <class T> A sqrt(const T & t); namespace linalg { A eigh(const SR2 & s); } }").functions
        self.assertEqual([vocabulary.in_formulas(f) for f in functions], [True, False, False, True, False])

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
