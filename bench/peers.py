"""The peers of bench/peerProcess.ts: reads one job per line (JSON) and prints its seconds, and the RMSE where it is asked for, on one line."""

import json
import sys
import time

import numpy as np

try:
    import spams
except Exception:  # a build without its libraries fails in many ways
    spams = None
try:
    from sklearn.linear_model import orthogonal_mp_gram
except Exception:
    orthogonal_mp_gram = None

arrays = {}


def load(path):
    if path not in arrays:
        if len(arrays) > 6:
            arrays.clear()
        arrays[path] = np.asfortranarray(np.load(path).T.astype(np.float32))
    return arrays[path]


def rmse(Y, D, X):
    return float(np.sqrt(np.mean((Y - D @ X) ** 2)))


def spams_omp(job):
    Y, D = load(job["patches"]), load(job["dictionary"])
    start = time.perf_counter()
    X = spams.omp(Y, D, L=job["p"], eps=0.0, numThreads=job["threads"])
    return {"seconds": time.perf_counter() - start, "rmse": rmse(Y, D, X)}


def sklearn_omp(job):
    Y, D = load(job["patches"])[:, : job["count"]], load(job["dictionary"])
    G = D.T @ D
    start = time.perf_counter()
    X = orthogonal_mp_gram(G, D.T @ Y, n_nonzero_coefs=job["p"])
    return {"seconds": time.perf_counter() - start, "rmse": rmse(Y, D, X)}


def spams_train(job):
    Y, D = load(job["patches"]), load(job["dictionary"])
    iterations = job.get("epochs", 1) * -(-Y.shape[1] // job["batch"])
    start = time.perf_counter()
    learned = spams.trainDL(
        Y, D=D, mode=3, lambda1=job["p"], batchsize=job["batch"], iter=iterations, numThreads=job["threads"], verbose=False
    )
    seconds = time.perf_counter() - start
    if "test" not in job:
        return {"seconds": seconds}
    test = load(job["test"])
    X = spams.omp(test, np.asfortranarray(learned), L=job["p"], eps=0.0, numThreads=job["threads"])
    np.save(job["learned"], np.ascontiguousarray(learned.T, dtype=np.float32))
    return {"seconds": seconds, "rmse": rmse(test, learned, X)}


jobs = {"spams.omp": spams_omp, "sklearn.omp": sklearn_omp, "spams.trainDL": spams_train}


def versions():
    found = {"numpy": np.__version__}
    if spams is not None:
        import importlib.metadata as metadata

        for name in ("spams-bin", "spams"):
            try:
                found["spams"] = metadata.version(name)
                break
            except metadata.PackageNotFoundError:
                pass
    if orthogonal_mp_gram is not None:
        import sklearn

        found["scikit-learn"] = sklearn.__version__
    return found


print(json.dumps(versions()), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    print(json.dumps(jobs[job["name"]](job)), flush=True)
