"""The GPU part of PyPI's `orthogonal-matching-pursuit-gpu`, beside ours: reads one job per line (JSON), prints one result per line.

    python3 rivalOmp.py [FOLDER]     FOLDER has the folder `orthogonal_matching_pursuit_gpu`, if it is not installed

A job names atoms.npy (m × n) and signals.npy (N × n), f32. The first line printed has the versions. Times are those of
the best turn, from arrays on the host to codes on the host. The package's compiled part is for the CPU only, and is
left out where it was not built.
"""

import importlib
import json
import sys
import time
import types

import numpy as np
import torch

name = "orthogonal_matching_pursuit_gpu"
if len(sys.argv) > 1 and sys.argv[1]:
    sys.path.insert(0, sys.argv[1])


def load_package():
    try:
        return importlib.import_module(name)
    except ImportError:
        forget()
    compiled = types.ModuleType(f"{name}.blas_kernels")
    for function in ("argmax_blast", "ppsv", "update_projections_blast", "update_D_mybest_blast", "project_argmax"):
        setattr(compiled, function, None)
    sys.modules[compiled.__name__] = compiled
    return importlib.import_module(name)


def forget():
    for module in [module for module in sys.modules if module.split(".")[0] == name]:
        del sys.modules[module]


def code(package, atoms, signals, sparsity):
    X = torch.from_numpy(atoms).cuda()
    y = torch.from_numpy(signals).cuda()
    codes = package.run_omp(X, y, sparsity, normalize=False, fit_intercept=False, alg="v0")
    return codes.cpu()


def run(package, job):
    atoms = np.ascontiguousarray(np.load(job["atoms"]).T)
    signals = np.load(job["signals"])
    best = float("inf")
    for turn in range(job["turns"] + 1):  # the first one is not counted
        torch.cuda.synchronize()
        start = time.perf_counter()
        codes = code(package, atoms, signals, job["p"])
        seconds = time.perf_counter() - start
        if turn > 0:
            best = min(best, seconds)
    rest = signals - codes.numpy() @ atoms.T
    error = float(np.linalg.norm(rest.astype(np.float64)) / np.linalg.norm(signals.astype(np.float64)))
    return {"seconds": best, "error": error}


torch.backends.cuda.matmul.allow_tf32 = False
package = load_package()
print(json.dumps({"package": package.__version__, "torch": torch.__version__}), flush=True)
for line in sys.stdin:
    print(json.dumps(run(package, json.loads(line))), flush=True)
