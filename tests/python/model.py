"""Reads a model and codes as any Python user would, for model-python.test.ts.

Input  {"model": path, "codes": path}; output {"A": [[...]], "D": [[...]], "norms": [...], "meta": {...}, "signals": [[...]]}.
"""

import functools
import json
import sys

import numpy as np
import scipy.sparse


def main(model, codes):
    A = scipy.sparse.load_npz(model)
    with np.load(model) as archive:
        separable = [f"phi_{axis}" for axis in range(len(archive.files)) if f"phi_{axis}" in archive.files]
        factors = [archive[name] for name in separable or ["phi"]]
        meta = json.loads(archive["meta"].tobytes())
    D = functools.reduce(np.kron, factors) @ A
    X = scipy.sparse.load_npz(codes)
    with np.load(codes) as archive:
        mean = archive["mean"]
    return {
        "format": A.format,
        "dtype": A.dtype.str,
        "A": A.toarray().tolist(),
        "D": D.tolist(),
        "norms": np.linalg.norm(D, axis=0).tolist(),
        "meta": meta,
        "signals": (D @ X.toarray() + mean).tolist(),
    }


json.dump(main(**json.load(sys.stdin)), sys.stdout)
