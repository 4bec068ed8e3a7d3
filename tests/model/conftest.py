"""What the tests of the model share."""

import pytest

from tests.model.loading import load_model


@pytest.fixture(scope="session")
def llama():
    """The module model/tiny_llama.py."""
    return load_model()
