"""Rendering for the tests of pictures."""

from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg


def rendered(figure, file):
    """The size of the figure as a PNG file."""
    figure.savefig(file, dpi=80)
    return file.stat().st_size


def texts_apart(figure):
    """Whether no two texts of the figure lie on each other, and none is cut off."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    texts = [text for axes in figure.axes for text in texts_of(axes) if text.get_text().strip()]
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in texts]
    inside = all(box.x0 >= -1 and box.x1 <= figure.bbox.x1 + 1 for box in boxes)
    return inside and not any(overlap(one, other) for one, other in combinations(boxes, 2))


def texts_of(axes):
    """Titles, labels, legend, notes and the labels of the ticks that are in sight."""
    legend = axes.get_legend()
    texts = [axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
    texts += legend.get_texts() if legend else []
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        texts += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [text for text in texts if text.get_visible()]


def overlap(one, other):
    width = min(one.x1, other.x1) - max(one.x0, other.x0)
    height = min(one.y1, other.y1) - max(one.y0, other.y0)
    return width > 1 and height > 1
