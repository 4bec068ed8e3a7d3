"""A data loader that raises: one of the nine planted defects."""

raise ValueError("a planted mistake")
