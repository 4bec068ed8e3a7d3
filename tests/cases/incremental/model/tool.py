"""What the snippets of an article import."""

from deep import DEPTH


# step: answer — twice the depth
def answer():
    return 2 * DEPTH
