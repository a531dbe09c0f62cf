"""The estimator: what its methods promise, files, and scikit-learn's own checks."""

import pickle
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import estimator_checks_generator

from trainlets import DictionaryLearning, load

digits = load_digits().data.astype(np.float32)
quick = {"n_components": 30, "sparsity": 3, "epochs": 2, "batch": 256, "random_state": 1}


def learned(**more):
    return DictionaryLearning(**{**quick, **more}).fit(digits)


def rmse(difference):
    return float(np.sqrt(np.mean(difference.astype(np.float64) ** 2)))


class TestDictionaryLearning(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.learning = learned()
        cls.codes = cls.learning.transform(digits)

    def test_atoms_have_unit_norm_and_codes_few_of_them(self):
        self.assertEqual(self.learning.components_.shape, (30, 64))
        np.testing.assert_allclose(np.linalg.norm(self.learning.components_, axis=1), 1, atol=1e-6)
        self.assertEqual(self.codes.shape, (len(digits), 30))
        self.assertLessEqual(np.count_nonzero(self.codes, axis=1).max(), 3)

    def test_the_score_is_minus_the_error_of_the_inverse(self):
        error = rmse(digits - self.learning.inverse_transform(self.codes))
        self.assertAlmostEqual(-self.learning.score(digits), error, places=5)
        self.assertLess(error, rmse(digits - digits.mean(axis=0)))

    def test_codes_are_orthogonal_projections(self):
        residual = digits - self.learning.inverse_transform(self.codes)
        products = residual @ self.learning.components_.T
        used = self.codes != 0
        bound = 1e-5 * np.linalg.norm(digits, axis=1).max()
        self.assertLess(np.abs(products[used]).max(), bound)

    def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(self):
        for threads in (1, 2):
            np.testing.assert_array_equal(learned(threads=threads).components_, self.learning.components_)
        self.assertFalse(np.array_equal(learned(random_state=2).components_, self.learning.components_))

    def test_sparse_output(self):
        codes = DictionaryLearning(**quick, sparse_output=True).fit(digits).transform(digits)
        self.assertTrue(scipy.sparse.issparse(codes))
        np.testing.assert_array_equal(codes.toarray(), self.codes)

    def test_means_have_a_component_of_their_own(self):
        learning = learned(remove_mean=True)
        codes = learning.transform(digits)
        self.assertEqual(codes.shape[1], 31)
        np.testing.assert_allclose(codes[:, -1] / 8, digits.mean(axis=1), rtol=1e-5)
        self.assertLessEqual(np.count_nonzero(codes[:, :-1], axis=1).max(), 3)
        np.testing.assert_allclose(
            learning.inverse_transform(codes).mean(axis=1),
            digits.mean(axis=1) + codes[:, :-1] @ learning.components_[:-1].mean(axis=1),
            rtol=1e-4,
        )

    def test_codes_down_to_an_error(self):
        learning = clone(self.learning).set_params(sparsity=None, error=2.0, n_components=64).fit(digits)
        errors = np.sqrt(np.mean((digits - learning.inverse_transform(learning.transform(digits))) ** 2, axis=1))
        self.assertLess(errors.max(), 2.0 + 1e-4)

    def test_files_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "digits.npz")
            self.learning.save(path)
            self.assertEqual([one.name for one in Path(folder).iterdir()], ["digits.npz"])
            np.testing.assert_array_equal(np.load(path)["dictionary"], self.learning.components_.T)
            again = load(path)
            np.testing.assert_array_equal(again.transform(digits), self.codes)
            self.assertEqual(again.get_params()["sparsity"], 3)
        stored = load(Path(__file__).parents[2] / "tests/formats/model-sparse-v1.npz")
        self.assertEqual(stored.components_.shape[1], stored.n_features_in_)

    def test_reads_no_other_files(self):
        with tempfile.NamedTemporaryFile(suffix=".npz") as file:
            file.write(b"nothing of the kind")
            file.flush()
            with self.assertRaisesRegex(ValueError, "npz: not a zip file"):
                load(file.name)
        with self.assertRaises(FileNotFoundError):
            load("no-such-file.npz")

    def test_grid_search_and_history(self):
        search = GridSearchCV(DictionaryLearning(**quick), {"sparsity": [1, 4]}, cv=2).fit(digits)
        self.assertEqual(search.best_params_, {"sparsity": 4})
        history = self.learning.history_
        self.assertEqual(history[-1]["ended"], "epochs")
        self.assertIn("test_rmse", history[-1])

    def test_wrong_parameters_are_value_errors_that_name_them(self):
        for params, message in [
            ({"n_components": 0}, "n_components must be an integer of at least 1, got 0"),
            ({"sparsity": 31}, "sparsity must be an integer from 1 to 30, got 31"),
            ({"learner": "adam"}, 'unknown learner "adam"; known: osdl'),
            ({"shape": (3, 3)}, "shape must have 64 samples, as X has features, got 3x3"),
            ({"momentum": 0.5}, "momentum must not be given: the learner odl does not use it"),
            ({"device": "tpu"}, 'unknown device "tpu"; known: auto'),
        ]:
            with self.subTest(params), self.assertRaises(ValueError) as caught:
                learned(**params)
            self.assertIn(message, str(caught.exception))

    def test_warns_of_a_run_that_is_too_short(self):
        with self.assertWarnsRegex(UserWarning, "a short run: only 1 update"):
            learned(epochs=1, batch=2048)


class TestPartialFit(unittest.TestCase):
    def setUp(self):
        self.learning = DictionaryLearning(**quick)
        self.batches = [digits[at : at + 256] for at in range(0, 1536, 256)]

    def test_learns_from_batches(self):
        first = self.learning.partial_fit(self.batches[0]).score(digits)
        for batch in self.batches[1:]:
            self.learning.partial_fit(batch)
        self.assertGreater(self.learning.score(digits), first)
        self.assertEqual([report["examples"] for report in self.learning.history_], list(range(256, 1537, 256)))

    def test_a_copy_continues_with_the_same_bits(self):
        for batch in self.batches[:2]:
            self.learning.partial_fit(batch)
        copy = pickle.loads(pickle.dumps(self.learning))
        for batch in self.batches[2:4]:
            self.learning.partial_fit(batch)
            copy.partial_fit(batch)
        np.testing.assert_array_equal(self.learning.components_, copy.components_)

    def test_continues_from_fit_and_from_files(self):
        before = self.learning.fit(digits).components_
        self.learning.partial_fit(self.batches[0])
        self.assertEqual(self.learning.components_.shape, before.shape)
        self.assertGreater(np.sum(self.learning.components_ * before, axis=1).min(), 0.5)
        with self.assertRaisesRegex(ValueError, "n_components must be 30 to continue from a dictionary, got 40"):
            self.learning.set_params(n_components=40).partial_fit(self.batches[0])

    def test_a_batch_that_is_refused_changes_nothing(self):
        self.learning.fit(digits)
        before = self.learning.components_
        with self.assertRaisesRegex(ValueError, "momentum must not be given"):
            self.learning.set_params(momentum=0.5).partial_fit(self.batches[0])
        np.testing.assert_array_equal(self.learning.components_, before)
        self.learning.set_params(momentum=None).partial_fit(self.batches[0])
        self.assertGreater(np.sum(self.learning.components_ * before, axis=1).min(), 0.5)

    def test_learners_of_the_whole_set_refuse_batches(self):
        with self.assertRaisesRegex(ValueError, "learner must be one that takes mini-batches"):
            self.learning.set_params(learner="ksvd").partial_fit(self.batches[0])


class TestEstimatorChecks(unittest.TestCase):
    def test_scikit_learn_finds_nothing(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for estimator, check in estimator_checks_generator(DictionaryLearning(epochs=1), mark="skip"):
                with self.subTest(check.func.__name__):
                    check(estimator)
