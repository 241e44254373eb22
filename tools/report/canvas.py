"""A sheet to draw a diagram on: places in pixels, boxes, arrows, grids of cells."""

from figure import GREY, INK, LARGE, PALE, SMALL, WIDTH, plt
from matplotlib.patches import FancyArrowPatch, Polygon, Rectangle

PIXELS = WIDTH * 96  # the width of a page; all places below are pixels, from the top left corner
NOTE = "#555555"


class Canvas:
    """A sheet to draw on, with a title and a line or two of explanation."""

    def __init__(self, height, title, *explanation):
        self.figure = plt.figure(figsize=(WIDTH, height / 96))
        self.axis = self.figure.add_axes([0, 0, 1, 1])
        self.axis.set(xlim=(0, PIXELS), ylim=(height, 0))
        self.axis.axis("off")
        self.text(12, 20, title, size=LARGE, weight="bold")
        for line, words in enumerate(explanation):
            self.text(12, 42 + 17 * line, words, colour=NOTE)

    def text(self, x, y, words, size=SMALL, colour=INK, ha="left", va="center", weight="normal",
             rotation=0):
        self.axis.text(x, y, words, fontsize=size, color=colour, ha=ha, va=va, weight=weight,
                       rotation=rotation, linespacing=1.35)

    def code(self, x, y, words, colour=INK, ha="left"):
        self.axis.text(x, y, words, fontsize=SMALL, color=colour, ha=ha, va="center",
                       family="DejaVu Sans Mono", linespacing=1.45)

    def box(self, x, y, width, height, fill="white", edge=INK, line=0.8, words="", colour=INK,
            size=SMALL, style="-", hatch=None, above=1):
        self.axis.add_patch(Rectangle((x, y), width, height, facecolor=fill, edgecolor=edge,
                                      linewidth=line, linestyle=style, hatch=hatch, zorder=above))
        if words:
            self.axis.text(x + width / 2, y + height / 2, words, fontsize=size, color=colour,
                           ha="center", va="center", zorder=above + 1)

    def shape(self, points, fill):
        self.axis.add_patch(Polygon(points, facecolor=fill, edgecolor="none", alpha=0.6,
                                    zorder=5.5))

    def line(self, x1, y1, x2, y2, colour=GREY, width=1.0, style="-"):
        self.axis.plot([x1, x2], [y1, y2], color=colour, linewidth=width, linestyle=style,
                       solid_capstyle="butt", zorder=3)

    def arrow(self, x1, y1, x2, y2, colour=INK, width=1.2, bend=0.0, head=9):
        self.axis.add_patch(FancyArrowPatch((x1, y1), (x2, y2), arrowstyle="-|>", color=colour,
                                            mutation_scale=head, linewidth=width, shrinkA=0,
                                            shrinkB=0, connectionstyle=f"arc3,rad={bend}",
                                            zorder=4))

    def grid(self, x, y, columns, rows, side, fill="white", edge=PALE, line=0.5, high=None):
        """Cells side by side, squares unless `high` is given; fill may be a function of column and
        row. Neighbours of one colour are one box, and all lines one path: a small file."""
        high = high or side
        for row in range(rows):
            begin = 0
            for column in range(1, columns + 1):
                fills = [fill(c, row) if callable(fill) else fill for c in (begin, column)] \
                    if column < columns else [fill(begin, row) if callable(fill) else fill, None]
                if fills[0] != fills[1]:
                    self.box(x + begin * side, y + row * high, (column - begin) * side, high,
                             fills[0], "none", 0)
                    begin = column
        ends = [((x, y + row * high), (x + columns * side, y + row * high))
                for row in range(rows + 1)]
        ends += [((x + column * side, y), (x + column * side, y + rows * high))
                 for column in range(columns + 1)]
        gap = (float("nan"),) * 2
        self.axis.plot(*zip(*(point for end in ends for point in (*end, gap))), color=edge,
                       linewidth=line, zorder=2, solid_capstyle="butt")

    def frame(self, x, y, width, height, colour=INK, line=1.8, style="-"):
        self.axis.add_patch(Rectangle((x, y), width, height, fill=False, edgecolor=colour,
                                      linewidth=line, linestyle=style, zorder=5))
