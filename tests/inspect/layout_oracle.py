"""The tidy layout as one would write it down first: compare whole outlines, level by level."""


def naive(children, widths, gaps):
    """The middles of the nodes. `gaps` are the distances of siblings and of others.

    Each subtree is as near to those on its left as it can be, a parent is in the middle above its
    first and last child. Subtrees between others are not spread.
    """
    depth = [0] * len(children)
    for node, below in enumerate(children):
        for child in below:
            depth[child] = depth[node] + 1
    x = [0.0] * len(children)
    for node in reversed(range(len(children))):
        placed = []
        for child in children[node]:
            own = subtree(children, child)
            push = max((needed(placed, own, x, depth, widths, gaps, children)), default=0.0)
            for one in own:
                x[one] += push
            placed += own
        if children[node]:
            x[node] = (x[children[node][0]] + x[children[node][-1]]) / 2
    return x


def needed(placed, own, x, depth, widths, gaps, children):
    parent = {child: node for node, below in enumerate(children) for child in below}
    for left in placed:
        for right in own:
            if depth[left] == depth[right]:
                gap = gaps[0] if parent[left] == parent[right] else gaps[1]
                yield x[left] + (widths[left] + widths[right]) / 2 + gap - x[right]


def subtree(children, node):
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found.append(one)
        stack += children[one]
    return found
