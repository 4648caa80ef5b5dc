"""The model file: what `save` writes, `load` reads and pickles carry (docs/model_file.md).

`container`: named arrays and strings as bytes. `meta`: what a tree is besides its arrays, as JSON.
`store`: the file of one tree, and how files are written and read. `packed`: that of many trees.
`estimators/`: which estimator the trees are of, its parameters and figures; `save_load` first. It
also validates the states of pickles (`pickled`).

Every layer reads and writes its own part, so the modules lie in several layers (pyproject.toml).
"""
