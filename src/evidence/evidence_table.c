/* Where the numbers come from: the files and their sums, what computed, and what stands in the columns. */
#include <math.h>
#include "base/sha256.h"
#include "evidence/evidence.h"

static const uint64_t largest_file = 256 << 20;
static const double most_cells = 2e7;           /* above, distinct values and equal rows are not counted */
enum { COLUMNS_SHOWN = 150 };

static void file(struct tamis_text *out, const char *key, const tamis_table *t)
{
    char sum[65];
    uint64_t bytes = 0;
    int known = t->on_disk && tamis_sha256_file(t->file, largest_file, sum, &bytes);
    tamis_text_printf(out, "\"%s\": {\"name\": ", key);
    tamis_text_json(out, t->file);
    if (known) tamis_text_printf(out, ", \"bytes\": %llu, \"sha256\": \"%s\"", (unsigned long long)bytes, sum);
    tamis_text_puts(out, "}");
}

static void versions(struct tamis_text *out)
{
    tamis_text_puts(out, ",\n    \"versions\": {\"tamis\": ");
    tamis_text_json(out, TAMIS_VERSION);
    tamis_text_puts(out, ", \"blas\": ");
    tamis_text_json(out, tamis_blas());
    tamis_text_puts(out, ", \"compiler\": ");
    tamis_text_json(out, __VERSION__);
    tamis_text_puts(out, "}");
}

static void column(struct tamis_text *t, const struct tamis_column_summary *c, int first)
{
    tamis_text_puts(t, first ? "\n      {\"name\": " : ",\n      {\"name\": ");
    tamis_text_json(t, c->name);
    tamis_text_printf(t, ", \"type\": \"%s\", \"missing\": %zu, \"distinct\": %zu",
                      c->type == TAMIS_NUMBER ? "number" : "category", c->missing, c->distinct);
    if (c->type == TAMIS_NUMBER && c->distinct) {
        const double v[] = {c->least, c->largest, c->mean, c->sd};
        static const char *const name[] = {"min", "max", "mean", "sd"};
        for (int i = 0; i < 4; i++) {
            tamis_text_printf(t, ", \"%s\": ", name[i]);
            tamis_evidence_number(t, v[i]);
        }
    }
    tamis_text_puts(t, "}");
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

/* Columns, those in trouble first where not all are listed. */
static int columns(tamis_context *cx, const tamis_table *d, struct tamis_text *t, size_t *missing)
{
    size_t shown = 0;
    int status = TAMIS_OK, all = d->columns <= COLUMNS_SHOWN;
    tamis_text_puts(t, ", \"column\": [");
    for (int pass = all; pass < 2; pass++)
        for (size_t j = 0; j < d->columns && !status; j++) {
            struct tamis_column_summary c;
            status = tamis_column_summarise(cx, d, j, &c);
            int trouble = !status && (c.missing || c.distinct <= 1);
            if (pass == all && !status) *missing += c.missing;
            if (status || shown >= COLUMNS_SHOWN || (!all && trouble == pass)) continue;
            column(t, &c, !shown++);
        }
    tamis_text_puts(t, "]");
    return status;
}

static int audit(tamis_context *cx, const tamis_table *d, struct tamis_text *t)
{
    size_t duplicates = 0, missing = 0;
    tamis_text_printf(t, ",\n    \"audit\": {\"rows\": %zu, \"columns\": %zu, \"incomplete_rows\": %zu", d->rows,
                      d->columns, incomplete(d));
    int status = TAMIS_OK, small = (double)d->rows * (double)d->columns <= most_cells;
    if (small) status = tamis_table_duplicates(cx, d, &duplicates);
    if (small && !status) {
        tamis_text_printf(t, ", \"duplicates\": %zu", duplicates);
        status = columns(cx, d, t, &missing);
        tamis_text_printf(t, ", \"missing_cells\": %zu", missing);
    }
    tamis_text_puts(t, "}");
    return status;
}

int tamis_evidence_table(tamis_context *cx, const tamis_table *data, const tamis_table *test, struct tamis_text *t)
{
    file(t, "file", data);
    if (test) {
        tamis_text_puts(t, ",\n    ");
        file(t, "test_file", test);
    }
    versions(t);
    return audit(cx, data, t);
}
