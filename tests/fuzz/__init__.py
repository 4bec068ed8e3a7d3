"""Inputs from strangers: the build answers each with a page or with problems."""
