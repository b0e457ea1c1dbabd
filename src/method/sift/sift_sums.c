/* Sums strip by strip. */
#include "method/sift/sift_sums.h"

#include <string.h>

static const double apart_most = 128e6;         /* bytes of strips that wait for those before them */

static size_t strips_of(const struct sift_view *v)
{
    return v->n ? v->row[v->n - 1] / v->f->strip - v->row[0] / v->f->strip + 1 : 0;
}

/* A process with few strips adds them up while others do; with too many, once it knows what comes before. */
int sift_sums_begin(struct sift_sums *s, const struct sift_view *v, double *total, size_t count)
{
    const struct tamis_spread *spread = v->f->d->spread;
    size_t strips = strips_of(v);
    *s = (struct sift_sums){.v = v, .total = total, .count = count};
    if (!count) return TAMIS_OK;
    memset(total, 0, count * sizeof *total);
    s->taken = !tamis_spread_shared(spread);
    s->apart = !s->taken && 8.0 * (double)strips * (double)count <= apart_most;
    if (strips < 2 && s->taken) return TAMIS_OK;
    if (!(s->part = tamis_raw(v->cx, double, (s->apart ? strips : 1) * count + 1))) return tamis_status(v->cx);
    if (s->taken || s->apart) return TAMIS_OK;
    s->taken = 1;
    return tamis_spread_take(spread, total, count * sizeof *total);
}

/* Nothing comes before the first strip of all: its sums are the total. */
static int is_first(const struct sift_sums *s, size_t strip)
{
    const struct tamis_spread *spread = s->v->f->d->spread;
    return !strip && (!tamis_spread_shared(spread) || !spread->before);
}

static void strip_add(struct sift_sums *s, const double *part)
{
    if (part == s->total) return;
    for (size_t k = 0; k < s->count; k++) s->total[k] += part[k];
}

double *sift_sums_at(struct sift_sums *s, size_t at)
{
    size_t strip = s->v->row[at] / s->v->f->strip;
    if (s->to && strip == s->strip) return s->to;
    if (s->to && !s->apart) strip_add(s, s->to);
    s->to = s->apart ? s->part + s->count * s->strips : is_first(s, s->strips) ? s->total : s->part;
    s->strip = strip;
    s->strips++;
    memset(s->to, 0, s->count * sizeof *s->to);
    return s->to;
}

int sift_sums_end(struct sift_sums *s)
{
    const struct tamis_spread *spread = s->v->f->d->spread;
    size_t bytes = s->count * sizeof *s->total;
    int status = tamis_status(s->v->cx);
    if (!s->count) return status;
    if (!status && s->apart) status = tamis_spread_take(spread, s->total, bytes);
    for (size_t k = 0; k < s->strips && s->apart && !status; k++)
        if (is_first(s, k)) memcpy(s->total, s->part, bytes);
        else strip_add(s, s->part + s->count * k);
    if (!s->apart && s->to) strip_add(s, s->to);
    if (!status) status = tamis_spread_give(spread, s->total, bytes);
    tamis_free(s->part);
    return status;
}
