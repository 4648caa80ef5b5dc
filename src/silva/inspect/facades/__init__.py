"""Inspectors as users call them: a fitted model and rows in, the record of an inspector out.

Estimators are above this layer, so a model is known by what it has, not by its class: `_recipe`
tells how to grow it again, `_sampling` how a forest draws its rows, `_single_tree` makes a tree.
"""
