"""myst-nb's quickstart with its cache of executed cells, and the theme furo."""

project = "Measured"
author = "The project's contributors"
extensions = ["myst_nb"]
html_theme = "furo"
exclude_patterns = ["_build"]
myst_enable_extensions = ["amsmath", "dollarmath"]
# Docs, "Auto-generated header anchors": or a link to a heading has no target.
myst_heading_anchors = 3
nb_execution_mode = "cache"
