/* Where the numbers come from: files and their checksums, versions, and an audit of the columns. */
#include <math.h>
#include "base/sha256.h"
#include "evidence/evidence.h"

static const uint64_t largest_file = 256 << 20;
static const double most_cells = 2e7;           /* in larger tables, distinct values and duplicates are not counted */
enum { COLUMNS_SHOWN = 150 };

static void add_file(tamis_value *to, const char *key, const tamis_table *t)
{
    char sum[65];
    uint64_t bytes = 0;
    int known = t->on_disk && tamis_sha256_file(t->file, largest_file, sum, &bytes);
    tamis_value *v = tamis_add_record(to, key);
    tamis_add_text(v, "name", t->file);
    if (!known) return;
    tamis_add_number(v, "bytes", (double)bytes);
    tamis_add_text(v, "sha256", sum);
}

static void add_versions(tamis_value *to)
{
    tamis_value *v = tamis_add_record(to, "versions");
    tamis_add_text(v, "tamis", TAMIS_VERSION);
    tamis_add_text(v, "blas", tamis_blas());
    tamis_add_text(v, "compiler", __VERSION__);
}

static void add_column(tamis_value *list, const struct tamis_column_summary *c)
{
    tamis_value *v = tamis_add_record(list, NULL);
    tamis_add_text(v, "name", c->name);
    tamis_add_text(v, "type", tamis_type_name(c));
    if (c->units) tamis_add_text(v, "units", c->units);
    tamis_add_number(v, "missing", (double)c->missing);
    tamis_add_number(v, "distinct", (double)c->distinct);
    if (c->date && c->distinct) tamis_add_span(v, c);
    if (c->type != TAMIS_NUMBER || c->date || !c->distinct) return;
    tamis_add_rounded(v, "min", c->least);
    tamis_add_rounded(v, "max", c->largest);
    tamis_add_rounded(v, "mean", c->mean);
    tamis_add_rounded(v, "sd", c->sd);
}

static size_t incomplete(const tamis_table *t)
{
    size_t rows = 0;
    for (size_t i = 0; i < t->rows; i++) {
        int gap = 0;
        for (size_t j = 0; j < t->columns && !gap; j++) gap = isnan(t->column[j].value[i]);
        rows += (size_t)gap;
    }
    return rows;
}

/* The columns; if not all can be listed, those with problems first. */
static int add_columns(tamis_context *cx, const tamis_table *d, tamis_value *audit, size_t *missing)
{
    size_t shown = 0;
    int status = TAMIS_OK, all = d->columns <= COLUMNS_SHOWN;
    tamis_value *list = tamis_add_list(audit, "column");
    for (int pass = all; pass < 2; pass++)
        for (size_t j = 0; j < d->columns && !status; j++) {
            struct tamis_column_summary c;
            status = tamis_column_summarise(cx, d, j, &c);
            int trouble = !status && (c.missing || c.distinct <= 1);
            if (pass == all && !status) *missing += c.missing;
            if (status || shown >= COLUMNS_SHOWN || (!all && trouble == pass)) continue;
            add_column(list, &c);
            shown++;
        }
    return status;
}

static int add_audit(tamis_context *cx, const tamis_table *d, tamis_value *to)
{
    size_t duplicates = 0, missing = 0;
    tamis_value *v = tamis_add_record(to, "audit");
    tamis_add_number(v, "rows", (double)d->rows);
    tamis_add_number(v, "columns", (double)d->columns);
    tamis_add_number(v, "incomplete_rows", (double)incomplete(d));
    if ((double)d->rows * (double)d->columns > most_cells) return TAMIS_OK;
    int status = tamis_table_duplicates(cx, d, &duplicates);
    tamis_add_number(v, "duplicates", (double)duplicates);
    if (!status) status = add_columns(cx, d, v, &missing);
    tamis_add_number(v, "missing_cells", (double)missing);
    return status;
}

int tamis_evidence_table(tamis_context *cx, const tamis_table *data, const tamis_table *test, tamis_value *evidence)
{
    add_file(evidence, "file", data);
    if (test) add_file(evidence, "test_file", test);
    add_versions(evidence);
    return add_audit(cx, data, evidence);
}
