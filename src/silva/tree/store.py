"""The name under which a pickle finds the reader of its tree. The format is in `model_file`."""

from silva.tree.tree import Tree


def loads(data: bytes) -> Tree:
    """The tree in the bytes of a model file. Pickles hold this name, so it stays in this module."""
    from silva.model_file import store

    return store.loads(data)
