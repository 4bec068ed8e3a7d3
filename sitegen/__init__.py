"""The generator: content + trace → page. See content/notes/architecture.md."""
