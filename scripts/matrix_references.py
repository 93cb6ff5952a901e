#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/support/matrix_references.h: functions of 3 x 3 matrices, rounded to 17 digits from 50 correct ones, and their conditions.

    pip install mpmath; scripts/matrix_references.py > tests/support/matrix_references.h

Tests read this table because they cannot compute with enough digits themselves: long double has only 64 bits, on some machines 53, and
__float128 is not available everywhere. The algorithms differ from those of the library: they are plain iterations, with a precision that
grows with the condition.

The condition of f at A is |df/dA| |A| / |f(A)| in Frobenius norms, by differences.
"""
import random
import sys

import mpmath as mp

I = mp.eye(3)


def norm(A):
    return mp.mnorm(A, "f")


def close(A, B):
    return norm(A - B) < norm(B) * mp.mpf(10) ** (-mp.mp.dps // 2)


def rounded(A):
    return mp.matrix([[mp.mpf(float(A[i, j])) for j in range(3)] for i in range(3)])


def turn(angle, axis):
    n = mp.matrix(axis)
    n /= mp.norm(n)
    K = mp.matrix([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return I + mp.sin(angle) * K + (1 - mp.cos(angle)) * K * K


def random_turn():
    return turn(random.uniform(0, 3), [random.gauss(0, 1) for _ in range(3)])


def sqrtm(A):
    """The square root, by the iteration of Denman and Beavers; None if it does not converge."""
    size = norm(A)
    B = X = A / size
    Y = I
    for _ in range(600):
        last = X
        X, Y = (X + Y**-1) / 2, (Y + X**-1) / 2
        if close(last, X):
            X = (X + Y**-1) / 2
            return X * mp.sqrt(size) if close(X * X, B) else None
    return None


def logm(A):
    """The logarithm, by square roots, then the series."""
    size, roots = norm(A), 0
    Y = A / size
    while norm(Y - I) > mp.mpf("1e-6"):
        Y = sqrtm(Y)
        roots += 1
        if Y is None:
            return None
    E = Y - I
    power, sum_ = I, mp.zeros(3)
    for k in range(1, mp.mp.dps // 5):
        power = power * E
        sum_ += power * mp.mpf((-1) ** (k + 1)) / k
    return sum_ * 2**roots + I * mp.log(size)


def expm(A):
    """The exponential, by the series of A divided by a power of two."""
    halvings = max(0, int(mp.log(norm(A) + 1, 2))) + 20
    B = A / mp.mpf(2) ** halvings
    term, sum_ = I, I
    for k in range(1, mp.mp.dps):
        term = term * B / k
        sum_ = sum_ + term
    for _ in range(halvings):
        sum_ = sum_ * sum_
    return sum_


def polar_rotation(A):
    X = A / norm(A)
    for _ in range(600):
        Y = (X**-1).T
        scale = mp.sqrt(norm(Y) / norm(X))
        last, X = X, (X * scale + Y / scale) / 2
        if close(last, X):
            return (X + (X**-1).T) / 2
    return None


def right_stretch(A):
    U = polar_rotation(A).T * A
    return (U + U.T) / 2


def hencky_strain(A):
    return logm(right_stretch(A))


def along(f):
    """The derivative of f along E."""
    E = mp.matrix([["0.3", "-0.2", "0.5"], ["0.1", "0.4", "-0.6"], ["0.7", "0.2", "-0.1"]])

    def df(A):
        h = norm(A) * mp.mpf(10) ** (-mp.mp.dps // 4)
        a, b = f(A + E * h), f(A - E * h)
        return None if a is None or b is None else (a - b) / (2 * h)

    return df


FUNCTIONS = {
    "det": lambda A: mp.matrix([[mp.det(A), 0, 0], [0, 0, 0], [0, 0, 0]]),
    "inv": lambda A: A**-1,
    "polar_rotation": polar_rotation,
    "right_stretch": right_stretch,
    "hencky_strain": hencky_strain,
    "sqrtm": sqrtm,
    "logm": logm,
    "expm": expm,
    "dsqrtm": along(sqrtm),
    "dlogm": along(logm),
}


def condition(f, A, F):
    h, squares = norm(A) * mp.mpf(10) ** (-mp.mp.dps // 3), mp.mpf(0)
    for k in range(9):
        B = A.copy()
        B[k // 3, k % 3] += h
        G = f(B)
        if G is None:
            return None
        squares += (norm(G - F) / h) ** 2
    return mp.sqrt(squares) * norm(A) / norm(F)


def row(name, A, digits):
    mp.mp.dps = digits
    A = rounded(A)
    f = FUNCTIONS[name]
    F = f(A)
    k = None if F is None else condition(f, A, F)
    values = None if F is None else [float(F[i, j]) for i in range(3) for j in range(3)]
    if k is None or any(abs(x) > 1.7e308 for x in values) or max(abs(x) for x in values) < 1e-300:
        return
    numbers = [float(A[i, j]) for i in range(3) for j in range(3)], values
    a, b = (", ".join(repr(x) for x in n) for n in numbers)
    print(f'    {{"{name}",\n     {{{a}}},\n     {{{b}}},\n     {float(k):.3g}}},')
    sys.stdout.flush()


def main():
    random.seed(35)
    print(
        "// SPDX-License-Identifier: MIT\n// Written by scripts/matrix_references.py.\n#pragma once\n\n// clang-format off\n"
        "namespace neml2::test\n{\n/// f(A), correct to the last digit, and its condition number; a derivative is along E.\n"
        "struct MatrixReference\n{\n  const char * function;\n  double A[9], f[9], condition;\n};\n"
        "constexpr double direction_of_references[9] = {0.3, -0.2, 0.5, 0.1, 0.4, -0.6, 0.7, 0.2, -0.1};\n"
        "constexpr MatrixReference matrix_references[] = {"
    )
    mp.mp.dps = 60
    any_matrix = ("det", "inv", "polar_rotation", "right_stretch", "hencky_strain")
    for n in (0, 1, 2, 4, 6, 8, 10, 12, 14, 15):
        for shape in ((0, 1), (1, 1), (0.5, 1)):
            d = mp.diag([1, mp.mpf(10) ** (-n * shape[0]), mp.mpf(10) ** (-n * shape[1])])
            size = mp.mpf(10) ** random.choice([0, 0, -290, -150, -60, -14, 11, 60, 150, 290])
            Q, P = random_turn(), random_turn()
            for name in any_matrix:
                # det grows with the third power of s
                s = size if name != "det" else mp.mpf(10) ** (mp.log10(size) / 3)
                row(name, Q * d * P.T * s, 80)
            S = Q * d * Q.T
            for name in ("det", "inv", "sqrtm", "logm"):
                s = size if name != "det" else mp.mpf(10) ** (mp.log10(size) / 3)
                S2 = rounded(S * s)
                row(name, (S2 + S2.T) / 2, 80)
            B = Q * (I + mp.matrix([[random.gauss(0, 0.3) for _ in range(3)] for _ in range(3)]))
            for name in ("sqrtm", "logm"):
                row(name, B * d * B**-1 * size, 80)
    for gap in ("0", "1e-16", "1e-14", "1e-12", "1e-8", "1e-4"):  # equal and nearly equal eigenvalues
        g = mp.mpf(gap)
        Q = random_turn()
        B = Q * (I + mp.matrix([[random.gauss(0, 0.3) for _ in range(3)] for _ in range(3)]))
        for d in ([1, 1 + g, 1 - g], [2, 2 + g, mp.mpf("0.7")]):
            for name in any_matrix + ("sqrtm", "logm", "expm"):
                row(name, Q * mp.diag(d) * Q.T, 80)
            for name in ("sqrtm", "logm", "expm", "dsqrtm", "dlogm"):
                row(name, B * mp.diag(d) * B**-1, 120)
    for degrees in ("1e-9", "1", "90", "150", "170", "179", "179.9", "179.99", "179.999", "179.9999", "179.999999"):
        R = turn(mp.mpf(degrees) * mp.pi / 180, [1, 2, 3])
        for name in ("inv", "polar_rotation", "sqrtm", "logm", "dsqrtm", "dlogm"):
            row(name, R, 120)
        for name in ("sqrtm", "logm"):
            row(name, R * mp.mpf("1e-14"), 80)
    for shear in ("1", "10", "300", "1e3", "1e5", "1e8"):
        g = mp.mpf(shear)
        A = mp.matrix([[1, g, 0], [0, 1, 0], [0, 0, 1]])
        for name in any_matrix + ("sqrtm", "logm", "expm"):
            row(name, A, 80)
        row("logm", mp.matrix([[1, g, g / 2], [0, 2, g], [0, 0, 1]]), 80)
    for A in (
        [[0, "1e6", 0], ["-1e-6", 0, 1], [0, 0, 1]],
        [[1, "1e6", 0], [0, -1, "1e6"], [0, 0, "0.5"]],
        [[-49, 24, 0], [-64, 31, 0], [0, 0, 1]],  # Moler and Van Loan (2003)
        [[0, "1e-8", 0], [-20066666666, -3, "2e10"], [66, 0, -66]],
        [["1e-12", 0, 0], [0, "2e-12", "1e-13"], [0, 0, 0]],
        [[0, -300, 0], [300, 0, 0], [0, 0, 0]],
        [[-300, 10, 0], [5, -1, 0], [0, 3, 300]],
        [[-20, 5, 3], [2, -30, 1], [0, 7, -12]],
    ):
        row("expm", mp.matrix(A), 150)
    print("};\n} // namespace neml2::test\n// clang-format on")


if __name__ == "__main__":
    main()
