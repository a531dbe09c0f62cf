#!/usr/bin/env python3
"""Compute the scaling filters of src/wavelets/coefficients.ts, and write that file.

    python3 tools/wavelet-filters.py          (needs mpmath; about four seconds)

The orthogonal families solve, for a filter of K taps,

    sum_k h_k h_{k+2m} = [m = 0]       orthonormal even shifts
    sum_k (-1)^k k^p h_k = 0           vanishing moments of the wavelet, p < M

dbN, symN   K = 2N, M = N. H(z) = sqrt(2) ((1+z)/2)^N Q(z), where |Q|^2 = P(y), y = (2 - z - 1/z)/4, and
            P(y) = sum_{k<N} C(N-1+k, k) y^k. A root y of P gives the pair z, 1/z, of which Q takes one.
            dbN takes the one inside the unit circle every time (extremal phase); symN takes a mixture that
            makes the filter nearly symmetric, listed in `symlet_choices`.
coifN       K = 6N, M = 2N, and sum_k (k - 2N)^p h_k = 0 for 0 < p < 2N (moments of the scaling function).
            Solved by Newton's method from the four-digit values in `coiflet_starts`.

The biorthogonal family biorNr.Nd has two filters, h of synthesis and d of analysis, that solve

    sum_k h_k d_{k+2m} = [m = 0]

bior        h(z) d(z) = 2 ((1+z)/2)^2q P(y) up to a shift, with P as above and N = q. Each filter takes some of the
            zeros at -1 and some roots y of P (`biorthogonal_choices`), so both are symmetric. The splines (Nr up to
            3) leave all of P to d. The shorter filter is centred in the longer, and both have the same even length.
dmey        A FIR filter near Meyer's. It solves no equation exactly (Σ h² = 1.0022): its taps are those of Matlab
            and PyWavelets 1.8.

The computation has 60 digits; the file holds the nearest double of each value, as the shortest decimal that
reads back to it. (The symlets of common tables are off by up to 1e-11.)

Source: I. Daubechies. Ten Lectures on Wavelets. SIAM, 1992, sections 6.4, 8.1.1, 8.2 and 8.3; A. Cohen,
I. Daubechies, J.-C. Feauveau. Biorthogonal bases of compactly supported wavelets. CPAM 45, 1992. Names, order of the
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

# Zeros at -1 of h and of d, and which roots y of P h takes, by their real part, rising (a pair counts once).
biorthogonal_choices = {
    **{f"1.{d}": (1, d, "") for d in (1, 3, 5)},
    **{f"2.{d}": (2, d, "") for d in (2, 4, 6, 8)},
    **{f"3.{d}": (3, d, "") for d in (1, 3, 5, 7, 9)},
    "4.4": (4, 4, "10"),
    "5.5": (6, 4, "10"),
    "6.8": (6, 8, "010"),
}

# The first 31 of 61 symmetric taps; a last one is 0.
dmey_taps = [
    -1.009999956941423e-12, 8.519459636796214e-09, -1.111944952595278e-08, -1.0798819539621958e-08,
    6.066975741351135e-08, -1.0866516536735883e-07, 8.200680650386481e-08, 1.1783004497663934e-07,
    -5.506340565252278e-07, 1.1307947017916706e-06, -1.489549216497156e-06, 7.367572885903746e-07,
    3.20544191334478e-06, -1.6312699734552807e-05, 6.554305930575149e-05, -0.0006011502343516092,
    -0.002704672124643725, 0.002202534100911002, 0.006045814097323304, -0.006387718318497156,
    -0.011061496392513451, 0.015270015130934803, 0.017423434103729693, -0.03213079399021176,
    -0.024348745906078023, 0.0637390243228016, 0.030655091960824263, -0.13284520043622938,
    -0.035087555656258346, 0.44459300275757724, 0.7445855923188063,
]


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


def biorthogonal(zeros, dual_zeros, choice):
    """h and d, padded to the same even length."""
    q = (zeros + dual_zeros) // 2
    P = [binomial(q - 1 + k, k) for k in reversed(range(q))]
    roots = polyroots(P, maxsteps=500, extraprec=400) if q > 1 else []
    pairs = sorted((y for y in roots if y.imag > -mpf(10) ** (10 - mp.dps)), key=lambda y: y.real)
    taken = choice or "0" * len(pairs)
    h = symmetric_filter(zeros, [y for y, chosen in zip(pairs, taken, strict=True) if chosen == "1"])
    d = symmetric_filter(dual_zeros, [y for y, chosen in zip(pairs, taken, strict=True) if chosen == "0"])
    longer = max(len(h), len(d))
    return [centred(taps, longer) for taps in (h, d)]


def symmetric_filter(zeros, ys):
    """sqrt(2) ((1+z)/2)^zeros times (1 - y/y_i) for each root, y = (2 - z - 1/z)/4; complex roots with their conjugates."""
    taps = [mpf(1)]
    for _ in range(zeros):
        taps = [(a + b) / 2 for a, b in zip(taps + [0], [0] + taps)]
    for root in ys:
        for y in [root.real] if abs(root.imag) < mpf(10) ** (10 - mp.dps) else [root, conj(root)]:
            side = 1 / (4 * y)
            factor = [side, 1 - 2 * side, side]
            taps = [
                sum(factor[i] * taps[k - i] for i in range(3) if 0 <= k - i < len(taps)) for k in range(len(taps) + 2)
            ]
    return [sqrt(2) * mp.re(tap) for tap in taps]


def centred(taps, longer):
    before = (longer - len(taps)) // 2
    return [mpf(0)] * before + taps + [mpf(0)] * (longer + longer % 2 - before - len(taps))


def check_pair(name, h, d):
    K = len(h)
    products = [
        sum(h[k] * d[k + s] for k in range(K) if 0 <= k + s < K) - (s == 0) for s in range(-K, K + 1, 2)
    ]
    if max(abs(error) for error in [*products, sum(h) - sqrt(2), sum(d) - sqrt(2)]) > mpf(10) ** -40:
        raise ArithmeticError(f"{name}: does not solve its equations")
    return h, d


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
    decimal = repr(value) if isinstance(value, float) else repr(float(nstr(value, 40)))
    return decimal.replace("e-0", "e-").removesuffix(".0")


def entry(name, h, indent="  "):
    """One property of the table, laid out as Biome does."""
    taps = ", ".join(shortest(tap) for tap in h)
    line = f"{indent}{name}[{taps}],"
    if len(line) <= 110:
        return line
    deeper = indent + "  "
    body = textwrap.fill(taps + ",", 110, initial_indent=deeper, subsequent_indent=deeper, break_on_hyphens=False)
    return f"{indent}{name}[\n{body}\n{indent}],"


def pair_entry(name, h, d):
    return f'  "{name}": [\n{entry("", h, "    ")}\n{entry("", d, "    ")}\n  ],'


heading = """\
/**
 * The numbers of `filters.ts`: scaling filters, each value the double nearest to the exact one.
 *
 * Written by tools/wavelet-filters.py, which has the equations and the sources. Do not edit.
 */

// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: the taps of haar are data like the others

/** h of orthogonal wavelets. */
export const scalingFilters: Readonly<Record<string, readonly number[]>> = {
"""


pair_heading = """\
type FilterPair = readonly [readonly number[], readonly number[]];

/** h of synthesis and d of analysis, of biorthogonal wavelets. */
export const biorthogonalFilters: Readonly<Record<string, FilterPair>> = {
"""

meyer_heading = """\
/** h of dmey, which is nearly orthogonal. */
export const meyerFilter: readonly number[] = [
"""


if __name__ == "__main__":
    table = "\n".join(entry(f"{name}: ", h) for name, h in all_filters())
    pairs = {f"bior{name}": biorthogonal(*choice) for name, choice in biorthogonal_choices.items()}
    pair_table = "\n".join(pair_entry(name, *check_pair(name, h, d)) for name, (h, d) in pairs.items())
    meyer = entry("", [*dmey_taps, *dmey_taps[-2::-1], 0], "").removeprefix("[\n").removesuffix("\n],")
    target.write_text(
        f"{heading}{table}\n}};\n\n{pair_heading}{pair_table}\n}};\n\n{meyer_heading}{meyer}\n];\n", encoding="utf-8"
    )
