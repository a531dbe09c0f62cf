"""Reads an explicit dictionary as any Python user would, and decomposes a covariance, for model-python.test.ts.

Input  {"model": path, "covariance": path}; output {"D": [[...]], "norms": [...], "values": [...], "vectors": [[...]]}.
"""

import json
import sys

import numpy as np


def main(model, covariance):
    with np.load(model) as archive:
        D = archive["dictionary"]
    values, vectors = np.linalg.eigh(np.load(covariance))
    return {
        "D": D.tolist(),
        "norms": np.linalg.norm(D, axis=0).tolist(),
        "values": values[::-1].tolist(),
        "vectors": vectors[:, ::-1].tolist(),
    }


json.dump(main(**json.load(sys.stdin)), sys.stdout)
