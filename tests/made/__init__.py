"""Makers that tests share: of files, records, indexes, servers and processes, a module for each kind.

No test module imports another, or a conftest.py: what two of them need is made here.
"""

import pkgutil

import pytest

# An `assert` in a maker shows its values as one in a test does.
pytest.register_assert_rewrite(*(f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)))
