"""Dictionaries that trainlets converted, as scipy.io and numpy read them; and a .mat that scipy.io writes."""

import json
import sys

import numpy as np
import scipy.io

task = json.load(sys.stdin)
sparse = scipy.io.loadmat(task["sparse"])
explicit = scipy.io.loadmat(task["explicit"])
D = np.kron(sparse["phi_0"], sparse["phi_1"]) @ sparse["A"].toarray()
half = np.load(task["half"])
scipy.io.savemat(task["out"], {"D": D, "names": ["a", "b"], "n": 3}, do_compression=task["compressed"])
json.dump(
    {
        "D": D.tolist(),
        "explicit": explicit["dictionary"].tolist(),
        "type": str(explicit["dictionary"].dtype),
        "meta": json.loads(str(sparse["meta"][0])),
        "uses": sparse["uses"].ravel().tolist(),
        "half": half.astype(float).tolist(),
        "halfType": str(half.dtype),
    },
    sys.stdout,
)
