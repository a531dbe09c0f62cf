"""scikit-learn and the Python package on the same patches, for bench/python.ts: prints rows as JSON."""

import json
import sys
import time
import warnings

import numpy as np
import sklearn
import trainlets
from sklearn.decomposition import MiniBatchDictionaryLearning
from sklearn.linear_model import orthogonal_mp_gram

warnings.simplefilter("ignore")
job = json.load(sys.stdin)
train, test = np.load(job["train"]), np.load(job["test"])
atoms, sparsity, threads = job["atoms"], job["sparsity"], job["threads"]


def timed(work, turns=1):
    """The result, and the seconds of the fastest turn."""
    best = np.inf
    for _ in range(turns):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return result, best


def judge(components):
    """The error of the test patches by OMP: scikit-learn's, whoever learned the atoms."""
    norms = np.linalg.norm(components, axis=1)
    D = (components[norms > 0] / norms[norms > 0, np.newaxis]).T.astype(np.float64)
    X = orthogonal_mp_gram(D.T @ D, D.T @ test.T.astype(np.float64), n_nonzero_coefs=sparsity)
    return rmse(test.T - D @ X)


def rmse(difference):
    return float(np.sqrt(np.mean(difference**2)))


def learn():
    scale = train.std()  # so that alpha means the same for any picture
    for alpha in job["alphas"]:
        peer = MiniBatchDictionaryLearning(atoms, alpha=alpha, max_iter=1, random_state=1)
        peer, seconds = timed(lambda peer=peer: peer.fit(train / scale))
        yield {"by": f"scikit-learn, alpha={alpha}, one epoch", "seconds": seconds, "rmse": judge(peer.components_)}
    for learner in ("odl", "sparse-odl"):
        for epochs in (1, None):
            options = {
                "sparsity": sparsity,
                "learner": learner,
                "epochs": epochs,
                "threads": threads,
                "random_state": 1,
            }
            ours = trainlets.DictionaryLearning(atoms, **options)
            ours, seconds = timed(lambda ours=ours: ours.fit(train), job["turns"])
            how = "one epoch" if epochs else "by default"
            yield {"by": f"trainlets, {learner}, {how}", "seconds": seconds, "rmse": judge(ours.components_)}


def code():
    D = trainlets.DictionaryLearning(atoms, sparsity=sparsity, epochs=1, random_state=1).fit(train).components_.T
    D64, Y = D.astype(np.float64), train.T
    theirs, seconds = timed(lambda: orthogonal_mp_gram(D64.T @ D64, D64.T @ Y, n_nonzero_coefs=sparsity))
    yield {
        "by": "scikit-learn, orthogonal_mp_gram",
        "seconds": seconds,
        "rmse": rmse(Y - D @ theirs),
    }
    ours, seconds = timed(lambda: trainlets.omp(D, Y, sparsity, threads=threads), job["turns"])
    yield {"by": "trainlets, omp", "seconds": seconds, "rmse": rmse(Y - D @ ours)}


trainlets.DictionaryLearning(16, epochs=1, threads=threads).fit(train[:1000])  # start Node, warm up its compiler
print(
    json.dumps(
        {
            "versions": f"numpy {np.__version__}, scikit-learn {sklearn.__version__}",
            "learn": list(learn()),
            "code": list(code()),
        }
    )
)
