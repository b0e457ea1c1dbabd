/* What processes with parts of the rows tell each other. */
#include <string.h>
#include "base/spread.h"

void tamis_spread_begin(tamis_context *cx, struct tamis_spread *s)
{
    const struct tamis_runner *r = tamis_runner_of(cx);
    *s = (struct tamis_spread){.cx = cx, .ranks = 1};
    if (r && r->exchange) s->rank = r->rank, s->ranks = r->ranks;
}

static int exchange(const struct tamis_spread *s, int to, struct tamis_bytes out, int from, struct tamis_bytes *in)
{
    const struct tamis_runner *r = tamis_runner_of(s->cx);
    int status = tamis_check_cancel(s->cx);
    *in = (struct tamis_bytes){0};
    return status ? status : r->exchange(r->self, s->cx, to, out.at, out.n, from, &in->at, &in->n);
}

static int send(const struct tamis_spread *s, int to, void *bytes, size_t n)
{
    struct tamis_bytes none;
    return exchange(s, to, (struct tamis_bytes){bytes, n}, -1, &none);
}

/* All processes compute with the same shapes: another length is a fault of this program. */
static int receive(const struct tamis_spread *s, int to, struct tamis_bytes out, int from, void *bytes, size_t n)
{
    struct tamis_bytes in;
    int status = exchange(s, to, out, from, &in);
    if (!status && in.n != n)
        status = tamis_fail(s->cx, TAMIS_SYSTEM, "process %d sent %zu bytes where %zu belong", from, in.n, n);
    if (!status) memcpy(bytes, in.at, n);
    tamis_free(in.at);
    return status;
}

int tamis_spread_take(const struct tamis_spread *s, void *total, size_t n)
{
    if (!tamis_spread_shared(s) || !s->rank) return TAMIS_OK;
    return receive(s, -1, (struct tamis_bytes){0}, s->rank - 1, total, n);
}

int tamis_spread_give(const struct tamis_spread *s, void *total, size_t n)
{
    if (!tamis_spread_shared(s)) return TAMIS_OK;
    int last = s->ranks - 1, status = s->rank < last ? send(s, s->rank + 1, total, n) : TAMIS_OK;
    for (int k = 0; k < last && s->rank == last && !status; k++) status = send(s, k, total, n);
    return status || s->rank == last ? status : receive(s, -1, (struct tamis_bytes){0}, last, total, n);
}

int tamis_spread_gather(const struct tamis_spread *s, const void *own, size_t n, void *all)
{
    char *to = all;
    int status = TAMIS_OK;
    memcpy(to + (size_t)s->rank * n, own, n);
    for (int k = 1; k < s->ranks && !status; k++) {
        int from = (s->rank + s->ranks - k) % s->ranks;
        status = receive(s, (s->rank + k) % s->ranks, (struct tamis_bytes){(void *)own, n}, from,
                         to + (size_t)from * n, n);
    }
    return status;
}

int tamis_spread_count(struct tamis_spread *s, size_t rows)
{
    size_t *of = tamis_raw(s->cx, size_t, (size_t)s->ranks);
    int status = of ? tamis_spread_gather(s, &rows, sizeof rows, of) : tamis_status(s->cx);
    s->before = s->all = 0;
    for (int k = 0; k < s->ranks && !status; k++) {
        if (k < s->rank) s->before += of[k];
        s->all += of[k];
    }
    tamis_free(of);
    return status;
}

int tamis_spread_deal(const struct tamis_spread *s, const struct tamis_bytes *out, struct tamis_bytes *in)
{
    struct tamis_bytes own = out[s->rank], *mine = &in[s->rank];
    int status = TAMIS_OK;
    for (int k = 0; k < s->ranks; k++) in[k] = (struct tamis_bytes){0};
    if (!(mine->at = tamis_raw(s->cx, char, own.n + 1))) return tamis_status(s->cx);
    if (own.n) memcpy(mine->at, own.at, own.n);
    mine->n = own.n;
    for (int k = 1; k < s->ranks && !status; k++) {
        int to = (s->rank + k) % s->ranks, from = (s->rank + s->ranks - k) % s->ranks;
        status = exchange(s, to, out[to], from, &in[from]);
    }
    return status;
}

int tamis_spread_turn(const struct tamis_spread *s, struct tamis_bytes *b)
{
    struct tamis_bytes in;
    int status = exchange(s, (s->rank + s->ranks - 1) % s->ranks, *b, (s->rank + 1) % s->ranks, &in);
    if (!status) {
        tamis_free(b->at);
        *b = in;
    }
    return status;
}

/* ---- records to the processes that their hashes name ---- */

static int owner_of(const struct tamis_spread *s, const char *record)
{
    uint64_t hash;
    memcpy(&hash, record, sizeof hash);
    return (int)((hash >> 32) % (uint64_t)s->ranks);
}

/* Counts, then copies. */
static int records_sort(const struct tamis_spread *s, const char *record, size_t n, size_t size, struct tamis_deal *d)
{
    for (size_t i = 0; i < n; i++) {
        d->owner[i] = owner_of(s, record + i * size);
        d->place[i] = d->out[d->owner[i]].n++;
    }
    for (int k = 0; k < s->ranks; k++) {
        d->out[k].n *= size;
        if (!(d->out[k].at = tamis_raw(s->cx, char, d->out[k].n + 1))) return tamis_status(s->cx);
    }
    for (size_t i = 0; i < n; i++)
        memcpy((char *)d->out[d->owner[i]].at + d->place[i] * size, record + i * size, size);
    return TAMIS_OK;
}

int tamis_deal_make(const struct tamis_spread *s, const void *record, size_t n, size_t size, struct tamis_deal *d)
{
    *d = (struct tamis_deal){.in = tamis_new(s->cx, struct tamis_bytes, (size_t)s->ranks),
                             .out = tamis_new(s->cx, struct tamis_bytes, (size_t)s->ranks),
                             .owner = tamis_raw(s->cx, int, n + 1), .place = tamis_raw(s->cx, size_t, n + 1)};
    int status = tamis_status(s->cx);
    if (!status) status = records_sort(s, record, n, size, d);
    if (!status) status = tamis_spread_deal(s, d->out, d->in);
    for (int k = 0; k < s->ranks && !status; k++) d->came += d->in[k].n;
    for (int k = 0; k < s->ranks && d->out; k++) tamis_free(d->out[k].at), d->out[k] = (struct tamis_bytes){0};
    return status;
}

void tamis_deal_free(const struct tamis_spread *s, struct tamis_deal *d)
{
    for (int k = 0; k < s->ranks; k++) {
        if (d->in) tamis_free(d->in[k].at);
        if (d->out) tamis_free(d->out[k].at);
    }
    tamis_free(d->in);
    tamis_free(d->out);
    tamis_free(d->owner);
    tamis_free(d->place);
}
