"""Codes as sparse matrices of scipy."""

from __future__ import annotations

import numpy as np
import scipy.sparse


def code_matrix(arrays: dict[str, np.ndarray], columns: int, last: np.ndarray | None = None) -> scipy.sparse.csr_array:
    """One code per row, from the slots of each; `last` is a last column that every code has."""
    indices, values, counts = arrays["indices"], arrays["values"], arrays["counts"]
    if last is not None:
        end = np.full((len(counts), 1), columns - 1, indices.dtype)
        indices, values = np.hstack([end, indices]), np.hstack([last[:, np.newaxis], values])
        counts = counts + np.uint32(1)
    used = np.arange(indices.shape[1]) < counts[:, np.newaxis]
    starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    index = np.int32 if starts[-1] < 2**31 else np.int64
    slots = (values[used], indices[used].astype(index), starts.astype(index))
    codes = scipy.sparse.csr_array(slots, shape=(len(counts), columns))
    codes.sort_indices()
    return codes
