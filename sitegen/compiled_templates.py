"""Templates as Jinja compiled them, kept from one build to the next.

Compiling them is a fifth of a build in which one article changed.  Jinja itself holds
what it finds against the template's text.
"""

import base64

from jinja2 import BytecodeCache

KIND = "templates"
INPUTS = ("python", "package:jinja2", "package:markupsafe")


class CompiledTemplates(BytecodeCache):
    """The compiled templates of a cache.Store, all in one entry."""

    def __init__(self, store):
        self.store, self.known = store, dict(store.take(KIND, "") or {})

    def load_bytecode(self, bucket):
        """Called by Jinja before it compiles a template."""
        if kept := self.known.get(bucket.key):
            bucket.bytecode_from_string(base64.b64decode(kept))

    def dump_bytecode(self, bucket):
        """Called by Jinja when it has compiled one."""
        self.known[bucket.key] = base64.b64encode(bucket.bytecode_to_string()).decode()
        self.store.keep(KIND, "", INPUTS, self.known)
