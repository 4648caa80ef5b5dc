"""Exact search: the best of all trees under limits of depth, size and leaf penalty, with a proof.

`questions` turns a table into ordered columns, `objective` weights and costs into integers,
`search` drives the core, `incumbent` supplies greedy trees, `build` makes ordinary trees of what
was found, `study` puts these together and `path` asks for every number of leaves.
"""
