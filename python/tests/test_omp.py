"""Codes over a given matrix, beside those of scikit-learn."""

import unittest

import numpy as np
from sklearn.linear_model import orthogonal_mp

from trainlets import omp

rng = np.random.default_rng(1)
D = rng.normal(size=(20, 50))
Y = rng.normal(size=(20, 300))


class TestOmp(unittest.TestCase):
    def test_finds_the_codes_that_scikit_learn_finds(self):
        X = omp(D, Y, 5)
        self.assertEqual((X.shape, X.format), ((50, 300), "csc"))
        unit = D / np.linalg.norm(D, axis=0)
        expected = orthogonal_mp(unit, Y, n_nonzero_coefs=5) / np.linalg.norm(D, axis=0)[:, np.newaxis]
        np.testing.assert_allclose(X.toarray(), expected, atol=1e-4)

    def test_one_signal_has_one_code(self):
        x = omp(D, Y[:, 7], 5)
        np.testing.assert_array_equal(x, omp(D, Y, 5).toarray()[:, 7])

    def test_stops_at_an_error(self):
        X = omp(D, Y, error=0.3)
        errors = np.sqrt(np.mean((Y - D @ X) ** 2, axis=0))
        self.assertLessEqual(errors.max(), 0.3 + 1e-5)
        self.assertGreater(np.sqrt(np.mean((Y - D @ omp(D, Y, 2)) ** 2)), 0.3)

    def test_ols_leaves_a_smaller_error(self):
        error = [np.linalg.norm(Y - D @ omp(D, Y, 4, pursuit=name)) for name in ("omp", "ols")]
        self.assertLess(error[1], error[0])

    def test_wrong_arguments_are_value_errors(self):
        for call, message in [
            (lambda: omp(D, Y), "sparsity or error must be given"),
            (lambda: omp(D, Y[:10], 3), "Y must have 20 rows, as D has, got 10"),
            (lambda: omp(D, Y * np.nan, 3), "Input Y contains NaN"),
            (lambda: omp(D * 0, Y, 3), "atom 0 must not be zero"),
        ]:
            with self.subTest(message), self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(message, str(caught.exception))
