/* The worked example of data/README.md: 4x4 cells, 5x5 windows, natural logarithms; the floats that
   are nearest to the true entropies. */
#ifndef WORKED_H
#define WORKED_H

static const unsigned char kCells[16] = {1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6, 4, 5, 6, 7};
static const float kEntropies[16] = {
    1.52295506f, 1.70455146f, 1.70455146f, 1.52295506f, /* the corners see nine cells */
    1.70455146f, 1.84074879f, 1.84074879f, 1.70455146f, /* the middle sees all sixteen */
    1.70455146f, 1.84074879f, 1.84074879f, 1.70455146f, /**/
    1.52295506f, 1.70455146f, 1.70455146f, 1.52295506f};

#endif
