"""`python -m trainlets`: says where the commands are. The package has the estimator, and no command line."""

import sys

print(
    "trainlets: the Python package has no commands; those of the npm package, such as"
    " `npx trainlets studio dictionary.npz`, take the files that `save` writes",
    file=sys.stderr,
)
sys.exit(2)
