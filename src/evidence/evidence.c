/* Evidence: the parts in order, and how numbers are written. */
#include <math.h>
#include <stdio.h>
#include "evidence/evidence.h"

void tamis_evidence_number(struct tamis_text *t, double x)
{
    char buffer[32];
    if (!isfinite(x)) {
        tamis_text_puts(t, "null");
        return;
    }
    snprintf(buffer, sizeof buffer, "%.6g", x + 0.0);
    for (char *c = buffer; *c; c++)
        if (*c == ',') *c = '.';
    tamis_text_puts(t, buffer);
}

void tamis_evidence_numbers(struct tamis_text *t, const double *x, size_t n)
{
    tamis_text_puts(t, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) tamis_text_puts(t, ",");
        tamis_evidence_number(t, x[i]);
    }
    tamis_text_puts(t, "]");
}

int tamis_evidence_fill(struct tamis_run *run, const tamis_table *data, const tamis_table *test)
{
    struct tamis_witness w = {run, data, test, &run->outcome->evidence};
    tamis_text_puts(w.t, "{");
    int status = tamis_evidence_table(run->cx, data, test, w.t);
    if (!status) status = tamis_evidence_unseen(&w);
    if (!status && run->outcome->model && run->outcome->open.selected) status = tamis_evidence_shapes(&w);
    if (!status) status = tamis_evidence_likeness(&w);
    tamis_text_puts(w.t, "}");
    return status ? status : tamis_text_status(w.t);
}
