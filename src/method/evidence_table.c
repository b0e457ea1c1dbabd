/* Where the numbers come from: the files and their sums, what computed, and what stands in the columns. */
#include <math.h>
#include "base/sha256.h"
#include "method/evidence.h"

static const uint64_t largest_file = 256 << 20;
static const double most_cells = 2e7;           /* above, distinct values and equal rows are not counted */
enum { COLUMNS_SHOWN = 150 };

static void file(struct tamis_witness *w, const char *key, const tamis_table *t)
{
    char sum[65];
    uint64_t bytes = 0;
    int known = t->on_disk && tamis_sha256_file(t->file, largest_file, sum, &bytes);
    tamis_text_printf(w->t, "\"%s\": {\"name\": ", key);
    tamis_text_json(w->t, t->file);
    if (known) tamis_text_printf(w->t, ", \"bytes\": %llu, \"sha256\": \"%s\"", (unsigned long long)bytes, sum);
    tamis_text_puts(w->t, "}");
}

static void versions(struct tamis_witness *w)
{
    tamis_text_puts(w->t, ",\n    \"versions\": {\"tamis\": ");
    tamis_text_json(w->t, TAMIS_VERSION);
    tamis_text_puts(w->t, ", \"blas\": ");
    tamis_text_json(w->t, tamis_blas());
    tamis_text_puts(w->t, ", \"compiler\": ");
    tamis_text_json(w->t, __VERSION__);
    tamis_text_puts(w->t, "}");
}

static void column(struct tamis_text *t, const tamis_column *c, int first)
{
    tamis_text_puts(t, first ? "\n      {\"name\": " : ",\n      {\"name\": ");
    tamis_text_json(t, c->name);
    tamis_text_printf(t, ", \"type\": \"%s\", \"missing\": %zu, \"distinct\": %zu", c->type == TAMIS_NUMBER ? "number" : "category", c->missing, c->distinct);
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
static int columns(struct tamis_witness *w, size_t *missing)
{
    const tamis_table *d = w->data;
    size_t shown = 0;
    int status = TAMIS_OK, all = d->columns <= COLUMNS_SHOWN;
    tamis_text_puts(w->t, ", \"column\": [");
    for (int pass = all; pass < 2; pass++)
        for (size_t j = 0; j < d->columns && !status; j++) {
            tamis_column c;
            status = tamis_table_describe(w->job->cx, d, j, &c);
            int trouble = !status && (c.missing || c.distinct <= 1);
            if (pass == all && !status) *missing += c.missing;
            if (status || shown >= COLUMNS_SHOWN || (!all && trouble == pass)) continue;
            column(w->t, &c, !shown++);
        }
    tamis_text_puts(w->t, "]");
    return status;
}

static int audit(struct tamis_witness *w)
{
    const tamis_table *d = w->data;
    size_t duplicates = 0, missing = 0;
    tamis_text_printf(w->t, ",\n    \"audit\": {\"rows\": %zu, \"columns\": %zu, \"incomplete_rows\": %zu", d->rows, d->columns, incomplete(d));
    int status = TAMIS_OK, small = (double)d->rows * (double)d->columns <= most_cells;
    if (small) status = tamis_table_duplicates(w->job->cx, d, &duplicates);
    if (small && !status) {
        tamis_text_printf(w->t, ", \"duplicates\": %zu", duplicates);
        status = columns(w, &missing);
        tamis_text_printf(w->t, ", \"missing_cells\": %zu", missing);
    }
    tamis_text_puts(w->t, "}");
    return status;
}

int tamis_evidence_table(struct tamis_witness *w)
{
    file(w, "file", w->data);
    if (w->test) {
        tamis_text_puts(w->t, ",\n    ");
        file(w, "test_file", w->test);
    }
    versions(w);
    return audit(w);
}
