"""Only the tests of the recorded traces run without PyTorch: `make test-probe` installs
it, `make test` does not."""

from importlib.util import find_spec

HAS_TORCH = find_spec("torch") is not None
collect_ignore_glob = [] if HAS_TORCH else ["test_probe_*.py", "test_train_twin.py"]
if HAS_TORCH:
    from tests.probe.fixtures import folder_of, record  # noqa: F401
