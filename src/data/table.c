/* The table itself, its columns by name, and the table as CSV. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "base/number.h"
#include "base/text.h"
#include "data/dates.h"

/* ---- making and freeing ---- */

tamis_table *tamis_table_new(tamis_context *cx, const char *file)
{
    tamis_table *t = tamis_new(cx, tamis_table, 1);
    if (!t) return NULL;
    t->file = tamis_strdup(cx, file);
    if (t->file) return t;
    tamis_table_free(t);
    return NULL;
}

tamis_table *tamis_table_sized(tamis_context *cx, const char *file, size_t rows, size_t columns)
{
    tamis_table *t = tamis_table_new(cx, file);
    if (!t) return NULL;
    t->rows = rows;
    t->column = tamis_new(cx, struct tamis_data_column, columns);
    if (t->column) t->columns = columns;
    size_t made = 0;
    while (made < t->columns && (t->column[made].value = tamis_new(cx, double, rows))) made++;
    if (t->column && made == columns) return t;
    tamis_table_free(t);
    return NULL;
}

void tamis_data_column_free(struct tamis_data_column *c)
{
    tamis_strings_free(c->level, c->levels);
    if (!c->borrowed) tamis_free(c->value);
    if (c->texts) tamis_text_free(&c->texts->text), tamis_free(c->texts->end);
    tamis_free(c->texts);
    tamis_free(c->name);
    tamis_free(c->units);
}

void tamis_table_free(tamis_table *t)
{
    if (!t) return;
    for (size_t j = 0; j < t->columns; j++) tamis_data_column_free(&t->column[j]);
    tamis_free(t->column);
    tamis_free(t->origin);
    tamis_free(t->cleaned);
    tamis_free(t->file);
    tamis_free(t);
}

size_t tamis_table_rows(const tamis_table *t) { return t->rows; }
size_t tamis_table_columns(const tamis_table *t) { return t->columns; }

const char *tamis_table_name(const tamis_table *t, size_t column) { return t->column[column].name; }

void tamis_table_column(const tamis_table *t, size_t column, tamis_column *out)
{
    const struct tamis_data_column *c = &t->column[column];
    *out = (tamis_column){.size = sizeof *out, .name = c->name, .value = c->value, .format = TAMIS_F64};
    out->stride = sizeof(double);
    out->level = (const char *const *)c->level;
    out->levels = c->levels;
    out->unit = c->date ? 1 : 0;
}

const size_t *tamis_table_cleaned(const tamis_table *t) { return t->cleaned; }

size_t tamis_table_find(const tamis_table *t, const char *name)
{
    size_t number = 0;
    for (size_t j = 0; j < t->columns; j++)
        if (!strcmp(t->column[j].name, name)) return j;
    for (const char *c = name; *c; c++) {
        if (*c < '0' || *c > '9' || number > t->columns) return t->columns;
        number = 10 * number + (size_t)(*c - '0');
    }
    return number >= 1 && number <= t->columns ? number - 1 : t->columns;
}

/* ---- CSV ---- */

static int needs_quotes(const char *s, size_t n)
{
    if (!n || s[0] == ' ' || s[n - 1] == ' ' || s[n - 1] == '\t') return 1;
    for (size_t i = 0; i < n; i++)
        if (s[i] && strchr(",;\t|\"\r\n", s[i])) return 1;
    return 0;
}

/* Whether a first line that begins with this name could be taken for something else than names: a comment, sep=;, the
 * beginning of a file of another format. */
static int is_ambiguous(const char *s)
{
    unsigned char c = (unsigned char)*s;
    double x;
    if (tamis_number_whole(s, strlen(s), '.', &x)) return 1;            /* nan above rows that read as LIBSVM */
    if (c < 0x80 ? !isalpha(c) && c != '_' : c == 0xEF) return 1;       /* 0xEF: a byte order mark */
    return !strncmp(s, "sep=", 4) || !strncmp(s, "MATLAB ", 7) || strchr(s, ':');      /* nan 3:1 begins LIBSVM */
}

static void put_quoted(struct tamis_text *out, const char *s, size_t n)
{
    tamis_text_puts(out, "\"");
    for (size_t i = 0; i < n; i++) tamis_text_add(out, s[i] == '"' ? "\"\"" : s + i, s[i] == '"' ? 2 : 1);
    tamis_text_puts(out, "\"");
}

void tamis_csv_put(struct tamis_text *out, const char *s, size_t n, const char *before)
{
    tamis_text_puts(out, before);
    if (needs_quotes(s, n)) put_quoted(out, s, n);
    else tamis_text_add(out, s, n);
}

static void add_text(struct tamis_text *out, const char *s) { tamis_csv_put(out, s, strlen(s), ""); }

/* A value and the character behind it. */
static void add_value(struct tamis_text *out, const struct tamis_data_column *c, double x, char after)
{
    char cell[40], *end = cell;
    if (x == x && c->date) add_text(out, tamis_date_text(x, c->date, cell));
    else if (x == x && c->type == TAMIS_NUMBER) end = tamis_number_write(x, cell);
    else if (x >= 0 && x < (double)c->levels) add_text(out, c->level[(size_t)x]);
    *end++ = after;
    tamis_text_add(out, cell, (size_t)(end - cell));
}

int tamis_table_csv(tamis_context *cx, const tamis_table *t, char **text, size_t *length)
{
    TAMIS_CALL(cx);
    struct tamis_text out = {.cx = cx};
    for (size_t j = 0; j < t->columns; j++) {
        const char *name = t->column[j].name;
        if (!j && is_ambiguous(name)) put_quoted(&out, name, strlen(name));
        else add_text(&out, name);
        tamis_text_puts(&out, j + 1 < t->columns ? "," : "\n");
    }
    for (size_t i = 0; i < t->rows && !out.failed; i++)
        for (size_t j = 0; j < t->columns; j++) {
            double x = t->column[j].value[i];
            if (t->columns == 1 && isnan(x)) tamis_text_puts(&out, "NA"); /* an empty line would not count as a row */
            add_value(&out, &t->column[j], x, j + 1 < t->columns ? ',' : '\n');
        }
    return tamis_text_take(&out, text, length);
}
