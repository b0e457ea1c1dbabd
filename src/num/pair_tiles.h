/* The loops of pair_update.c over four columns of a matrix, in vectors of WIDTH numbers; included once for each WIDTH.
 * NAME(x): the name of function x. WHERE: its attributes. The order of sums does not depend on WIDTH. */

typedef double NAME(part) __attribute__((vector_size(WIDTH * sizeof(double)), aligned(8), may_alias));
#define PART NAME(part)
#define AT(x) (*(const PART *)(x))
#define TO(x) (*(PART *)(x))
#define EACH_PART for (size_t p = 0; p < ROWS / WIDTH; p++)
#define EACH_COLUMN for (size_t k = 0; k < COLUMNS; k++)

/* y += the tile b times x4 */
#define ADD_ROWS(y)                                                                                     \
    EACH_PART TO((y) + p * WIDTH) += (b[0][p] * x0 + b[1][p] * x1) + (b[2][p] * x2 + b[3][p] * x3);

#define READ_TILE(i)                                                                                    \
    PART b[COLUMNS][ROWS / WIDTH];                                                                      \
    EACH_COLUMN EACH_PART b[k][p] = AT(a + k * ld + (i) + p * WIDTH);

/* Takes the pairs from the tile at row i. */
#define UPDATE_TILE(i)                                                                                  \
    for (size_t j = 0; j < VECTORS; j++) {                                                              \
        PART v[ROWS / WIDTH];                                                                           \
        EACH_PART v[p] = AT(u + j * ld + (i) + p * WIDTH);                                              \
        EACH_COLUMN EACH_PART b[k][p] -= v[p] * other[j][k];                                            \
    }                                                                                                   \
    EACH_COLUMN EACH_PART TO(a + k * ld + (i) + p * WIDTH) = b[k][p];

#define ADD_COLUMNS(i) EACH_COLUMN EACH_PART sum[k][p] += b[k][p] * AT(x + (i) + p * WIDTH);

#define START                                                                                           \
    double x0 = x4[0], x1 = x4[1], x2 = x4[2], x3 = x4[3];                                              \
    PART sum[COLUMNS][ROWS / WIDTH] = {{{0}}};

#define FINISH                                                                                          \
    EACH_COLUMN {                                                                                       \
        double s[ROWS];                                                                                 \
        EACH_PART TO(s + p * WIDTH) = sum[k][p];                                                        \
        below[k] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));                   \
    }

WHERE static void NAME(product)(size_t rows, const double *a, size_t ld, const double *x4, const double *x, double *y,
                                double *below)
{
    START
    {
        READ_TILE(0)
        ADD_ROWS(y)
    }
    for (size_t i = ROWS; i < rows; i += ROWS) {
        READ_TILE(i)
        ADD_ROWS(y + i)
        ADD_COLUMNS(i)
    }
    FINISH
}

WHERE static void NAME(update)(size_t rows, double *a, size_t ld, const double *u, double (*other)[COLUMNS],
                               const double *x4, const double *x, double *y, double *below)
{
    START
    {
        READ_TILE(0)
        UPDATE_TILE(0)
        ADD_ROWS(y)
    }
    for (size_t i = ROWS; i < rows; i += ROWS) {
        READ_TILE(i)
        UPDATE_TILE(i)
        ADD_ROWS(y + i)
        ADD_COLUMNS(i)
    }
    FINISH
}

#undef PART
#undef AT
#undef TO
#undef EACH_PART
#undef EACH_COLUMN
#undef ADD_ROWS
#undef READ_TILE
#undef UPDATE_TILE
#undef ADD_COLUMNS
#undef START
#undef FINISH
#undef WIDTH
#undef NAME
#undef WHERE
