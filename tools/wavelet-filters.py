#!/usr/bin/env python3
"""Compute the orthonormal scaling filters h of src/wavelets/coefficients.ts, and write that file.

    python3 tools/wavelet-filters.py          (needs mpmath; about four seconds)

All families solve, for a filter of K taps,

    sum_k h_k h_{k+2m} = [m = 0]       orthonormal even shifts
    sum_k (-1)^k k^p h_k = 0           vanishing moments of the wavelet, p < M

dbN, symN   K = 2N, M = N. H(z) = sqrt(2) ((1+z)/2)^N Q(z), where |Q|^2 = P(y), y = (2 - z - 1/z)/4, and
            P(y) = sum_{k<N} C(N-1+k, k) y^k. A root y of P gives the pair z, 1/z, of which Q takes one.
            dbN takes the one inside the unit circle every time (extremal phase); symN takes a mixture that
            makes the filter nearly symmetric, listed in `symlet_choices`.
coifN       K = 6N, M = 2N, and sum_k (k - 2N)^p h_k = 0 for 0 < p < 2N (moments of the scaling function).
            Solved by Newton's method from the four-digit values in `coiflet_starts`.

The computation has 60 digits; the file holds the nearest double of each value, as the shortest decimal that
reads back to it. (The symlets of common tables are off by up to 1e-11.)

Source: I. Daubechies. Ten Lectures on Wavelets. SIAM, 1992, sections 6.4, 8.1.1 and 8.2. Names, order of the
taps and the mixture of roots are those of the reconstruction filters of PyWavelets (and of Matlab).
"""

import textwrap
from pathlib import Path

from mpmath import arg, binomial, conj, lu_solve, matrix, mp, mpf, nstr, polyroots, sqrt

mp.dps = 60

target = Path(__file__).resolve().parent.parent / "src" / "wavelets" / "coefficients.ts"

# One digit per root of P (a conjugate pair counts once), by falling |arg z|: 1 takes the root outside the unit circle.
symlet_choices = {
    2: "0",
    3: "0",
    4: "10",
    5: "01",
    6: "101",
    7: "001",
    8: "1010",
    9: "0110",
    10: "10101",
    11: "00110",
    12: "010101",
    13: "011100",
    14: "0101100",
    15: "0011100",
    16: "01011001",
    17: "10001110",
    18: "101001101",
    19: "001110100",
    20: "0101100101",
}

# 10^4 h, rounded.
coiflet_starts = {
    1: [-727, 3379, 8526, 3849, -727, -157],
    2: [164, -415, -674, 3861, 8127, 4170, -765, -594, 237, 56, -18, -7],
    3: [-38, 78, 235, -658, -611, 4052, 7938, 4285, -718, -823, 346, 159, -90, -26, 11, 5, -1, 0],
    4: [
        9, -16, -73, 161, 267, -813, -561, 4153, 7822, 4344, -666, -962, 393, 251, -152, -57, 38, 13, -6, -3,
        1, 0, 0, 0,
    ],
    5: [
        -2, 4, 22, -42, -101, 234, 282, -919, -520, 4216, 7743, 4380, -620, -1056, 413, 327, -198, -92, 68,
        24, -17, -6, 3, 1, 0, 0, 0, 0, 0, 0,
    ],
}


def daubechies_roots(N):
    """The roots z of Q inside the unit circle, one of each conjugate pair, by falling |arg z|."""
    if N == 1:
        return []
    P = [binomial(N - 1 + k, k) for k in reversed(range(N))]
    roots = []
    for y in polyroots(P, maxsteps=500, extraprec=400):
        y = y.real if abs(y.imag) < mpf(10) ** (10 - mp.dps) else y
        if y.imag < 0:
            continue
        b = 1 - 2 * y  # z + 1/z = 2b
        z = b + sqrt(b * b - 1)
        roots.append(z if abs(z) < 1 else 1 / z)
    return sorted(roots, key=lambda z: -abs(arg(z)))


def spectral_factor(N, choice):
    """h from its roots: -1 taken N times, and those of Q as chosen."""
    taps = [mpf(1)]
    for root in [mpf(-1)] * N + chosen_roots(N, choice):
        taps = [a - root * b for a, b in zip(taps + [0], [0] + taps)]
    scale = sqrt(2) / sum(taps).real
    return [tap.real * scale for tap in taps]


def chosen_roots(N, choice):
    chosen = []
    for z, outside in zip(daubechies_roots(N), choice, strict=True):
        z = 1 / z if outside == "1" else z
        chosen += [z] if z.imag == 0 else [z, conj(z)]
    return chosen


def coiflet(N, start):
    """Newton's method on 6N of the equations; the even moments of the scaling function follow from these."""
    h = [mpf(value) / 10000 for value in start]
    for _ in range(50):
        residuals, jacobian = coiflet_equations(N, h)
        step = lu_solve(matrix(jacobian), matrix(residuals))
        h = [tap - change for tap, change in zip(h, step)]
        if max(abs(change) for change in step) < mpf(10) ** -45:
            return h
    raise ArithmeticError(f"coif{N}: no convergence")


def coiflet_equations(N, h):
    K = 6 * N
    residuals, jacobian = [], []
    for shift in range(0, K, 2):
        residuals.append(sum(h[k] * h[k + shift] for k in range(K - shift)) - (shift == 0))
        row = [mpf(0)] * K
        for k in range(K - shift):
            row[k] += h[k + shift]
            row[k + shift] += h[k]
        jacobian.append(row)
    place = [mpf(k - 2 * N) / N for k in range(K)]
    moments = [[(-1) ** k * x**p for k, x in enumerate(place)] for p in range(2 * N)]
    moments += [[x**p for x in place] for p in range(1, 2 * N, 2)]
    for row in moments:
        residuals.append(sum(weight * tap for weight, tap in zip(row, h)))
        jacobian.append(row)
    return residuals, jacobian


def check(name, h, vanishing):
    """The defining equations, to far more digits than a double has."""
    K = len(h)
    errors = [sum(h[k] * h[k + s] for k in range(K - s)) - (s == 0) for s in range(0, K, 2)]
    errors += [sum(h) - sqrt(2)]
    errors += [sum((-1) ** k * (mpf(k) / K) ** p * tap for k, tap in enumerate(h)) for p in range(vanishing)]
    if name.startswith("coif"):
        place = [mpf(k) / K - mpf(1) / 3 for k in range(K)]
        errors += [sum(x**p * tap for x, tap in zip(place, h)) for p in range(1, vanishing)]
    if max(abs(error) for error in errors) > mpf(10) ** -40:
        raise ArithmeticError(f"{name}: does not solve its equations")
    return h


def all_filters():
    extremal = {N: check(f"db{N}", spectral_factor(N, "0" * (N // 2)), N) for N in range(1, 21)}
    yield "haar", extremal[1]
    for N, h in extremal.items():
        yield f"db{N}", h
    for N, choice in symlet_choices.items():
        yield f"sym{N}", check(f"sym{N}", spectral_factor(N, choice), N)
    for N, start in coiflet_starts.items():
        yield f"coif{N}", check(f"coif{N}", coiflet(N, start), 2 * N)


def shortest(value):
    """The nearest double (Python reads decimals with correct rounding), in the form a JavaScript formatter keeps."""
    return repr(float(nstr(value, 40))).replace("e-0", "e-")


def entry(name, h):
    """One property of the table, laid out as Biome does."""
    taps = ", ".join(shortest(tap) for tap in h)
    line = f"  {name}: [{taps}],"
    if len(line) <= 110:
        return line
    indent = " " * 4
    body = textwrap.fill(taps + ",", 110, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return f"  {name}: [\n{body}\n  ],"


heading = """\
/**
 * The numbers of `filters.ts`: orthonormal scaling filters h, each value the double nearest to the exact one.
 *
 * Written by tools/wavelet-filters.py, which has the equations and the sources. Do not edit.
 */

// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: the taps of haar are data like the others

export const scalingFilters: Readonly<Record<string, readonly number[]>> = {
"""


if __name__ == "__main__":
    table = "\n".join(entry(name, h) for name, h in all_filters())
    target.write_text(f"{heading}{table}\n}};\n", encoding="utf-8")
