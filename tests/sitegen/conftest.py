"""What the generator's tests share."""

import pytest

from tests.site_builder import SmallSite


@pytest.fixture
def site(tmp_path):
    """Return a content folder to fill and build."""
    return SmallSite(tmp_path)
