"""The diagrams of the library's methods: ranks, packed histograms, box sums, the certificate."""

from canvas import NOTE, PIXELS, Canvas
from figure import BLUE, FAINT, GREEN, GREY, INK, NORMAL, ORANGE, PALE, PURPLE, RED, SKY, tint

COLOURS = {"a": SKY, "b": ORANGE, "c": GREEN}


def ranks_of(cells):
    """The number of equal cells before each, row by row."""
    return [cells[:place].count(cell) for place, cell in enumerate(cells)]


def window(sheet, x, y, side, words, cells):
    """3x3 cells in the colours of their levels, with a word in each."""
    for place, (word, cell) in enumerate(zip(words, cells)):
        sheet.box(x + place % 3 * side, y + place // 3 * side, side, side,
                  tint(COLOURS[cell], 0.4), GREY, 0.7, str(word), size=NORMAL)
    sheet.frame(x, y, 3 * side, 3 * side)


def ranks_window():
    sheet = Canvas(312, "Ranks: the equal cells before each cell",
                   "\"Before\" is row by row, from the left. A level with n cells has the ranks 0 to "
                   "n - 1, wherever its cells lie.",
                   "So a sum of w[rank] over the window depends on nothing but the counts.")
    side, y = 40, 112
    cells = list("abacbaaca")
    ranks = ranks_of(cells)
    sheet.text(24, y - 16, "levels", weight="bold")
    window(sheet, 24, y, side, cells, cells)
    sheet.arrow(156, y + 60, 186, y + 60)
    sheet.text(200, y - 16, "ranks", weight="bold")
    window(sheet, 200, y, side, ranks, cells)
    sheet.arrow(332, y + 60, 362, y + 60)
    x = 376
    sheet.text(x, y - 16, "the same ranks by level", weight="bold")
    for row, level in enumerate("abc"):
        count = cells.count(level)
        top = y + row * 44
        sheet.box(x, top, 34, 32, tint(COLOURS[level], 0.75), GREY, 0.7, level, size=NORMAL)
        for rank in range(count):
            sheet.box(x + 44 + rank * 34, top, 34, 32, tint(COLOURS[level], 0.4), GREY, 0.7,
                      str(rank), size=NORMAL)
        sheet.text(x + 232, top + 16, f"n = {count}:  " +
                   ("w[0] + ... + w[4]" if count == 5 else "w[0] + w[1]"))
    sheet.text(24, y + 148, "With w[n] = F(n + 1) - F(n) the sum of a level telescopes to F(n): the "
               "sum over all cells is S, and H = log N - S / N.", va="top")
    sheet.text(24, y + 168, "With other weights, small integers, the sum is a short name of the "
               "counts, and a table has the result.", va="top")
    return sheet


def ranks_shared():
    sheet = Canvas(410, "One chain of compares serves three windows",
                   "Windows of 3x3. The cell x is compared with five cells of the row above: "
                   "2 w - 1 of them, from the left, and the hits are added up.",
                   "Each of the three windows that hold x in this row wants three of the five. It "
                   "takes a difference of two sums.")
    side, left, top = 46, 60, 104
    above = ["x", "y", "x", "x", "z"]
    hits = [1, 1, 2, 3, 3]
    sheet.text(left, top - 14, "the row above", colour=NOTE)
    for place, level in enumerate(above):
        sheet.box(left + place * side, top, side, side, tint(SKY, 0.5) if level == "x" else "white",
                  GREY, 0.7, level, size=NORMAL)
    sheet.box(left + 2 * side, top + side, side, side, tint(BLUE, 0.6), INK, 1.2, "x", size=NORMAL)
    for place in (0, 1):
        sheet.box(left + place * side, top + side, side, side, FAINT, PALE, 0.7)
        sheet.box(left + (3 + place) * side, top + side, side, side, FAINT, PALE, 0.7)
    y = top + 2 * side + 40
    sheet.text(left, y - 14, "equal so far", colour=NOTE)
    for place, count in enumerate(hits):
        sheet.box(left + place * side, y, side, 34, "white", GREY, 0.7, str(count), size=NORMAL)
        if place:
            sheet.arrow(left + place * side - 7, y + 46, left + place * side + 9, y + 46, GREY)
    sheet.text(left, y + 66, "5 compares and 5 additions, once;\nwithout sharing 3 windows x 3 "
               "= 9 of each", colour=NOTE, va="top")
    x, step = 380, 108
    chosen = ((2, "x is in the third column", 2, 0), (1, "x is in the second column", 3, 1),
              (0, "x is in the first column", 3, 1))
    for row, (column, words, until, before) in enumerate(chosen):
        begin, at = 2 - column, top - 8 + row * step
        colour = (BLUE, PURPLE, RED)[row]
        for place, level in enumerate(above):
            inside = begin <= place < begin + 3
            sheet.box(x + place * 30, at, 30, 30, tint(colour, 0.25) if inside else "white",
                      PALE, 0.7, level, INK if inside else GREY)
            sheet.box(x + place * 30, at + 30, 30, 30,
                      tint(BLUE, 0.6) if place == 2 else tint(colour, 0.25) if inside else "white",
                      PALE, 0.7, "x" if place == 2 else "")
        sheet.frame(x + begin * 30, at, 90, 60, colour)
        sheet.text(x + 172, at + 14, words, colour=colour, weight="bold")
        sheet.text(x + 172, at + 34, f"equal above: {until} - {before} = {until - before}")
        sheet.text(x + 172, at + 54, "and those to its left in its own row" if column else
                   "nothing is to its left", colour=NOTE)
    return sheet


def packed_histogram():
    sheet = Canvas(556, "Packed histograms: two pairs of windows in one word a level",
                   "Windows beside each other share most of their cells. The word of a level holds "
                   "an index for each pair of them.",
                   "The index says how many cells of the level both windows have. It changes by an "
                   "addition, and it finds what both sums gain.")
    colours = (BLUE, ORANGE, GREEN, PURPLE)
    x, y, side, high = 150, 106, 50, 26
    for cell in range(8):
        sheet.text(x + cell * side + side / 2, y - 12, f"cell {cell}", ha="center", colour=NOTE,
                   weight="bold" if cell == 2 else "normal")
    for number, colour in enumerate(colours):
        sheet.text(x - 14, y + number * 32 + high / 2, f"window {number}", colour=colour,
                   ha="right", weight="bold")
        for cell in range(number, number + 5):
            sheet.box(x + cell * side, y + number * 32, side, high, tint(colour, 0.4), GREY, 0.7)
    sheet.frame(x + 2 * side, y - 3, side, 4 * 32)
    base = y + 4 * 32 + 6
    for begin, end, words in ((0, 3, "head: enters some"), (3, 5, "body: enters all"),
                              (5, 8, "tail: enters some")):
        sheet.line(x + begin * side + 4, base, x + end * side - 4, base, INK, 1.4)
        sheet.text(x + (begin + end) * side / 2, base + 14, words, ha="center")
    sheet.text(x + 8 * side + 18, y + 64, "a row of five cells\nenters; each window\nis a cell "
               "further on", colour=NOTE)
    packed_words(sheet, x, 318, colours)
    return sheet


def packed_words(sheet, x, y, colours):
    """The word of level 7 before and after cell 2, and the two entries of the table."""
    width = 2 * PACKED_REACH + 1
    before, added = ((6, 7), (7, 8)), ((1, 1), (1, 0))
    after = [tuple(map(sum, zip(*pair))) for pair in zip(before, added)]

    def index(pair):
        return pair[0] * (width - 1) + pair[1]

    sheet.text(24, y - 22, f"Windows of 5x5: index = {width - 1} n + m, for counts n and m. Cell 2 "
               "has level 7 and enters windows 0, 1 and 2:", weight="bold")
    wide, high = 222, 28
    for row, (words, pairs) in enumerate((("word[7] before", before), ("+", added),
                                          ("word[7] after", after))):
        top = y + row * 36
        sheet.text(x - 14, top + 14, words, ha="right")
        for place, number in enumerate((1, 0)):  # pair 0 is in the lowest bits
            n, m = pairs[number]
            said = f"{index((n, m))}" if row == 1 else \
                f"n = {n}, m = {m}: index {index((n, m))}"
            sheet.box(x + place * wide, top, wide, high,
                      tint(colours[2 * number], 0.5 if row == 2 else 0.2), GREY, 0.7, said)
    for place, words in enumerate(("pair 1: windows 2 and 3", "pair 0: windows 0 and 1")):
        sheet.text(x + place * wide + wide / 2, y + 118, words, ha="center", colour=NOTE)
    for line, (number, words) in enumerate((
            (0, "F(7) - F(6) | F(8) - F(7)     is added to S of window 0 | S of window 1, at once"),
            (1, "F(8) - F(7) | F(9) - F(8)     the left half waits for the right half of a cell "
             "that enters window 3 only"))):
        top = y + 140 + line * 34
        sheet.text(x - 14, top + 14, f"entry {index(before[number])}", ha="right")
        sheet.text(x + 4, top + 14, words)
    sheet.text(24, y + 218, "One load, one addition and one store change the counts of all windows. "
               "Four indices of 16 bits fit a word of 64.", colour=NOTE)


def box_sums():
    sheet = Canvas(476, "Box sums of one level, window 9x9",
                   "The same steps for each level that the tile holds. Every box below is a byte; a "
                   "vector has 64 of them, so 64 windows advance together.")
    x, y, side, columns = 130, 76, 22, 27
    level = (3, 9, 15, 22, 23)
    gone = (3, 14, 22)
    for row, (words, marked, colour) in enumerate((("row that leaves", gone, RED),
                                                   ("row that enters", level, GREEN))):
        top = y + row * 40
        sheet.text(x - 12, top + side / 2, words, ha="right")
        sheet.grid(x, top, columns, 1, side, lambda column, _, marked=marked, colour=colour:
                   tint(colour, 0.55) if column in marked else "white", GREY, 0.5)
    sheet.text(x, y + 74, "marked: cells of this level. 2 compares; subtract and add under the mask",
               colour=NOTE)
    cy = y + 116
    sheet.arrow(x + columns * side / 2, y + 84, x + columns * side / 2, cy - 6)
    counts = [(place * 7 + place // 4) % 4 for place in range(columns)]
    sheet.text(x - 12, cy + side / 2, "columns of 9", ha="right")
    for place in range(columns):
        inside = 9 <= place < 18
        sheet.box(x + place * side, cy, side, side, tint(BLUE, 0.35) if inside else "white", GREY,
                  0.5, str(counts[place]))
    sheet.frame(x + 9 * side, cy, 9 * side, side, BLUE)
    gy = cy + 84
    sheet.text(x - 12, gy + side / 2, "groups of 3", ha="right")
    groups = [sum(counts[place:place + 3]) for place in range(columns - 2)]
    for place, count in enumerate(groups):
        chosen = place in (9, 12, 15)
        sheet.box(x + place * side, gy, side, side, tint(ORANGE, 0.5) if chosen else "white", GREY,
                  0.5, str(count))
        if chosen:
            for column in (place, place + 1, place + 2):
                sheet.line(x + (column + 0.5) * side, cy + side, x + (place + 0.5) * side, gy,
                           ORANGE, 1.1)
    sheet.text(x + 19 * side, cy + 53, "3 loads, 2 additions", colour=NOTE)
    by = gy + 84
    sheet.text(x - 12, by + side / 2, "windows", ha="right")
    for place in range(columns - 8):
        chosen = place == 9
        sheet.box(x + place * side, by, side, side, tint(PURPLE, 0.45) if chosen else "white", GREY,
                  0.5, str(sum(counts[place:place + 9])))
    for place in (9, 12, 15):
        sheet.line(x + (place + 0.5) * side, gy + side, x + 9.5 * side, by, PURPLE, 1.1)
    sheet.text(x + 19 * side, gy + 53, "3 loads, 2 additions", colour=NOTE)
    sheet.text(24, by + 50, "The count of the blue columns, nine of nine cells, is a sum of three "
               "groups: 6 loads a level instead of 81. A window of 31x31 takes 12.",
               colour=NOTE)
    sheet.text(24, by + 68, "The sum of G(count) over the levels follows, byte by byte of G, by look-ups "
               "of 64 at a time.", colour=NOTE)
    return sheet


def certificate():
    sheet = Canvas(470, "The certificate: do both ends of the error interval round alike?",
                   "A double is computed, and a bound of its error is known. The boundary between "
                   "two floats is the middle between them.",
                   "All numbers are of windows of 49 cells; a unit is one of a double's last place.")
    left, right = 90, PIXELS - 90
    middle = (left + right) / 2

    def axis(y, words, low="float below", high="float above"):
        sheet.text(12, y - 62, words, weight="bold")
        sheet.line(left, y, right, y, INK, 1.2)
        for place, name in ((left, low), (right, high)):
            sheet.line(place, y - 12, place, y + 12, INK, 2)
            sheet.text(place, y + 24, name, ha="center")
        sheet.line(middle, y - 30, middle, y + 14, RED, 1.6, "--")
        sheet.text(middle, y + 24, "boundary", ha="center", colour=RED)

    y = 150
    axis(y, "Nearly all windows: decided")
    place = left + 200
    sheet.box(place - 16, y - 9, 32, 18, tint(GREEN, 0.5), GREEN, 1.2, above=4)
    sheet.text(place, y - 24, "double, 24 units either way", ha="center", colour=GREEN)
    sheet.arrow(place - 22, y - 44, left + 8, y - 16, GREEN, bend=0.12)
    sheet.text(middle + 12, y - 24, "268 435 456 units from float to boundary", colour=NOTE)
    y = 280
    axis(y, "Around the boundary, enlarged: counts 18, 10, 3, 2, 2 and fourteen times 1",
         "40 units below", "40 units above")
    unit = (right - left) / 80
    centre = middle + OFFSET * unit
    sheet.box(centre - 24 * unit, y - 9, 48 * unit, 18, tint(ORANGE, 0.45), ORANGE, 1.2, above=2)
    sheet.line(centre, y - 9, centre, y + 9, INK, 2)
    sheet.text(middle + 12, y - 24, "the double is 11 units off, by up to 24 wrong: undecided")
    y = 410
    axis(y, "The second look: the window is counted again, with 104 bits of fraction",
         "40 units below", "40 units above")
    sheet.line(centre, y - 10, centre, y + 10, GREEN, 2.4)
    sheet.text(centre, y - 24, "too narrow to draw: decided", ha="center", colour=GREEN)
    return sheet


PACKED_REACH = 6  # of 5x5: five runs and one, methods/histogram/pair_steps.cpp
OFFSET = -11  # units from the boundary to the double of the second and third line
DIAGRAMS = (ranks_window, ranks_shared, packed_histogram, box_sums, certificate)
