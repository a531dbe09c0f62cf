"""A scikit-learn estimator that learns dictionaries with trainlets."""

from __future__ import annotations

import hashlib
import os
import warnings
from math import isqrt, prod
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ._process import Process, shared
from ._progress import Progress, snake_keys
from ._sparse import code_matrix

_options = {
    "n_components": "atoms",
    "shape": "patch",
    "base": "base",
    "learner": "learner",
    "atom_sparsity": "atomSparsity",
    "init": "init",
    "batch": "batch",
    "epochs": "epochs",
    "momentum": "momentum",
    "refine_base": "refineBase",
    "holdout": "holdout",
    "keep": "keep",
    "patience": "patience",
    "minutes": "minutes",
    "remove_mean": "removeMean",
    "random_state": "seed",
}
"""Parameters, and the options of the library that they are."""

_names = {option: name for name, option in _options.items()} | {"data": "X", "signals": "X"}
_for_fit_alone = ("epochs", "holdout", "patience", "minutes")
_of_the_start = ("atoms", "base", "init")
_coding = ("sparsity", "error", "pursuit")


class DictionaryLearning(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Learn a dictionary such that every signal is close to a sum of few of its atoms.

    Each row of X is a signal. Parameters that are None have the defaults of trainlets, which depend on the size of a
    signal and on the number of signals.

    Parameters
    ----------
    n_components : int, optional
        Atoms of the dictionary.
    sparsity : int, optional
        The most atoms in a code; by default n/40 for signals of n samples, at least 2.
    error : float, optional
        Stop coding a signal once its root-mean-square error is at most this. With or instead of `sparsity`.
    pursuit : {"omp", "ols"}, default "omp"
        How the next atom of a code is taken.
    learner : str, default "odl"
        The algorithm: "odl" learns atoms without a base; "osdl" and "sparse-odl" learn sparse mixtures of the atoms
        of `base`, for large signals.
    shape : tuple of int, optional
        The shape of a signal, such as (8, 8): by default a square where n is one, else one axis.
    base : str, optional
        The base dictionary, such as "cropped:sym8" or "odct:2".
    atom_sparsity : int or str, optional
        Base atoms per atom, or a percentage of n such as "10%" ("osdl" and "sparse-odl").
    init : {"examples", "base", "both"}, optional
        What the atoms start as.
    batch : int, optional
        Signals per update.
    epochs : int, optional
        How often `fit` sees each signal.
    momentum : float, optional
        Momentum of "osdl", in [0, 1).
    refine_base : bool, optional
        Refine the base while atoms are learned over it ("osdl" and "sparse-odl").
    holdout : int, optional
        Signals that `fit` sets aside to test on; 0 for none.
    keep : {"best", "last"}, optional
        Which dictionary `fit` ends with: the best tested, or the last.
    patience : int, optional
        `fit` stops after this many tests without an improvement.
    minutes : float, optional
        `fit` stops after this many minutes.
    remove_mean : bool, default False
        Remove the mean of each signal before coding. Then the last row of `components_` is constant, and the last
        number of a code belongs to the mean: it is in addition to `n_components` and `sparsity`.
    sparse_output : bool, default False
        Whether `transform` returns a sparse matrix.
    device : {"auto", "gpu", "cpu", "reference"}, default "auto"
        Where to compute.
    threads : int, optional
        Threads on the CPU; by default one per core.
    verbose : bool, default False
        Show progress.
    random_state : int, RandomState or None, default None
        The same number gives the same result.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features), float32
        One atom per row, of unit norm.
    history_ : list of dict
        The reports of the run: steps, examples, errors.
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from trainlets import DictionaryLearning
    >>> X = load_digits().data
    >>> learning = DictionaryLearning(n_components=100, sparsity=5, random_state=1).fit(X)
    >>> learning.components_.shape
    (100, 64)
    >>> codes = learning.transform(X)
    >>> int((codes != 0).sum(axis=1).max())
    5
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        sparsity: int | None = None,
        error: float | None = None,
        pursuit: str = "omp",
        learner: str = "odl",
        shape: tuple[int, ...] | None = None,
        base: str | None = None,
        atom_sparsity: int | str | None = None,
        init: str | None = None,
        batch: int | None = None,
        epochs: int | None = None,
        momentum: float | None = None,
        refine_base: bool | None = None,
        holdout: int | None = None,
        keep: str | None = None,
        patience: int | None = None,
        minutes: float | None = None,
        remove_mean: bool = False,
        sparse_output: bool = False,
        device: str = "auto",
        threads: int | None = None,
        verbose: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.sparsity = sparsity
        self.error = error
        self.pursuit = pursuit
        self.learner = learner
        self.shape = shape
        self.base = base
        self.atom_sparsity = atom_sparsity
        self.init = init
        self.batch = batch
        self.epochs = epochs
        self.momentum = momentum
        self.refine_base = refine_base
        self.holdout = holdout
        self.keep = keep
        self.patience = patience
        self.minutes = minutes
        self.remove_mean = remove_mean
        self.sparse_output = sparse_output
        self.device = device
        self.threads = threads
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> DictionaryLearning:
        """Learn from the rows of X. What was learned before is forgotten."""
        X = validate_data(self, X, dtype=np.float32, order="C")
        self._forget_learner()
        options = {**self._library_options(X.shape[1]), "examples": X.shape[0]}
        progress = Progress(self.verbose)
        try:
            answer = shared.ask(self._request("train", options=options), {"X": X}, progress)
        finally:
            progress.close()
        for line in progress.plan["warnings"]:
            warnings.warn(line, stacklevel=2)
        self._take_model(*answer)
        self.history_ = progress.reports
        return self

    def partial_fit(self, X: Any, y: Any = None) -> DictionaryLearning:
        """Learn from one more batch, seeing each row once; after `fit` or `load`, continue from that dictionary.

        `epochs`, `holdout`, `patience` and `minutes` are for `fit` alone.
        """
        first = not hasattr(self, "components_")
        X = validate_data(self, X, dtype=np.float32, order="C", reset=first)
        process, opened, arrays = self._open_learner(X.shape[1])
        request = {"continues": True} if process is getattr(self, "_process", None) else {"options": opened}
        if "model" in arrays:
            request["options"] = {name: value for name, value in opened.items() if name not in _of_the_start}
        head, results = process.ask(self._request("push", **request), {"X": X, **arrays})
        self._process, self._opened, self._learner = process, opened, None
        self.history_ = [*getattr(self, "history_", []), snake_keys(head["report"])]
        self._take_model(head, results)
        return self

    def transform(self, X: Any) -> np.ndarray | scipy.sparse.csr_array:
        """The codes of the rows of X: at most `sparsity` numbers other than 0 in each row."""
        check_is_fitted(self)
        codes = self._encode(validate_data(self, X, dtype=np.float32, order="C", reset=False))
        return codes if self.sparse_output else codes.toarray()

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The signals of codes."""
        check_is_fitted(self)
        return np.asarray(X @ self.components_)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the root-mean-square error of coding the rows of X."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float32, order="C", reset=False)
        residual = X - self._encode(X) @ self.components_
        return -float(np.sqrt(np.mean(np.square(residual, dtype=np.float64))))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the dictionary to a `.npz` file, as the command line does; `load` reads it."""
        check_is_fitted(self)
        path = Path(path)
        whole = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            whole.write_bytes(self._model.tobytes())
            whole.replace(path)
        finally:
            whole.unlink(missing_ok=True)

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        process = state.pop("_process", None)
        if process and process.pid is not None:
            state["_learner"] = process.ask({"method": "save learner"})[1]["learner"]
        return state

    def _library_options(self, n: int) -> dict[str, Any]:
        options = {option: getattr(self, name) for name, option in _options.items()}
        options["patch"] = list(_shape_of(self.shape, n))
        options["seed"] = _seed_of(self.random_state)
        options["coding"] = self._coding()
        return {name: _plain(value) for name, value in options.items() if value is not None}

    def _coding(self) -> dict[str, Any]:
        return {name: _plain(getattr(self, name)) for name in _coding if getattr(self, name) is not None}

    def _request(self, method: str, **more: Any) -> dict[str, Any]:
        request = {"method": method, "device": self.device, "names": _names, **more}
        return request if self.threads is None else {**request, "threads": _plain(self.threads)}

    def _take_model(self, head: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        atoms = arrays["components"]
        n = atoms.shape[1]
        self._model = arrays["model"]
        self._base = head["base"]
        self._removes_mean = head["meta"]["removeMean"]
        constant = np.full((1, n), 1 / np.sqrt(n), np.float32)
        self.components_ = np.concatenate([atoms, constant]) if self._removes_mean else atoms

    def _encode(self, X: np.ndarray) -> scipy.sparse.csr_array:
        coding = self._coding()
        stated = "sparsity" in coding or "error" in coding
        key = hashlib.sha256(self._model).hexdigest()
        request = self._request("encode", key=key, **({"coding": coding} if stated else {}))
        head, arrays = shared.ask(request, {"X": X})
        if head.get("unknownModel"):
            head, arrays = shared.ask(request, {"X": X, "model": self._model})
        means = arrays["means"] * np.float32(np.sqrt(X.shape[1])) if self._removes_mean else None
        return code_matrix(arrays, self.components_.shape[0], last=means)

    def _open_learner(self, n: int) -> tuple[Process, dict[str, Any], dict[str, np.ndarray]]:
        """The process of the learner, its options, and what it starts from, if it has to start."""
        options = {name: value for name, value in self._library_options(n).items() if name not in _for_fit_alone}
        process, saved = getattr(self, "_process", None), getattr(self, "_learner", None)
        opened = getattr(self, "_opened", options)
        same = {**opened, "seed": 0} == {**options, "seed": 0}
        if same and process and process.pid is not None:
            return process, opened, {}
        if same and saved is not None:
            return Process(), opened, {"learner": saved}
        if same and process:
            warnings.warn(
                "the Node process of this learner has ended; partial_fit continues from components_", stacklevel=3
            )
        if not hasattr(self, "_model"):
            return Process(), options, {}
        self._require_same_dictionary()
        return Process(), options, {"model": self._model}

    def _require_same_dictionary(self) -> None:
        """The dictionary to continue from has its own size and base."""
        atoms = self.components_.shape[0] - self._removes_mean
        if self.n_components is not None and self.n_components != atoms:
            raise ValueError(f"n_components must be {atoms} to continue from a dictionary, got {self.n_components}")
        if self.base is not None and self._base not in (self.base, "explicit"):
            raise ValueError(f"base must be {self._base!r} to continue from a dictionary, got {self.base!r}")

    def _forget_learner(self) -> None:
        process = getattr(self, "_process", None)
        if process:
            process.close()
        for name in ("_process", "_learner", "_opened"):
            self.__dict__.pop(name, None)


def load(path: str | os.PathLike[str]) -> DictionaryLearning:
    """The dictionary of a `.npz` file of trainlets, ready to transform signals."""
    model = np.fromfile(path, np.uint8)
    request = {"method": "read model", "device": "cpu", "name": os.fspath(path)}
    head, arrays = shared.ask(request, {"model": model})
    meta = head["meta"]
    learning = DictionaryLearning(
        arrays["components"].shape[0],
        **{name: meta["coding"].get(name) for name in ("sparsity", "error")},
        pursuit=meta["coding"].get("pursuit", "omp"),
        learner="odl" if meta["learner"] == "none" else meta["learner"],
        shape=tuple(head["shape"]),
        base=None if head["base"] == "explicit" else head["base"],
        remove_mean=meta["removeMean"],
        random_state=meta["seed"],
    )
    learning._take_model(head, arrays)
    learning.n_features_in_ = arrays["components"].shape[1]
    learning.history_ = []
    return learning


def _shape_of(shape: tuple[int, ...] | None, n: int) -> tuple[int, ...]:
    if shape is None:
        side = isqrt(n)
        return (side, side) if side > 1 and side * side == n else (n,)
    sizes = tuple(int(size) for size in np.atleast_1d(shape))
    if prod(sizes) != n:
        raise ValueError(f"shape must have {n} samples, as X has features, got {'x'.join(map(str, sizes))}")
    return sizes


def _seed_of(random_state: int | np.random.RandomState | None) -> int:
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _plain(value: Any) -> Any:
    """Numbers of numpy as numbers of Python, which JSON has."""
    return value.item() if isinstance(value, np.generic) else value
