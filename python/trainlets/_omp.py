"""Sparse codes over a given matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import check_array

from ._process import shared
from ._sparse import code_matrix


def omp(
    D: Any,
    Y: Any,
    sparsity: int | None = None,
    error: float | None = None,
    *,
    pursuit: str = "omp",
    device: str = "auto",
    threads: int | None = None,
) -> scipy.sparse.csc_array | np.ndarray:
    """Codes X of all columns of Y over the columns of D, so that D @ X is near Y, by orthogonal matching pursuit.

    Parameters
    ----------
    D : array of shape (n, m)
        One atom per column, of any norm but 0.
    Y : array of shape (n, N) or (n,)
        One signal per column, or one signal.
    sparsity : int, optional
        The most atoms in a code.
    error : float, optional
        Stop coding a signal once its root-mean-square error is at most this.
    pursuit : {"omp", "ols"}
        How the next atom is taken: the most correlated with the residual, or the one that leaves the least error.
    device, threads
        As in `DictionaryLearning`.

    Returns
    -------
    X : csc_array of shape (m, N), or ndarray of shape (m,) for one signal
    """
    D = check_array(D, dtype=np.float32, input_name="D")
    Y = check_array(Y, dtype=np.float32, ensure_2d=False, ensure_min_samples=0, input_name="Y")
    signals = Y[:, np.newaxis] if Y.ndim == 1 else Y
    rule = {"sparsity": sparsity, "error": error, "pursuit": pursuit}
    coding = {name: value for name, value in rule.items() if value is not None}
    request = {"method": "code", "coding": coding, "device": device, "threads": threads}
    given = {name: value for name, value in request.items() if value is not None}
    arrays = shared.ask(given, {"D": np.ascontiguousarray(D.T), "Y": np.ascontiguousarray(signals.T)})[1]
    X = code_matrix(arrays, D.shape[1])
    return X.toarray()[0] if Y.ndim == 1 else X.T
