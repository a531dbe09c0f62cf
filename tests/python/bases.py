"""Wavelet filters and cropped wavelet bases, built with PyWavelets alone, for pywavelets.test.ts.

Standard input   {"filters": [name, ...], "bases": [name, ...], "sizes": [n, ...], "picture": [row, ...]}
Standard output  {"filters": {name: [rec_lo, rec_hi]}, "bases": {name: {n: [column, ...]}},
                  "cascades": {name: magnitudes of the 2-D coefficients of the picture, ascending},
                  "borders": {mode: {name: {n: [column, ...]}}}}
"""

import json
import sys
import warnings

import numpy as np
import pywt


def synthesis_matrix(L, name):
    """Column j is the signal of unit coefficient j: periodic, full depth."""
    levels = L.bit_length() - 1
    arrays, slices = pywt.coeffs_to_array(pywt.wavedec(np.zeros(L), name, mode="periodization", level=levels))
    columns = []
    for j in range(L):
        arrays[:] = 0
        arrays[j] = 1
        bands = pywt.array_to_coeffs(arrays, slices, output_format="wavedec")
        columns.append(pywt.waverec(bands, name, mode="periodization"))
    return np.stack(columns, axis=1)


def cropped(n, name):
    L = 2 ** (int(np.ceil(np.log2(n))) + 1)
    first = (L - n) // 2
    window = synthesis_matrix(L, name)[first : first + n]
    norms = np.linalg.norm(window, axis=0)
    return (window / np.where(norms > 0, norms, 1))[:, norms > 0]


def bordered(n, name, mode):
    """Unit columns of the inverse transform for signals of n samples, with as many levels as in trainlets."""
    taps = pywt.Wavelet(name).rec_len
    levels = int(np.ceil(np.log2(n))) if mode == "periodization" else max(1, int(np.log2(n / (taps - 1))))
    arrays, slices = pywt.coeffs_to_array(pywt.wavedec(np.zeros(n), name, mode=mode, level=levels))
    columns = []
    for j in range(arrays.size):
        arrays[:] = 0
        arrays[j] = 1
        bands = pywt.array_to_coeffs(arrays, slices, output_format="wavedec")
        columns.append(pywt.waverec(bands, name, mode=mode)[:n])
    columns = np.array(columns)
    norms = np.linalg.norm(columns, axis=1, keepdims=True)
    return columns[norms[:, 0] > 0] / norms[norms[:, 0] > 0]


def cascade(picture, name):
    """The usual 2-D transform, periodic, full depth."""
    levels = min(picture.shape).bit_length() - 1
    bands = pywt.wavedec2(picture, name, mode="periodization", level=levels)
    return np.sort(np.abs(pywt.coeffs_to_array(bands)[0]).ravel())


def main():
    warnings.simplefilter("ignore")  # "level value is too high": on purpose
    request = json.load(sys.stdin)
    filters = {name: [pywt.Wavelet(name).rec_lo, pywt.Wavelet(name).rec_hi] for name in request["filters"]}
    bases = {name: {n: cropped(n, name).T.tolist() for n in request["sizes"]} for name in request["bases"]}
    picture = np.array(request["picture"])
    cascades = {name: cascade(picture, name).tolist() for name in request["bases"]}
    borders = {
        mode: {name: {n: bordered(n, name, mode).tolist() for n in request["sizes"]} for name in request["bases"]}
        for mode in ["periodization", "symmetric", "zero"]
    }
    json.dump({"filters": filters, "bases": bases, "cascades": cascades, "borders": borders}, sys.stdout)


main()
