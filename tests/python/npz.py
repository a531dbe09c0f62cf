"""Reads and writes .npy and .npz files with numpy and scipy, for npz-python.test.ts.

Input  {"job": ..., "path": ...}; output {name: {"dtype", "shape", "values"}}, the values in C order as text.
"""

import json
import sys
import zipfile

import numpy as np
import scipy.sparse


def number(value):
    """The number as JavaScript writes it (only numbers for which that is simple are used)."""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    value = value.item()
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return repr(value)


def describe(array):
    canonical = array.dtype.newbyteorder("<")
    if canonical.str == "<f2":
        canonical = np.dtype("<f4")  # as they are read in TypeScript
    return {
        "dtype": canonical.str,
        "shape": list(array.shape),
        "values": [number(value) for value in array.ravel(order="C")],
    }


def samples():
    """Every type, in both byte orders and both orders of the axes."""
    arrays = {"scalar": np.float64(0.25), "bool": np.array([True, False])}
    for code in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]:
        for order in "<>":
            values = np.arange(24).reshape(2, 3, 4).astype(order + code)
            arrays[f"{order}{code} C"] = values
            arrays[f"{order}{code} F"] = np.asfortranarray(values)
    arrays["extremes"] = np.array([-(2**63), 2**63 - 1], dtype=">i8")
    return arrays


def save(path, array, version=None):
    with open(path, "wb") as file:
        np.lib.format.write_array(file, array, version=version)
    return {"array": describe(array)} if array.dtype.kind in "iuf" else {}


def main(job, path):
    if job == "read":
        with np.load(path) as archive:
            return {name: describe(archive[name]) for name in archive.files}
    if job == "map":
        return {"array": describe(np.load(path, mmap_mode="r"))}
    if job == "sparse":
        return {"dense": describe(scipy.sparse.load_npz(path).toarray())}
    if job in ("stored", "deflated", "zip64"):
        if job == "zip64":
            zipfile.ZIP64_LIMIT = 10  # as if every size and offset needed 64 bits
        arrays = samples()
        (np.savez_compressed if job == "deflated" else np.savez)(path, **arrays)
        return {name: describe(np.asarray(array)) for name, array in arrays.items()}
    if job == "saveSparse":
        matrix = scipy.sparse.random(7, 5, density=0.3, format="csc", random_state=1)
        matrix.data = np.arange(1.0, 1 + matrix.nnz)
        scipy.sparse.save_npz(path, matrix)
        return {"dense": describe(matrix.toarray())}
    if job in ("version2", "version3"):
        return save(path, np.arange(6, dtype="<f4").reshape(2, 3), (int(job[-1]), 0))
    if job == "object":
        return save(path, np.array([None]))
    if job == "structure":
        return save(path, np.zeros(2, dtype=[("x", "<f4"), ("y", "<i4", (2,))]))
    if job == "complex":
        return save(path, np.zeros(2, dtype=np.complex128))
    raise ValueError(job)


json.dump(main(**json.load(sys.stdin)), sys.stdout)
