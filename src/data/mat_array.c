/* Arrays to columns: numbers, sparse numbers, and texts, one per row of a char array. Arrays are stored by columns. */
#include <string.h>
#include "base/format.h"
#include "data/csv.h"
#include "data/gather.h"
#include "data/join.h"
#include "data/mat.h"

/* ---- the table ---- */

/* Names and headers of columns count, too: a sparse array may have very many that are empty. */
static int fits(const struct tamis_mat *m, const char *name, size_t rows, size_t columns)
{
    enum { PER_COLUMN = sizeof(struct tamis_data_column) + 64 };
    char what[120];
    tamis_snprintf(what, sizeof what, "variable '%.60s' as columns", name);
    double bytes = (8 * (double)rows + PER_COLUMN) * (double)columns;
    return bytes > 1e6 ? tamis_memory_check(m->cx, bytes, what, "save fewer of them, or raise --memory") : TAMIS_OK;
}

int tamis_mat_columns(const struct tamis_mat *m, const char *name, size_t rows, size_t columns, tamis_table **out)
{
    char made[1100];
    int status = fits(m, name, rows, columns);
    *out = status ? NULL : tamis_table_sized(m->cx, m->file, rows, columns);
    if (!*out) return tamis_status(m->cx);
    for (size_t j = 0; j < columns && !status; j++) {
        tamis_join_name(name, columns == 1, j, made, sizeof made);
        (*out)->column[j].name = tamis_column_name(m->cx, made, strlen(made), j + 1);
        status = tamis_status(m->cx);
    }
    if (!status) return TAMIS_OK;
    tamis_table_free(*out);
    *out = NULL;
    return status;
}

/* ---- numbers ---- */

static int read_numbers(const struct tamis_mat *m, const struct tamis_mat_array *a, const struct tamis_mat_element *e,
                        const char *name, tamis_table **out)
{
    size_t size = tamis_mat_size(e->type), rows = a->rows == 1 ? a->columns : a->rows,
           columns = a->rows == 1 ? 1 : a->columns;
    if (!size || e->data.n / size / rows < columns || e->data.n != rows * columns * size)
        return tamis_mat_damaged(m, "an array does not have as many numbers as its dimensions say");
    int status = tamis_mat_columns(m, name, rows, columns, out);
    for (size_t j = 0; j < columns && !status; j++) {
        tamis_mat_numbers(m, e, j * rows, rows, (*out)->column[j].value);
        status = tamis_check_cancel(m->cx);
    }
    return status;
}

/* ---- sparse numbers: rows ir and values v, those of column j from jc[j] to jc[j + 1] ---- */

struct sparse { struct tamis_mat_element ir, jc, v; size_t least; };

static int sparse_parts(const struct tamis_mat *m, struct tamis_mat_array *a, struct sparse *s)
{
    int status = tamis_mat_next(m, &a->rest, &s->ir);
    if (!status) status = tamis_mat_next(m, &a->rest, &s->jc);
    if (!status) status = tamis_mat_next(m, &a->rest, &s->v);
    if (status) return status;
    size_t size = tamis_mat_size(s->v.type), rows = s->ir.data.n / 4;
    if (s->ir.type != TAMIS_MAT_INT32 || s->jc.type != TAMIS_MAT_INT32 || !size ||
        s->jc.data.n / 4 != a->columns + 1)
        return tamis_mat_damaged(m, "a sparse array has no places for its numbers");
    s->least = s->v.data.n / size < rows ? s->v.data.n / size : rows;
    return TAMIS_OK;
}

static int sparse_column(const struct tamis_mat *m, const struct tamis_mat_array *a, const struct sparse *s, size_t j,
                         tamis_table *t)
{
    size_t from = tamis_mat_u32(m, s->jc.data.p + 4 * j), end = tamis_mat_u32(m, s->jc.data.p + 4 * (j + 1));
    if (from > end || end > s->least) return tamis_mat_damaged(m, "a column of a sparse array is outside of it");
    for (size_t k = from; k < end; k++) {
        size_t i = tamis_mat_u32(m, s->ir.data.p + 4 * k);
        if (i >= a->rows) return tamis_mat_damaged(m, "a number of a sparse array is outside of it");
        double *to = a->rows == 1 ? &t->column[0].value[j] : &t->column[j].value[i];
        tamis_mat_numbers(m, &s->v, k, 1, to);
    }
    return TAMIS_OK;
}

static int read_sparse(const struct tamis_mat *m, struct tamis_mat_array *a, const char *name, tamis_table **out)
{
    struct sparse s;
    int row = a->rows == 1, status = sparse_parts(m, a, &s);
    if (!status) status = tamis_mat_columns(m, name, row ? a->columns : a->rows, row ? 1 : a->columns, out);
    for (size_t j = 0; j < a->columns && !status; j++) status = sparse_column(m, a, &s, j, *out);
    return status;
}

/* ---- texts ---- */

static size_t utf8_code(const unsigned char *p, size_t n, uint32_t *code)
{
    static const unsigned char mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    char head[5] = {0};
    memcpy(head, p, n < 4 ? n : 4);
    size_t length = *p ? tamis_utf8_length(head) : 1;
    if (!length) length = 1;
    *code = *p & (length == 1 ? 0xFF : mask[length]);           /* a byte that is not UTF-8 is taken as Latin-1 */
    for (size_t k = 1; k < length; k++) *code = *code << 6 | (p[k] & 0x3F);
    return length;
}

/* The codes of all characters; *n: how many. tamis_free. */
static uint32_t *codes_of(const struct tamis_mat *m, const struct tamis_mat_element *e, size_t *n)
{
    size_t size = e->type == TAMIS_MAT_UTF8 ? 1 : tamis_mat_size(e->type), most = size ? e->data.n / size : 0;
    uint32_t *code = tamis_raw(m->cx, uint32_t, most + 1);
    *n = 0;
    if (!code) return NULL;
    for (size_t i = 0; i < most; ++*n) {
        double x = 0;
        if (e->type == TAMIS_MAT_UTF8) {
            i += utf8_code(e->data.p + i, e->data.n - i, &code[*n]);
            continue;
        }
        tamis_mat_numbers(m, e, i++, 1, &x);
        code[*n] = x >= 0 && x < 0x110000 ? (uint32_t)x : 0xFFFD;
    }
    return code;
}

/* Characters `step` apart; halves of pairs join, blanks and zeros at the end go. `to` has room for 4 width. */
static size_t text_of(const uint32_t *code, size_t step, size_t width, char *to)
{
    char *end = to;
    while (width && (code[(width - 1) * step] == ' ' || !code[(width - 1) * step])) width--;
    for (size_t k = 0; k < width; k++) {
        uint32_t c = code[k * step], low = k + 1 < width ? code[(k + 1) * step] : 0;
        if (c >= 0xD800 && c < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            k++;
        }
        end = tamis_utf8_put(end, c ? c : 0xFFFD);
    }
    return (size_t)(end - to);
}

int tamis_mat_texts(const struct tamis_mat *m, const struct tamis_mat_array *a, const struct tamis_mat_element *e,
                    int (*each)(void *arg, const char *s, size_t n), void *arg)
{
    size_t n;
    uint32_t *code = codes_of(m, e, &n);
    size_t width = a->rows == 1 ? n : a->columns;
    int status = TAMIS_OK;
    if (code && (a->rows > n || n / a->rows < width || n != width * a->rows) && n)
        status = tamis_mat_damaged(m, "a text is shorter or longer than its dimensions say");
    if (!n) width = 0;
    char *utf8 = code && !status ? tamis_raw(m->cx, char, 4 * width + 4) : NULL;
    for (size_t i = 0; i < a->rows && utf8 && !status; i++) {
        size_t length = text_of(code + i, a->rows, width, utf8);
        status = each(arg, utf8, length);
    }
    tamis_free(code);
    tamis_free(utf8);
    return status ? status : tamis_status(m->cx);
}

static const char *one_text(const void *from, size_t i, size_t *n)
{
    const struct tamis_mat_bytes *b = from;
    (void)i;
    *n = b->n;
    return b->n ? (const char *)b->p : NULL;
}

static int add_text(void *arg, const char *s, size_t n)
{
    struct tamis_mat_bytes b = {(const unsigned char *)s, n};
    struct tamis_piece piece = {.rows = 1, .from = &b, .text = one_text};
    return tamis_gather_add(arg, &piece);
}

static int read_chars(const struct tamis_mat *m, const struct tamis_mat_array *a, const struct tamis_mat_element *e,
                      const char *name, tamis_table **out)
{
    struct tamis_data_column made;
    if (a->rows > e->data.n) return tamis_mat_damaged(m, "a text is shorter or longer than its dimensions say");
    int status = tamis_mat_columns(m, name, a->rows, 1, out);
    if (status) return status;
    struct tamis_gather g = {.cx = m->cx, .name = (*out)->column[0].name};
    status = tamis_mat_texts(m, a, e, add_text, &g);
    if (!status) status = tamis_gather_end(&g, &made);
    if (!status) {
        tamis_data_column_free(&(*out)->column[0]);
        (*out)->column[0] = made;
    }
    tamis_gather_free(&g);
    return status;
}

/* ---- any array ---- */

/* Classes whose numbers or cells are read. */
static int is_known(const struct tamis_mat_array *a)
{
    return a->class == TAMIS_MAT_CELL || a->class == TAMIS_MAT_CHAR || a->class == TAMIS_MAT_SPARSE ||
           (a->class >= TAMIS_MAT_NUMBERS && a->class <= TAMIS_MAT_LAST_NUMBERS);
}

/* An object says its name, "MCOS" and its class. */
static void say_object(const struct tamis_mat *m, struct tamis_mat_array *a, struct tamis_mat_reason *why)
{
    struct tamis_mat_element system, class;
    char name[40] = "";
    if (a->class == TAMIS_MAT_OPAQUE && !tamis_mat_next(m, &a->rest, &system) && !tamis_mat_next(m, &a->rest, &class)) {
        size_t n = class.data.n < sizeof name ? class.data.n : sizeof name - 1;
        for (size_t i = 0; i < n; i++)
            name[i] = (char)(class.data.p[i] >= ' ' && class.data.p[i] < 127 ? class.data.p[i] : '?');
    }
    tamis_snprintf(why->what, sizeof why->what, "is a MATLAB object%s%s", *name ? " of class " : "", name);
    why->remedy = "save its columns as arrays, or use writetable";
}

static int is_refused(const struct tamis_mat *m, struct tamis_mat_array *a, struct tamis_mat_reason *why)
{
    why->remedy = "save a matrix, a vector or a cell array of texts";
    if (a->class == TAMIS_MAT_OPAQUE || a->class == TAMIS_MAT_OBJECT) say_object(m, a, why);
    else if (a->class == TAMIS_MAT_STRUCT) tamis_snprintf(why->what, sizeof why->what, "is an array of structs");
    else if (!is_known(a)) tamis_snprintf(why->what, sizeof why->what, "is not an array of numbers or texts");
    else if (a->complex) {
        tamis_snprintf(why->what, sizeof why->what, "is complex");
        why->remedy = "save its real and imaginary parts";
    } else if (a->dimensions != 2)
        tamis_snprintf(why->what, sizeof why->what, "has %zu dimensions", a->dimensions);
    else if (!a->rows || !a->columns) tamis_snprintf(why->what, sizeof why->what, "is empty");
    return *why->what != 0;
}

int tamis_mat_table(const struct tamis_mat *m, struct tamis_mat_array *a, const struct tamis_mat_element *e,
                    const char *name, tamis_table **out, struct tamis_mat_reason *why)
{
    struct tamis_mat_element next;
    int status = TAMIS_OK;
    *out = NULL;
    *why = (struct tamis_mat_reason){.remedy = NULL};
    if (is_refused(m, a, why)) return tamis_status(m->cx);
    if (a->class == TAMIS_MAT_CELL) return tamis_mat_cells(m, a, name, out, why);
    if (a->class == TAMIS_MAT_SPARSE) status = read_sparse(m, a, name, out);
    else {
        if (!e) status = tamis_mat_next(m, &a->rest, &next), e = &next;
        if (!status) status = a->class == TAMIS_MAT_CHAR ? read_chars(m, a, e, name, out)
                                                         : read_numbers(m, a, e, name, out);
    }
    if (!status) return TAMIS_OK;
    tamis_table_free(*out);
    *out = NULL;
    return status;
}
