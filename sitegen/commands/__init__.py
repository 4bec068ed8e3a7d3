"""What build.py can do: one module a command, each with `run(options)`.

build.py imports a command's module once it knows that there is something to do;
`arguments` and `reporting` need the standard library alone.
"""
