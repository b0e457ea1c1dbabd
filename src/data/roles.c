/* Roles of columns. A column that tells rows apart, or says when they were taken, predicts well within one table and
 * nothing beyond it; so it is an input only if the user says so. */
#include <math.h>
#include <string.h>
#include <strings.h>
#include "base/text.h"
#include "data/bits.h"
#include "data/dates.h"
#include "data/design.h"
#include "data/names.h"

enum { FEWEST_ROWS = 8, FEW_LEVELS = 100, MANY_LEVELS = 1000, ROWS_PER_LEVEL = 20, SHOWN = 4 };
static const double nearly_all = 0.95;  /* share of different texts in a column of identifiers */

static const char not_unique[] = "more levels than rows can tell apart";

const char *tamis_role_name(int role)
{
    static const char *const names[] = {"input", "target", "ignored", "identifier", "date", "many-levels", "weight",
                                        "constant", "duplicate"};
    return names[role];
}

/* ---- options ---- */

#define ROW(name, type, field) {name, type, offsetof(struct tamis_roles, field), NULL, 0, 0, NULL, NULL, "", NULL}
static const struct tamis_option rows[] = {
    ROW("target", TAMIS_TEXT, target), ROW("groups", TAMIS_TEXT, group), ROW("dates", TAMIS_TEXT, dates_word),
    ROW("time", TAMIS_TEXT, time), ROW("row-weights", TAMIS_TEXT, weight),
    ROW("inputs", TAMIS_NAMES, inputs), ROW("ignore", TAMIS_NAMES, ignore), ROW("keep", TAMIS_NAMES, keep),
    ROW("must", TAMIS_NAMES, must), {0}};

int tamis_roles_read(tamis_context *cx, const tamis_options *o, struct tamis_roles *r)
{
    return tamis_options_read(cx, o, rows, r);
}

int tamis_roles_dates(const struct tamis_roles *r)
{
    if (!r->dates_word || !strcmp(r->dates_word, "ignore")) return TAMIS_DATES_IGNORE;
    return strcmp(r->dates_word, "parts") ? TAMIS_DATES_NUMERIC : TAMIS_DATES_PARTS;
}

/* ---- what a column looks like ---- */

static size_t present(const struct tamis_data_column *c, size_t n)
{
    size_t seen = 0;
    for (size_t i = 0; i < n; i++) seen += !isnan(c->value[i]);
    return seen;
}

static int is_constant(const struct tamis_data_column *c, size_t n)
{
    double first = NAN;
    for (size_t i = 0; i < n; i++) {
        if (isnan(c->value[i])) continue;
        if (isnan(first)) first = c->value[i];
        if (c->value[i] != first) return 0;
    }
    return 1;
}

/* Whole numbers a + b row. */
static int counts_rows(const struct tamis_data_column *c, size_t n)
{
    double first = c->value[0], step = n > 1 ? c->value[1] - first : 0;
    if (n < FEWEST_ROWS || step == 0 || isnan(step) || first != floor(first) || step != floor(step)) return 0;
    for (size_t i = 1; i < n; i++)
        if (c->value[i] != first + step * (double)i) return 0;
    return 1;
}

static int ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && !strcmp(s + n - m, end);
}

static int named_as_index(const struct tamis_data_column *c)
{
    static const char *const words[] = {"id", "index", "idx", "row", "rowid", "row_id", "rownumber", "row_number",
                                        "rownames", "nr", "no", "no.", "#", "uuid", "guid", "unnamed: 0"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strcasecmp(c->name, words[k])) return 1;
    return ends_in(c->name, "_id") || ends_in(c->name, "_ID") || ends_in(c->name, " id") || ends_in(c->name, " ID") ||
           ends_in(c->name, "Id") || ends_in(c->name, ".id") || ends_in(c->name, ".ID");
}

/* Whole numbers, no two alike, under a name that says so. */
static int is_index(tamis_context *cx, const tamis_table *t, size_t j)
{
    const struct tamis_data_column *c = &t->column[j];
    struct tamis_column_summary s;
    if (t->rows < FEWEST_ROWS || !(named_as_index(c) || (c->unnamed && !j))) return 0;
    for (size_t i = 0; i < t->rows; i++)
        if (c->value[i] != floor(c->value[i])) return 0;        /* NaN differs, too */
    return !tamis_column_summarise(cx, t, j, &s) && s.distinct == t->rows;
}

static const char *date_as(int date)
{
    return date == TAMIS_DATE_COMPACT   ? "a date as yyyymmdd"
           : date == TAMIS_DATE_SECONDS ? "a date in seconds since 1970"
           : date == TAMIS_DATE_MILLIS  ? "a date in milliseconds since 1970"
                                        : "a date";
}

/* The role that the values suggest, and why. */
static int looks_like(tamis_context *cx, const tamis_table *t, size_t j, const char **why)
{
    const struct tamis_data_column *c = &t->column[j];
    size_t n = c->type == TAMIS_CATEGORY ? present(c, t->rows) : 0;
    *why = NULL;
    if (c->date) return *why = date_as(c->date), TAMIS_ROLE_DATE;
    if (c->type == TAMIS_NUMBER && counts_rows(c, t->rows)) return *why = "counts the rows", TAMIS_ROLE_IDENTIFIER;
    if (c->type == TAMIS_NUMBER && is_index(cx, t, j)) return *why = "numbers the rows", TAMIS_ROLE_IDENTIFIER;
    if (n >= FEWEST_ROWS && c->levels == n) return *why = "another text in every row", TAMIS_ROLE_IDENTIFIER;
    if (n >= ROWS_PER_LEVEL && (double)c->levels >= nearly_all * (double)n)
        return *why = "another text in nearly every row", TAMIS_ROLE_IDENTIFIER;
    if (c->levels > FEW_LEVELS && (c->levels > MANY_LEVELS || c->levels * ROWS_PER_LEVEL > n))
        return *why = not_unique, TAMIS_ROLE_LEVELS;
    return TAMIS_ROLE_INPUT;
}

/* ---- what the user says ---- */

/* The target, or several separated by commas. */
static int targets_resolve(tamis_context *cx, const tamis_table *t, const char *text, char *const *name,
                           struct tamis_column_role *role)
{
    size_t whole = text ? tamis_table_find(t, text) : t->columns - 1, count = 0;
    if (whole < t->columns) {
        role[whole].target = text || !t->column[whole].date;
        return TAMIS_OK;
    }
    for (;; text++) {
        size_t n = strcspn(text, ",");
        char *one = tamis_strndup(cx, text, n);
        size_t j = one ? tamis_table_find(t, one) : 0;
        if (one && j == t->columns) tamis_names_unknown(cx, "target", one, t->file, name, t->columns);
        else if (one && role[j].target) tamis_fail(cx, TAMIS_USAGE, "--target: '%s' is named twice", one);
        else if (one) role[j].target = ++count;
        tamis_free(one);
        text += n;
        if (tamis_status(cx) || !*text) return tamis_status(cx);
    }
}

/* Exact names in --inputs, those of --keep, and those whose column or lag is in --must. */
static int kept_resolve(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r, char *const *name,
                        unsigned char *kept)
{
    int status = tamis_names_resolve(cx, "keep", &r->keep, t->file, name, t->columns, kept);
    for (size_t i = 0; i < r->inputs.count; i++) {
        size_t j = tamis_table_find(t, r->inputs.name[i]);
        if (j < t->columns) kept[j] = 1;
    }
    for (size_t i = 0; i < r->must.count; i++)
        for (size_t j = 0; j < t->columns; j++) {
            size_t n = strlen(name[j]);
            char after = strncmp(r->must.name[i], name[j], n) ? 'x' : r->must.name[i][n];
            kept[j] |= !after || after == '[';
        }
    return status;
}

static int ignored_resolve(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r, char *const *name,
                           unsigned char *ignored, unsigned char *named)
{
    char *group = (char *)r->group, *time = (char *)r->time, *weight = (char *)r->weight;
    struct tamis_names groups = {r->group != NULL, &group}, times = {time && strcmp(time, "none"), &time},
                       weights = {weight != NULL, &weight};
    int status = tamis_names_resolve(cx, "ignore", &r->ignore, t->file, name, t->columns, ignored);
    if (!status) status = tamis_names_resolve(cx, "groups", &groups, t->file, name, t->columns, ignored);
    if (!status) status = tamis_names_resolve(cx, "time", &times, t->file, name, t->columns, ignored);
    if (!status) status = tamis_names_resolve(cx, "row-weights", &weights, t->file, name, t->columns, ignored);
    if (!status) status = tamis_names_resolve(cx, "inputs", &r->inputs, t->file, name, t->columns, named);
    return status;
}

/* ---- both ---- */

/* Marks the column of the row weights, which is nothing else. */
static int weight_resolve(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r,
                          const unsigned char *kept, struct tamis_column_role *role)
{
    size_t j = r->weight ? tamis_table_find(t, r->weight) : t->columns;
    if (j == t->columns) return TAMIS_OK;
    if (role[j].target)
        return tamis_fail(cx, TAMIS_USAGE,
                          "--row-weights: '%s' is the target; name the column to predict with --target",
                          t->column[j].name);
    if (kept[j])
        return tamis_fail(cx, TAMIS_USAGE, "--row-weights: '%s' is also an input; name it once", t->column[j].name);
    role[j].role = TAMIS_ROLE_WEIGHT;
    return TAMIS_OK;
}

/* A target is an input only in a series, where its earlier values are known. */
static int role_set(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r, size_t j, int ignored,
                    int named, int kept, struct tamis_column_role *role)
{
    int all = !r->inputs.count;
    if (role->target) {
        role->role = TAMIS_ROLE_TARGET;
        role->use = r->horizon && (all || named) && !ignored;
        if (all || !named || !kept || r->horizon) return TAMIS_OK;
        return tamis_fail(cx, TAMIS_USAGE, "--inputs: '%s' is the target and cannot be an input", t->column[j].name);
    }
    if (ignored || !(all || named || kept)) return role->role = TAMIS_ROLE_IGNORED, TAMIS_OK;
    role->role = kept || r->plain ? TAMIS_ROLE_INPUT : looks_like(cx, t, j, &role->why);
    if (role->role == TAMIS_ROLE_DATE && tamis_roles_dates(r)) role->role = TAMIS_ROLE_INPUT;
    role->use = role->role == TAMIS_ROLE_INPUT;
    return tamis_status(cx);
}

/* Numbers that look like something else are inputs if nothing else could be one. */
static void take_back(tamis_context *cx, const tamis_table *t, struct tamis_column_role *role)
{
    for (size_t j = 0; j < t->columns; j++)
        if (role[j].use && !is_constant(&t->column[j], t->rows)) return;
    for (size_t j = 0; j < t->columns; j++) {
        if (!role[j].why || t->column[j].type != TAMIS_NUMBER) continue;
        role[j].role = TAMIS_ROLE_INPUT;
        role[j].use = 1;
        tamis_note(cx, "%s: '%s' is used, although it looks like %s, because there is no other input", t->file,
                   t->column[j].name, t->column[j].date ? "a date" : "a count of the rows");
    }
}

static int roles_find(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r, char *const *name,
                      unsigned char *mark, struct tamis_column_role *role)
{
    unsigned char *ignored = mark, *named = mark + t->columns, *kept = named + t->columns;
    memset(role, 0, t->columns * sizeof *role);
    int status = targets_resolve(cx, t, r->target, name, role);
    if (!status) status = ignored_resolve(cx, t, r, name, ignored, named);
    if (!status) status = kept_resolve(cx, t, r, name, kept);
    for (size_t j = 0; j < t->columns && !status; j++)
        status = role_set(cx, t, r, j, ignored[j], named[j], kept[j], &role[j]);
    if (!status) status = weight_resolve(cx, t, r, kept, role);
    if (!status) take_back(cx, t, role);
    return status;
}

int tamis_roles_find(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r,
                     struct tamis_column_role *role)
{
    char **name = tamis_table_names(cx, t);
    unsigned char *mark = tamis_new(cx, unsigned char, 3 * t->columns);
    int status = name && mark ? roles_find(cx, t, r, name, mark, role) : tamis_status(cx);
    tamis_free(name);
    tamis_free(mark);
    return status;
}

/* ---- what was left out ---- */

static void left_out(struct tamis_text *out, const tamis_table *t, size_t j, const struct tamis_column_role *role)
{
    tamis_text_printf(out, "%s'%.60s' (", out->length ? ", " : "", t->column[j].name);
    if (role->role == TAMIS_ROLE_LEVELS) tamis_text_printf(out, "%zu levels", t->column[j].levels);
    else tamis_text_puts(out, role->why);
    tamis_text_puts(out, ")");
}

/* As --keep takes them. */
static void to_keep(struct tamis_text *out, const char *name)
{
    int quote = strpbrk(name, ", \"'\\$") != NULL;
    tamis_text_printf(out, quote ? "%s'\"%.60s\"'" : "%s%.60s", out->length ? "," : "", name);
}

int tamis_roles_note(tamis_context *cx, const tamis_table *t, const struct tamis_column_role *role)
{
    struct tamis_text list = {.cx = cx}, keep = {.cx = cx};
    size_t out = 0;
    for (size_t j = 0; j < t->columns; j++) {
        if (!role[j].why || role[j].use) continue;
        if (out < SHOWN) left_out(&list, t, j, &role[j]), to_keep(&keep, t->column[j].name);
        out++;
    }
    if (out > SHOWN) tamis_text_printf(&list, " and %zu more", out - SHOWN);
    if (out && !list.failed && !keep.failed)
        tamis_note(cx, "%s: not used as %s: %s; to use %s, add --keep %s", t->file, out == 1 ? "an input" : "inputs",
                   list.s, out == 1 ? "it" : "them", keep.s);
    tamis_text_free(&list);
    tamis_text_free(&keep);
    return tamis_status(cx);
}

/* ---- rows that belong together ---- */

/* Whether every level of c has one value of y, and most have several rows. first: room for the levels. */
static int fixes_target(const struct tamis_data_column *c, const struct tamis_data_column *y, size_t n, double *first)
{
    size_t seen = 0;
    for (size_t l = 0; l < c->levels; l++) first[l] = NAN;
    for (size_t i = 0; i < n; i++) {
        if (isnan(c->value[i]) || isnan(y->value[i])) continue;
        double *f = &first[(size_t)c->value[i]];
        if (isnan(*f)) *f = y->value[i];
        if (*f != y->value[i]) return 0;
        seen++;
    }
    return 2 * seen >= 3 * c->levels;
}

int tamis_roles_hint(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r,
                     const struct tamis_column_role *role)
{
    size_t target = 0;
    while (target < t->columns && !role[target].target) target++;
    if (r->group || r->horizon || target == t->columns) return TAMIS_OK;
    for (size_t j = 0; j < t->columns; j++) {
        const struct tamis_data_column *c = &t->column[j];
        if (!role[j].use || c->type != TAMIS_CATEGORY || c->levels < FEWEST_ROWS) continue;
        double *first = tamis_raw(cx, double, c->levels);
        if (first && fixes_target(c, &t->column[target], t->rows, first))
            tamis_note(cx, "%s: rows with the same '%.60s' have the same '%.60s'; if they belong together, add "
                       "--groups '%.60s'", t->file, c->name, t->column[target].name, c->name);
        tamis_free(first);
    }
    return tamis_status(cx);
}

/* ---- constants and duplicates ---- */

static uint64_t column_hash(const struct tamis_data_column *c, size_t n)
{
    uint64_t h = (uint64_t)c->type + 1;
    for (size_t i = 0; i < n; i++) h = tamis_bits_mix(h, tamis_bits_of(c->value[i]));
    return h;
}

static int same_columns(const struct tamis_data_column *a, const struct tamis_data_column *b, size_t n)
{
    if (a->type != b->type || a->levels != b->levels) return 0;
    for (size_t l = 0; l < a->levels; l++)
        if (strcmp(a->level[l], b->level[l])) return 0;
    for (size_t i = 0; i < n; i++)
        if (tamis_bits_of(a->value[i]) != tamis_bits_of(b->value[i])) return 0;
    return 1;
}

int tamis_roles_describe(tamis_context *cx, const tamis_table *t, struct tamis_column_role *role)
{
    uint64_t *hash = tamis_raw(cx, uint64_t, t->columns);
    if (!hash) return tamis_status(cx);
    for (size_t j = 0; j < t->columns; j++) hash[j] = column_hash(&t->column[j], t->rows);
    for (size_t j = 0; j < t->columns; j++) {
        if (role[j].role != TAMIS_ROLE_INPUT) continue;
        if (is_constant(&t->column[j], t->rows)) role[j].role = TAMIS_ROLE_CONSTANT;
        for (size_t k = 0; k < t->columns && role[j].role == TAMIS_ROLE_INPUT; k++)
            if (k != j && (k < j || role[k].target) && hash[j] == hash[k] &&
                same_columns(&t->column[j], &t->column[k], t->rows))
                role[j].role = TAMIS_ROLE_DUPLICATE, role[j].of = k;
    }
    tamis_free(hash);
    return TAMIS_OK;
}
