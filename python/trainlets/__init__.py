"""Dictionary learning for large signals, with the interface of scikit-learn.

`DictionaryLearning` learns a dictionary and codes signals over it; `load` reads one from a file; `omp` codes
signals over a matrix. Node computes, in a process that starts when it is first needed.
"""

from importlib.metadata import version

from ._estimator import DictionaryLearning, load
from ._omp import omp
from ._process import program_folder

__version__ = version("trainlets")
__all__ = ["DictionaryLearning", "__version__", "load", "omp", "program_folder"]
