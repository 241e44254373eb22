#!/usr/bin/env python3
"""Draws the diagrams of the report, results/diagrams/NAME.svg: how threads, tiles and memory lie.
Nothing in them is measured.

usage: tools/report/diagrams.py [--png DIRECTORY]
       --png also writes each diagram as a PNG there, to look at"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import diagrams_methods
from canvas import NOTE, PIXELS, Canvas
from figure import (BLUE, FAINT, GREEN, GREY, INK, NORMAL, ORANGE, PALE, PURPLE, RED, ROOT, SKY,
                    YELLOW, save, tint)

# ---- the ladder --------------------------------------------------------------------------------


def threads_v0():
    sheet = Canvas(440, "v0: a thread a cell",
                   "Blocks of 32x32 threads cover the array. Each thread counts the levels in the "
                   "5x5 window around its cell, and writes one entropy.")
    # the array in blocks; those at the right and bottom edge stand out
    left, top, side = 16, 96, 56
    sheet.text(left, 80, "the array, in blocks", weight="bold")
    sheet.box(left, top, 4 * side, 4 * side, FAINT, GREY, 0)
    sheet.box(left, top, 3.55 * side, 3.45 * side, tint(SKY, 0.3), INK, 0)
    for row in range(4):
        for column in range(4):
            sheet.frame(left + column * side, top + row * side, side, side, GREY, 0.7)
    sheet.frame(left, top, 3.55 * side, 3.45 * side, INK, 1.8)
    block_x, block_y = left + side, top + side
    sheet.box(block_x, block_y, side, side, tint(BLUE, 0.55), BLUE, 1.5, "block\n(1, 1)", above=6)
    sheet.text(left, top + 4 * side + 20, "Threads beyond the edges of the\n"
               "array (grey) have no cell and return.", colour=NOTE, va="top")
    # one block: 32 x 32 threads
    x, y, cell = 286, 96, 7
    sheet.text(x, 80, "one block: 32x32 threads", weight="bold")
    sheet.shape([(block_x + side, block_y), (x, y), (x, y + 32 * cell),
                 (block_x + side, block_y + side)], tint(BLUE, 0.12))
    warp, thread = 12, 20
    sheet.grid(x, y, 32, 32, cell, lambda column, row: BLUE if (column, row) == (thread, warp) else
               tint(BLUE, 0.45) if row == warp else "white", PALE, 0.4)
    sheet.frame(x, y, 32 * cell, 32 * cell, BLUE, 1.5)
    sheet.frame(x, y + warp * cell, 32 * cell, cell, BLUE, 1.2)
    sheet.text(x, y + 32 * cell + 20, "A row of 32 threads is a warp: its lanes do the\nsame "
               "instruction at the same time, and read\nneighbouring cells.", colour=NOTE, va="top")
    # one thread: its window
    wx, wy, big = 588, 96, 30
    sheet.text(wx, 80, "one thread: its window", weight="bold")
    sheet.frame(x + (thread - 2) * cell, y + (warp - 2) * cell, 5 * cell, 5 * cell, INK, 1.4)
    sheet.shape([(x + (thread + 3) * cell, y + (warp - 2) * cell), (wx, wy), (wx, wy + 5 * big),
                 (x + (thread + 3) * cell, y + (warp + 3) * cell)], tint(BLUE, 0.25))
    levels = [[3, 3, 7, 12, 3], [3, 0, 7, 7, 12], [3, 3, 7, 12, 12], [0, 3, 3, 7, 12],
              [0, 0, 3, 7, 7]]
    for row in range(5):
        for column in range(5):
            here = (column, row) == (2, 2)
            sheet.box(wx + column * big, wy + row * big, big, big,
                      tint(BLUE, 0.55) if here else tint(SKY, 0.3), GREY, 0.7,
                      str(levels[row][column]))
    sheet.frame(wx, wy, 5 * big, 5 * big, INK, 1.8)
    flat = [level for row in levels for level in row]
    sheet.arrow(wx + 2.5 * big, wy + 5 * big + 4, wx + 2.5 * big, wy + 5 * big + 24)
    sheet.text(wx + 2.5 * big + 10, wy + 5 * big + 14, "25 reads", colour=NOTE)
    cy = wy + 5 * big + 44
    sheet.text(wx, cy - 10, "count[16], a counter a level:", va="center")
    for level in range(16):
        count = flat.count(level)
        sheet.box(wx + level * 14, cy + 4, 14, 20, tint(ORANGE, 0.5) if count else "white", GREY,
                  0.6, str(count))
    for level in (0, 3, 7, 12):
        sheet.text(wx + level * 14 + 7, cy + 34, str(level), colour=NOTE, ha="center")
    sheet.arrow(wx + 2.5 * big, cy + 42, wx + 2.5 * big, cy + 60)
    sheet.text(wx, cy + 74, r"$H = \ln N - \frac{1}{N}\,\sum n\,\ln n$,  N = 25", size=NORMAL)
    sheet.text(wx, cy + 98, "one float to the result, at the\nthread's own place", colour=NOTE,
               va="top")
    return sheet


def tile_v9():
    sheet = Canvas(440, "v9: the input tile in shared memory",
                   "32x32 threads load a cell each. Only those whose window lies in the tile have "
                   "an answer to write: the inner 28x28.")
    x, y, cell = 16, 100, 9
    sheet.text(x, 80, "one block", weight="bold")
    sheet.grid(x, y, 32, 32, cell, lambda column, row: tint(BLUE, 0.5) if 2 <= column < 30 and
               2 <= row < 30 else tint(ORANGE, 0.45), "white", 0.5)
    sheet.frame(x, y, 32 * cell, 32 * cell, INK, 1.8)
    sheet.frame(x + 2 * cell, y + 2 * cell, 28 * cell, 28 * cell, BLUE, 1.8, "--")
    # two windows: the one of an inner corner, and one in the middle
    for column, row in ((2, 2), (17, 13)):
        sheet.frame(x + (column - 2) * cell, y + (row - 2) * cell, 5 * cell, 5 * cell, RED, 1.6)
        sheet.box(x + column * cell, y + row * cell, cell, cell, RED, "white", 0.5, above=6)
    lx = x + 32 * cell + 18
    for line, (fill, words) in enumerate((
            (tint(BLUE, 0.5), "784 threads load\nand write"),
            (tint(ORANGE, 0.45), "240 threads\nonly load"))):
        sheet.box(lx, y + 8 + 50 * line, 16, 16, fill, GREY, 0.6)
        sheet.text(lx + 24, y + 16 + 50 * line, words)
    sheet.frame(lx, y + 108, 16, 16, RED, 1.6)
    sheet.box(lx + 5.5, y + 113.5, 5, 5, RED, RED, above=6)
    sheet.text(lx + 24, y + 116, "a window: all of it\nis in the tile")
    sheet.text(lx, y + 180, "1024 reads of global\nmemory for 784 cells,\ninstead of 25 a cell",
               colour=NOTE)
    # four neighbours
    nx, ny, small = 520, 100, 4.6
    sheet.text(nx, 80, "four blocks side by side", weight="bold")
    for number, (column, row) in enumerate(((0, 0), (1, 0), (0, 1), (1, 1))):
        colour = (BLUE, ORANGE, GREEN, PURPLE)[number]
        bx, by = nx + column * 28 * small, ny + row * 28 * small
        sheet.box(bx + 2 * small, by + 2 * small, 28 * small, 28 * small, tint(colour, 0.45),
                  colour, 0)
        sheet.frame(bx + number * 0.7, by + number * 0.7, 32 * small, 32 * small, colour, 1.6)
        sheet.text(bx + 16 * small, by + 16 * small, "writes\n28x28", ha="center")
    sheet.line(nx + 28 * small, ny + 60 * small + 10, nx + 32 * small, ny + 60 * small + 10, INK, 3)
    sheet.text(nx + 30 * small, ny + 60 * small + 26, "the frames, 32x32, overlap by 4 cells",
               ha="center")
    sheet.text(nx, ny + 60 * small + 46, "(filled: what a block writes; framed: what it loads)",
               colour=NOTE)
    return sheet


def prefix_v13():
    sheet = Canvas(306, "v13: counting by four corners",
                   "For each level, S(y, x) is how many cells above row y and left of column x are "
                   "of that level.",
                   "The count in a window of any size takes four reads of S:")
    cell, columns, rows, gap = 12, 11, 10, 36
    left, top, right, bottom = 3, 3, 8, 8
    y, x = 88, 14
    parts = (("S(bottom, right)", right, bottom, SKY, ""),
             ("S(bottom, left)", left, bottom, RED, "−"), ("S(top, right)", right, top, RED, "−"),
             ("S(top, left)", left, top, SKY, "+"), ("the window", None, None, GREEN, "="))
    for number, (words, width, height, colour, sign) in enumerate(parts):
        if sign:
            sheet.text(x - gap / 2, y + rows * cell / 2, sign, size=15, ha="center", weight="bold")

        def fill(column, row):
            if width is None:
                return tint(GREEN, 0.6) if left <= column < right and top <= row < bottom \
                    else "white"
            return tint(colour, 0.5) if column < width and row < height else "white"

        sheet.grid(x, y, columns, rows, cell, fill, PALE, 0.5)
        sheet.frame(x + left * cell, y + top * cell, 5 * cell, 5 * cell, INK, 1.5)
        if width is not None:
            sheet.axis.plot(x + width * cell, y + height * cell, "o", color=INK, markersize=6,
                            zorder=6)
        sheet.text(x + columns * cell / 2, y + rows * cell + 16, words, ha="center")
        x += columns * cell + gap
    sheet.text(14, 254, "What is taken away twice, above and left of the window, is put back once. "
               "At the edges of the array the corners move inwards.", colour=NOTE)
    sheet.text(14, 276, "Sixteen levels: 64 reads a cell, where the plain count reads 25. The "
               "sixteen sums of a corner lie side by side: 64 bytes.",
               colour=NOTE)
    return sheet


def split_v14():
    sheet = Canvas(440, "v14: the rows split among the GPUs, here four",
                   "Each part reads two rows more at every inner edge, so that its windows are "
                   "whole, and throws their results away. One host thread a GPU.")
    colours = (BLUE, ORANGE, GREEN, PURPLE)
    top, part, halo = 104, 66, 11
    sheet.text(20, 84, "sample, in host memory", weight="bold")
    sheet.text(330, 84, "on the GPUs", weight="bold")
    sheet.text(640, 84, "result, in host memory", weight="bold")
    for number, colour in enumerate(colours):
        y = top + number * part
        sheet.box(20, y, 160, part, tint(colour, 0.45), "white", 0.8,
                  "rows " + ("0 to h/4", "h/4 to h/2", "h/2 to 3h/4", "3h/4 to h")[number])
        # what the part reads, with its halo
        up, down = halo if number else 0, halo if number < 3 else 0
        gy = 100 + number * 79 - (0 if number else -halo)
        sheet.box(330, gy + (halo if number else 0), 160, part - 14, tint(colour, 0.45), colour,
                  0.8, f"GPU {number}: v7's kernel")
        body = gy + (halo if number else 0)
        if up:
            sheet.box(330, body - halo, 160, halo, tint(colours[number - 1], 0.45), colour, 0.8,
                      hatch="////")
        if down:
            sheet.box(330, body + part - 14, 160, halo, tint(colours[number + 1], 0.45), colour,
                      0.8, hatch="////")
        sheet.frame(330, body - up, 160, part - 14 + up + down, colour, 1.5)
        sheet.box(640, y, 160, part, tint(colour, 0.45), "white", 0.8, "the same rows")
        sheet.arrow(184, y + part / 2, 326, body + (part - 14) / 2, colour, 1.5)
        sheet.arrow(494, body + (part - 14) / 2, 636, y + part / 2, colour, 1.5)
    sheet.frame(20, top, 160, 4 * part, INK, 1.8)
    sheet.frame(640, top, 160, 4 * part, INK, 1.8)
    # the rows that two parts read
    for number in range(3):
        y = top + (number + 1) * part
        sheet.line(20, y - 7, 180, y - 7, GREY, 0.8, ":")
        sheet.line(20, y + 7, 180, y + 7, GREY, 0.8, ":")
    sheet.text(255, top + 4 * part + 36, "copy up: the part\nand its halo", colour=NOTE,
               ha="center")
    sheet.text(565, top + 4 * part + 36, "copy down; then without\nthe halo to its place",
               colour=NOTE, ha="center")
    sheet.box(330, 406, 22, 12, "white", GREY, 0.8, hatch="////")
    sheet.text(360, 412, "halo: two rows")
    return sheet


# ---- memory ------------------------------------------------------------------------------------


def local_memory():
    sheet = Canvas(506, "Local memory: why counters of one byte are faster",
                   "Local memory is laid out word by word: word i of all 32 threads of a warp is "
                   "one line of 128 bytes. When each thread adds",
                   "one to the counter of its own cell, the warp has to touch every line that "
                   "holds one of these counters.")
    chance = random.Random(7)
    levels = [chance.randrange(16) for _ in range(32)]
    x, cell = 96, 22
    ruler = 108
    sheet.text(x + 16 * cell, ruler - 16, "threads 0 to 31 of a warp", ha="center", weight="bold")

    def column_numbers(y):
        for thread in (0, 8, 16, 24, 31):
            sheet.text(x + thread * cell + cell / 2, y, str(thread), colour=NOTE, ha="center")

    column_numbers(ruler)
    y, high = ruler + 12, 13
    touched = sorted(set(levels))
    sheet.grid(x, y, 32, 16, cell, lambda thread, word: RED if levels[thread] == word else
               tint(ORANGE, 0.3) if word in touched else "white", PALE, 0.5, high)
    for word in range(16):
        sheet.text(x - 8, y + word * high + high / 2, f"count[{word}]", ha="right", size=8.5)
    sheet.frame(x, y, 32 * cell, 16 * high, INK, 1.5)
    sheet.text(12, y - 12, "v0: int", weight="bold")
    below = y + 16 * high + 16
    sheet.text(x, below, f"sixteen words a thread: up to 16 lines; here {len(touched)} are touched",
               colour=INK)
    # byte counters: a word holds four of them
    y2, high2 = below + 46, 20
    sheet.text(12, y2 - 14, "v6: byte", weight="bold")
    sheet.grid(x, y2, 32, 4, cell, tint(ORANGE, 0.3), GREY, 0.4, high2)
    for thread, level in enumerate(levels):
        sheet.box(x + (thread + level % 4 / 4) * cell, y2 + level // 4 * high2, cell / 4, high2,
                  RED, RED, 0.3, above=2.5)
    for word in range(4):
        sheet.text(x - 8, y2 + word * high2 + high2 / 2, f"count[{4 * word}..{4 * word + 3}]",
                   ha="right", size=8.5)
    sheet.frame(x, y2, 32 * cell, 4 * high2, INK, 1.5)
    sheet.text(x, y2 + 4 * high2 + 16, "four counters in a word, four words a thread: at most 4 "
               "lines, whatever the cells are")
    sheet.box(560, below - 7, 13, 13, RED, RED)
    sheet.text(580, below, "the counter")
    sheet.box(668, below - 7, 13, 13, tint(ORANGE, 0.3), PALE)
    sheet.text(688, below, "a line touched")
    return sheet


def transpose_tile():
    sheet = Canvas(560, "Transposing through a tile in shared memory",
                   "A warp reads along a row of the input and writes along a row of the output: "
                   "whole sectors on both sides. The turn happens in the tile.")
    side, cells = 13, 12
    y = 112
    first = (2, 1)  # the tile's place in the input, in tiles of 4x4: column, row
    warp = 1        # the row of the tile that the highlighted warp reads
    titles = ("input", "tile in shared memory", "output")
    xs = (40, 350, 652)
    for x, title in zip(xs, titles):
        sheet.text(x, 88, title, weight="bold")
    sheet.grid(xs[0], y, cells, cells, side, lambda column, row: tint(BLUE, 0.35)
               if column // 4 == first[0] and row // 4 == first[1] else "white", PALE, 0.5)
    sheet.grid(xs[2], y, cells, cells, side, lambda column, row: tint(BLUE, 0.35)
               if row // 4 == first[0] and column // 4 == first[1] else "white", PALE, 0.5)
    for x in (xs[0], xs[2]):
        sheet.frame(x, y, cells * side, cells * side, INK, 1.5)
    big = 34
    ty = y + 10
    letters = "abcdefghijklmnop"
    for row in range(4):
        for column in range(4):
            sheet.box(xs[1] + column * big, ty + row * big, big, big,
                      tint(GREEN, 0.45) if column == warp else tint(BLUE, 0.35), "white", 1,
                      letters[4 * row + column])
    for column in range(4):
        sheet.box(xs[1] + column * big, ty + warp * big, big, big,
                  tint(ORANGE, 0.6) if column != warp else tint("#8a7a30", 0.7), "white", 1,
                  letters[4 * warp + column])
    sheet.frame(xs[1], ty, 4 * big, 4 * big, INK, 1.5)
    # the row read and the row written, in the matrices
    rx, ry = xs[0] + first[0] * 4 * side, y + (first[1] * 4 + warp) * side
    sheet.box(rx, ry, 4 * side, side, ORANGE, ORANGE, 0.5, above=6)
    wx, wy = xs[2] + first[1] * 4 * side, y + (first[0] * 4 + warp) * side
    sheet.box(wx, wy, 4 * side, side, GREEN, GREEN, 0.5, above=6)
    sheet.arrow(rx + 4 * side + 4, ry + side / 2, xs[1] - 5, ty + (warp + 0.5) * big, ORANGE, 1.8)
    sheet.arrow(xs[1] + (warp + 0.5) * big, ty + 4 * big + 4, wx - 5, wy + side / 2, GREEN, 1.8,
                bend=0.33)
    sheet.text(212, y + 40, "reads e f g h:\na row", colour=ORANGE)
    sheet.text(502, y + 84, "writes b f j n:\na column of the\ntile, a row of\nthe output",
               colour=GREEN, ha="left")
    # banks
    by = 320
    sheet.line(12, by - 18, PIXELS - 12, by - 18, PALE, 1)
    sheet.text(12, by, "Banks. Shared memory serves each bank once a turn. The number is the bank "
               "of a cell (drawn with 8 banks; there are 32).", colour=NOTE)
    shades = [tint(colour, 0.5) for colour in (BLUE, ORANGE, GREEN, PURPLE, SKY, YELLOW, RED, GREY)]
    cell = 22
    for x, width, title, words in (
            (60, 8, "tile[8][8]", "a column: one bank,\neight turns"),
            (470, 9, "tile[8][9]: one column of padding", "a column: eight banks,\none turn")):
        top = by + 44
        sheet.code(x, by + 26, title)
        for row in range(8):
            for column in range(width):
                bank = (row * width + column) % 8
                padding = column == 8
                sheet.box(x + column * cell, top + row * cell, cell, cell,
                          FAINT if padding else shades[bank] if column == 2 else "white",
                          GREY, 0.5, "" if padding else str(bank), INK if column == 2 else NOTE)
        sheet.frame(x + 2 * cell, top, cell, 8 * cell, INK, 2)
        sheet.text(x + width * cell + 14, top + 4 * cell, words)
    return sheet


def reduction_tree():
    sheet = Canvas(530, "Two ways to fold a row to its maximum",
                   "The same comparisons, by other threads. A warp takes as long for one working "
                   "lane as for all. Drawn with 16 elements and",
                   "warps of 4 threads; real ones have 32.")
    values = [5, 2, 9, 4, 1, 8, 3, 6, 7, 0, 12, 2, 11, 4, 10, 3]
    cell, step = 21, 76

    def tree(x, title, strides, interleaved):
        sheet.text(x, 108, title, weight="bold")
        cells, y, total = list(values), 126, 0
        for stride in [0] + strides:
            workers = [i for i in range(16) if i % (2 * stride) == 0] if interleaved and stride \
                else list(range(stride or 16))
            busy = sorted({i // 4 for i in workers}) if stride else []
            total += len(busy)
            if stride:
                for i in workers:
                    sheet.arrow(x + (i + stride + 0.5) * cell, y + 22, x + (i + 0.5) * cell + 4,
                                y + step - 2, GREY, 0.8, head=6)
                    sheet.arrow(x + (i + 0.5) * cell, y + 22, x + (i + 0.5) * cell, y + step - 2,
                                BLUE, 1.3, head=7)
                    cells[i] = max(cells[i], cells[i + stride])
                y += step
            for i in range(16):
                works = i in workers
                sheet.box(x + i * cell, y, cell, 22, "white" if not stride else tint(BLUE, 0.5)
                          if works else tint(ORANGE, 0.45) if i // 4 in busy else FAINT, GREY, 0.4,
                          str(cells[i]) if works else "")
            for warp in range(4):
                sheet.frame(x + 4 * warp * cell, y, 4 * cell, 22, INK, 1.2)
            if stride:
                sheet.text(x + 16 * cell + 6, y + 11,
                           f"{len(busy)} warp{'s' * (len(busy) > 1)}")
        return total

    second_x = 14 + 16 * cell + 66
    first = tree(14, "interleaved: stride 1, 2, 4, 8 (divergent)", [1, 2, 4, 8], True)
    second = tree(second_x, "sequential: stride 8, 4, 2, 1", [8, 4, 2, 1], False)
    for x, fill, words in ((14, tint(BLUE, 0.5), "a thread that compares"),
                           (210, tint(ORANGE, 0.45), "idle, but its warp is at work"),
                           (446, FAINT, "its warp has nothing to do")):
        sheet.box(x, 74, 13, 13, fill, GREY, 0.5)
        sheet.text(x + 20, 81, words)
    y = 126 + 4 * step + 36
    sheet.text(14, y, f"{first} times a warp is at work, most of its lanes idle;\nthe words that "
               "neighbouring lanes read lie further\nand further apart", colour=NOTE, va="top")
    sheet.text(second_x, y, f"{second} times a warp is at work, mostly as a whole;\nneighbouring "
               "lanes read neighbouring words", colour=NOTE, va="top")
    return sheet


# ---- the engine --------------------------------------------------------------------------------


def packed_word():
    sheet = Canvas(530, "Sixteen counters in 64 bits",
                   "A cell becomes a word with one bit set. Byte b holds two fields of three bits: "
                   "level 2b at bit 0 and level 2b + 1 at bit 3.")
    x, width, y = 86, 90, 92

    def word(y, name, fields, note=""):
        """fields: level -> number."""
        sheet.text(x - 8, y + 15, name, ha="right")
        for place in range(8):
            byte = 7 - place
            left = x + place * width
            for begin, length, level in ((0, 18, None), (18, 36, 2 * byte + 1),
                                         (54, 36, 2 * byte)):
                number = fields.get(level, 0) if level is not None else None
                sheet.box(left + begin, y, length, 30, FAINT if level is None else
                          tint(ORANGE if level % 2 else BLUE, 0.5) if number else "white", GREY,
                          0.5, "" if number is None else str(number),
                          INK if number else "#aaaaaa", NORMAL)
            sheet.frame(left, y, width, 30, INK, 1.2)
        if note:
            sheet.text(x, y + 44, note, colour=NOTE)

    for place in range(8):
        byte = 7 - place
        left = x + place * width
        sheet.text(left + width / 2, y - 14, f"byte {byte}", ha="center", colour=NOTE)
        sheet.text(left + 36, y + 8, str(2 * byte + 1), ha="center", colour=ORANGE, weight="bold")
        sheet.text(left + 72, y + 8, str(2 * byte), ha="center", colour=BLUE, weight="bold")
    sheet.text(x - 8, y + 8, "level", ha="right", colour=NOTE)
    word(y + 22, "a 5", {5: 1}, "Level 5 is odd: bit 3 of byte 2. The two upper bits of a byte "
         "stay free.")
    row = [5, 4, 5, 12, 5]
    fields = {level: row.count(level) for level in row}
    word(y + 92, "a row", fields, "Five cells of a row, 5 4 5 12 5, added as numbers: at most 5 in "
         "a field of three bits, so nothing carries over.")
    # down the rows
    top = 264
    sheet.line(12, top - 8, PIXELS - 12, top - 8, PALE, 1)
    sheet.text(12, top + 12, "Down the five rows a field reaches 25, and three bits overflow. So "
               "two sums are kept; here byte 1, for five 2s and twenty 3s:", colour=NOTE)
    bits, cell = 8, 38
    bx = 290
    lines = (("all: the words", 165, "even + 8 odd, at most 225", INK),
             ("even: their even fields alone", 5, "how many 2s: at most 25", BLUE),
             ("the difference", 160, "8 times how many 3s: 8 x 20", ORANGE))
    for bit in range(bits):
        sheet.text(bx + bit * cell + cell / 2, top + 42, str(7 - bit), ha="center", colour=NOTE)
    sheet.text(bx - 12, top + 42, "bit", ha="right", colour=NOTE)
    for number, (name, value, meaning, colour) in enumerate(lines):
        ly = top + 56 + number * 46
        sheet.text(bx - 34, ly + 15, name, ha="right", colour=colour)
        sheet.text(bx - 14, ly + 15, ("", "−", "=")[number], ha="right", size=13, weight="bold")
        for bit in range(bits):
            on = value >> (7 - bit) & 1
            sheet.box(bx + bit * cell, ly, cell, 30, tint(colour if number else GREY, 0.45) if on
                      else "white", GREY, 0.6, str(on), INK if on else "#aaaaaa", NORMAL)
        sheet.frame(bx, ly, bits * cell, 30, INK, 1.2)
        sheet.text(bx + bits * cell + 14, ly + 9, str(value), weight="bold", colour=colour)
        sheet.text(bx + bits * cell + 14, ly + 25, meaning, colour=NOTE)
    sheet.text(12, top + 218, "All sixteen counts are exact up to 25, in four registers of 32 "
               "bits. Nothing is indexed, so nothing lives in local memory.\n"
               "A window that slides down "
               "adds the word sum of the row that enters and subtracts the one that leaves.",
               colour=NOTE, va="top")
    return sheet


def sliding_window():
    sheet = Canvas(436, "Sliding: of 25 cells five enter and five leave",
                   "A thread walks down its columns. The window one row further down shares 20 "
                   "cells with the one before.")
    x, y, cell, columns, rows = 40, 96, 30, 9, 9
    sheet.text(x, 80, "the array", weight="bold")

    def fill(column, row):
        if not 2 <= column < 7:
            return "white"
        return tint(RED, 0.4) if row == 1 else tint(GREEN, 0.5) if row == 6 else \
            tint(SKY, 0.35) if 2 <= row < 6 else "white"

    sheet.grid(x, y, columns, rows, cell, fill, PALE, 0.7)
    sheet.frame(x, y, columns * cell, rows * cell, GREY, 0.8)
    left = x + 2 * cell
    sheet.frame(left, y + cell, 5 * cell, 5 * cell, RED, 2, "--")
    sheet.frame(left + 2, y + 2 * cell + 2, 5 * cell - 4, 5 * cell - 2, GREEN, 2)
    sheet.text(left + 2.5 * cell, y + 1.5 * cell, "leaves: −", ha="center", weight="bold")
    sheet.text(left + 2.5 * cell, y + 4 * cell, "20 cells stay", ha="center")
    sheet.text(left + 2.5 * cell, y + 6.5 * cell, "enters: +", ha="center", weight="bold")
    sheet.arrow(x + 7.6 * cell, y + 2.5 * cell, x + 7.6 * cell, y + 5.5 * cell, INK, 2, head=12)
    # the ring of row sums
    rx, ry = 400, 96
    sheet.text(rx, 80, "what a thread keeps, in registers", weight="bold")
    names = ["row y − 2", "row y − 1", "row y", "row y + 1", "row y + 2", "row y + 3"]
    for number, name in enumerate(names):
        fill_of = tint(RED, 0.4) if number == 0 else tint(GREEN, 0.5) if number == 5 else \
            tint(SKY, 0.35)
        sheet.box(rx, ry + number * 40, 150, 32, fill_of, GREY, 0.8, f"sum of {name}")
    sheet.frame(rx - 6, ry - 5, 162, 5 * 40 + 2, RED, 1.6, "--")
    sheet.frame(rx - 11, ry + 35, 172, 5 * 40 + 4, GREEN, 1.6)
    sx = 630
    sheet.box(sx, ry + 24, 176, 36, "white", RED, 1.6, "window around row y")
    sheet.box(sx, ry + 176, 176, 36, "white", GREEN, 1.6, "window around row y + 1")
    sheet.arrow(sx + 88, ry + 62, sx + 88, ry + 172, INK, 1.6)
    sheet.arrow(rx + 150, ry + 16, sx + 84, ry + 104, RED, 1.5, bend=-0.15)
    sheet.arrow(rx + 150, ry + 216, sx + 84, ry + 134, GREEN, 1.5, bend=0.2)
    sheet.text(sx + 98, ry + 104, "− row y − 2", colour=RED)
    sheet.text(sx + 98, ry + 132, "+ row y + 3", colour=GREEN)
    sheet.text(rx - 11, ry + 6 * 40 + 24, "A row sum is itself slid: along the row one word "
               "enters, one leaves.\nSix places: a row enters where none leaves.", colour=NOTE,
               va="top")
    sheet.text(40, ry + 9 * cell + 12, "Instead of 25 additions a cell: one addition and\none "
               "subtraction along the row, and one of each\ndown the rows.", colour=NOTE, va="top")
    return sheet


def bit_planes():
    sheet = Canvas(576, "Bit planes: 480 cells in 64 bytes",
                   "A plane holds one yes or no for each of 480 columns: \"this cell is a 7\". Its "
                   "bytes are arranged so that the neighbour to the right",
                   "of every column is the same bit of the next byte. Bit b of byte j is column "
                   "60 b + j - 2.")
    x, y, cell, high = 74, 112, 50, 22
    bytes_shown = [0, 1, 2, 3, 4, None, 30, 31, None, 61, 62, 63]
    for place, byte in enumerate(bytes_shown):
        sheet.text(x + place * cell + cell / 2, y - 10, "..." if byte is None else
                   f"byte {byte}" if place == 0 else str(byte), ha="center", colour=NOTE)
    for bit in range(8):
        sheet.text(x - 8, y + bit * high + high / 2, f"bit {bit}", ha="right", colour=NOTE)
        for place, byte in enumerate(bytes_shown):
            if byte is None:
                sheet.text(x + place * cell + cell / 2, y + bit * high + high / 2, "...",
                           ha="center", colour=NOTE)
                continue
            column = 60 * bit + byte - 2
            outer = not 2 <= byte < 62
            sheet.box(x + place * cell, y + bit * high, cell, high, FAINT if outer else
                      tint(SKY, 0.35), GREY, 0.5, str(column), GREY if outer else INK)
    sheet.frame(x + 6 * cell, y, cell, 8 * high, BLUE, 2)
    sheet.frame(x + 7 * cell, y, cell, 8 * high, ORANGE, 2)
    sheet.text(x + 12 * cell + 12, y + 20, "blue: eight\ncolumns", colour=BLUE)
    sheet.text(x + 12 * cell + 12, y + 66, "orange: their\nneighbours, one\nbyte further on",
               colour=ORANGE)
    sheet.text(x + 12 * cell + 12, y + 132, "grey: belongs to\nthe lane before\nor after",
               colour=GREY)
    # the adders
    top = 330
    sheet.line(12, top - 12, PIXELS - 12, top - 12, PALE, 1)
    sheet.text(12, top + 8, "Counting across. Five loads of the plane, one byte apart, are the "
               "five cells of a row of each window. Full adders, two instructions each,",
               colour=NOTE)
    sheet.text(12, top + 25, "add one bit of 512 cells at a time. The digits of 480 counts come "
               "out.", colour=NOTE)
    px, py = 30, top + 56
    for number in range(5):
        sheet.box(px, py + number * 30, 116, 24, tint(SKY, 0.35), GREY, 0.8,
                  f"plane + {number} byte" + ("" if number == 1 else "s"))
    a, b = 250, 420
    sheet.box(a, py + 8, 96, 56, tint(BLUE, 0.3), BLUE, 1.2, "full adder")
    sheet.box(b, py + 74, 96, 56, tint(BLUE, 0.3), BLUE, 1.2, "full adder")
    for number in range(3):
        sheet.arrow(px + 118, py + 12 + number * 30, a - 2, py + 22 + number * 14)
    sheet.arrow(a + 98, py + 50, b - 2, py + 88)
    sheet.text(a + 118, py + 78, "sum", ha="right")
    sheet.arrow(px + 118, py + 102, b - 2, py + 104)
    sheet.arrow(px + 118, py + 132, b - 2, py + 120)
    hx = 590
    sheet.box(hx, py + 4, 96, 56, tint(ORANGE, 0.3), ORANGE, 1.2, "half adder")
    sheet.arrow(a + 98, py + 22, hx - 2, py + 22)
    sheet.text(a + 112, py + 12, "carry")
    sheet.arrow(b + 98, py + 90, hx - 2, py + 46)
    sheet.text(b + 104, py + 64, "carry", ha="left")
    for line, (source, words) in enumerate((((hx + 98, py + 18), "digit of 4"),
                                            ((hx + 98, py + 46), "digit of 2"),
                                            ((b + 98, py + 116), "digit of 1"))):
        ty = (py + 18, py + 46, py + 116)[line]
        sheet.arrow(*source, 728, ty)
        sheet.text(734, ty, words, weight="bold")
    sheet.text(px, py + 166, "Down the rows: count += across(this row) - across(five rows ago), by "
               "the same adders, five digits.", colour=NOTE)
    return sheet


DIAGRAMS = (threads_v0, tile_v9, prefix_v13, split_v14, local_memory, packed_word, bit_planes,
            transpose_tile, reduction_tree, sliding_window, *diagrams_methods.DIAGRAMS)


def draw_all(png=None):
    """Draws all diagrams; returns their names."""
    for diagram in DIAGRAMS:
        name = diagram.__name__
        figure = diagram().figure
        for artist in figure.axes[0].get_children():
            artist.set_clip_on(False)  # the sheet ends where the picture does
        save(figure, ROOT / "results" / "diagrams" / f"{name}.svg", png)
    return [diagram.__name__ for diagram in DIAGRAMS]


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--png":
        print(" ".join(draw_all(arguments[1])))
    elif not arguments:
        print(" ".join(draw_all()))
    else:
        wanted = arguments == ["--help"]
        print(__doc__, file=sys.stdout if wanted else sys.stderr)
        return 0 if wanted else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
