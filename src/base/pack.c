/* Our own files. Layout, all little-endian:
 *     "TAMIS" "\r\n" kind[4] | version u32 | length u64 of the fields | fields | checksum u64 of all before it
 * The checksum is FNV-1a over 64-bit words with a final mix: it detects accidents, not attacks; the reader trusts
 * nothing. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "base/files.h"
#include "base/share.h"
#include "base/watch.h"

enum { HEAD = 7 + 4 + 4 + 8, TAIL = 8 };
static const char magic[7] = {'T', 'A', 'M', 'I', 'S', '\r', '\n'};

uint64_t tamis_checksum(const void *bytes, size_t n, uint64_t start)
{
    const unsigned char *b = bytes;
    uint64_t h = start ^ 0xcbf29ce484222325ull ^ n;
    while (n) {
        unsigned char word[8] = {0};
        size_t k = n < 8 ? n : 8;
        memcpy(word, b, k);
        uint64_t w = 0;
        for (int i = 7; i >= 0; i--) w = w << 8 | word[i];
        h = (h ^ w) * 0x100000001b3ull;
        h ^= h >> 29;
        b += k;
        n -= k;
    }
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    return h ^ h >> 32;
}

/* ---- writing ---- */

static void put(struct tamis_pack *p, const void *bytes, size_t n)
{
    if (p->failed) return;
    if (p->length + n > p->room) {
        size_t room = p->room ? p->room : 1024;
        while (room < p->length + n) room *= 2;
        unsigned char *b = tamis_grow(p->cx, p->bytes, room, 1);
        if (!b) {
            p->failed = 1;
            return;
        }
        p->bytes = b;
        p->room = room;
    }
    memcpy(p->bytes + p->length, bytes, n);
    p->length += n;
}

static void little(uint64_t v, unsigned char *b, int n)
{
    for (int i = 0; i < n; i++) b[i] = (unsigned char)(v >> 8 * i);
}

static void put_number(struct tamis_pack *p, uint64_t v, int n)
{
    unsigned char b[8];
    little(v, b, n);
    put(p, b, (size_t)n);
}

void tamis_pack_begin(struct tamis_pack *p, tamis_context *cx, const char kind[4], uint32_t version)
{
    memset(p, 0, sizeof *p);
    p->cx = cx;
    put(p, magic, sizeof magic);
    put(p, kind, 4);
    put_number(p, version, 4);
    put_number(p, 0, 8);
}

void tamis_pack_u64(struct tamis_pack *p, uint64_t v) { put_number(p, v, 8); }

void tamis_pack_f64(struct tamis_pack *p, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    put_number(p, bits, 8);
}

void tamis_pack_str(struct tamis_pack *p, const char *s)
{
    tamis_pack_u64(p, s ? strlen(s) + 1 : 0);
    if (s) put(p, s, strlen(s));
}

void tamis_pack_doubles(struct tamis_pack *p, const double *v, size_t n)
{
    tamis_pack_u64(p, n);
    for (size_t i = 0; i < n; i++) tamis_pack_f64(p, v[i]);
}

void tamis_pack_bits(struct tamis_pack *p, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++) tamis_pack_f64(p, v[i]);
}

void tamis_pack_bytes(struct tamis_pack *p, const void *bytes, size_t n)
{
    tamis_pack_u64(p, n);
    put(p, bytes, n);
}

int tamis_pack_end(struct tamis_pack *p)
{
    if (!p->failed) little(p->length - HEAD, p->bytes + HEAD - 8, 8);
    if (!p->failed) put_number(p, tamis_checksum(p->bytes, p->length, 0), 8);
    return p->failed ? tamis_fail(p->cx, TAMIS_MEMORY, "out of memory: cannot write a file") : TAMIS_OK;
}

void tamis_pack_free(struct tamis_pack *p)
{
    tamis_free(p->bytes);
    memset(p, 0, sizeof *p);
}

/* ---- reading ---- */

static uint64_t from_little(const unsigned char *b, int n)
{
    uint64_t v = 0;
    for (int i = n - 1; i >= 0; i--) v = v << 8 | b[i];
    return v;
}

int tamis_unpack_begin(struct tamis_unpack *u, tamis_context *cx, const void *bytes, size_t n, const char kind[4],
                       uint32_t newest, const char *what)
{
    const unsigned char *b = bytes;
    memset(u, 0, sizeof *u);
    u->cx = cx;
    if (n < HEAD + TAIL || memcmp(b, magic, sizeof magic) || memcmp(b + 7, kind, 4))
        return tamis_fail(cx, TAMIS_DATA, "this is not a tamis %s", what);
    u->version = (uint32_t)from_little(b + 11, 4);
    if (u->version > newest)
        return tamis_fail(cx, TAMIS_DATA, "this %s has format %u and this tamis reads up to %u; use a newer tamis",
                          what, u->version, newest);
    if (from_little(b + 15, 8) != n - HEAD - TAIL)
        return tamis_fail(cx, TAMIS_DATA, "the %s is cut short or has bytes added; make it again", what);
    if (from_little(b + n - TAIL, 8) != tamis_checksum(b, n - TAIL, 0))
        return tamis_fail(cx, TAMIS_DATA, "the %s was altered: its checksum is wrong; make it again", what);
    u->bytes = b + HEAD;
    u->length = n - HEAD - TAIL;
    return TAMIS_OK;
}

static const unsigned char *take(struct tamis_unpack *u, uint64_t n)
{
    if (u->failed || n > u->length - u->at) {
        u->failed = 1;
        return NULL;
    }
    u->at += (size_t)n;
    return u->bytes + u->at - n;
}

uint64_t tamis_unpack_u64(struct tamis_unpack *u, uint64_t largest)
{
    const unsigned char *b = take(u, 8);
    uint64_t v = b ? from_little(b, 8) : 0;
    if (v <= largest) return v;
    u->failed = 1;
    return 0;
}

static double take_number(struct tamis_unpack *u)
{
    uint64_t bits = tamis_unpack_u64(u, UINT64_MAX);
    double v;
    memcpy(&v, &bits, 8);
    return v;
}

double tamis_unpack_f64(struct tamis_unpack *u)
{
    double v = take_number(u);
    if (isfinite(v)) return v;
    u->failed = 1;
    return 0;
}

void tamis_unpack_bits(struct tamis_unpack *u, double *v, size_t n)
{
    for (size_t i = 0; i < n && !u->failed; i++) v[i] = take_number(u);
}

char *tamis_unpack_str(struct tamis_unpack *u)
{
    uint64_t n = tamis_unpack_u64(u, SIZE_MAX);
    if (!n) return NULL;
    const unsigned char *b = take(u, n - 1);
    if (b && memchr(b, 0, (size_t)n - 1)) u->failed = 1;
    if (!b || u->failed) return NULL;
    char *s = tamis_strndup(u->cx, (const char *)b, (size_t)n - 1);
    if (!s) u->failed = 1;
    return s;
}

unsigned char *tamis_unpack_bytes(struct tamis_unpack *u, size_t *n)
{
    *n = (size_t)tamis_unpack_u64(u, u->length - u->at);
    const unsigned char *b = take(u, *n);
    unsigned char *copy = b ? tamis_raw(u->cx, unsigned char, *n) : NULL;
    if (copy) memcpy(copy, b, *n);
    else u->failed = 1;
    return copy;
}

double *tamis_unpack_doubles(struct tamis_unpack *u, size_t expected)
{
    if (tamis_unpack_u64(u, SIZE_MAX) != expected || expected > (u->length - u->at) / 8) u->failed = 1;
    if (u->failed) return NULL;
    double *v = tamis_raw(u->cx, double, expected);
    if (!v) u->failed = 1;
    for (size_t i = 0; v && i < expected; i++) v[i] = tamis_unpack_f64(u);
    return v;
}

int tamis_unpack_end(struct tamis_unpack *u, const char *what)
{
    if (tamis_status(u->cx)) return tamis_status(u->cx);
    if (!u->failed && u->at == u->length) return TAMIS_OK;
    return tamis_fail(u->cx, TAMIS_DATA, "the %s is damaged; make it again", what);
}

/* ---- files ---- */

/* Whether bytes so far can be the beginning of a file of ours, which says how long it is, or of JSON. Reading stops
 * where they cannot, so that a device without end does not fill the memory. */
static int plausible(const unsigned char *b, size_t n)
{
    if (n < HEAD) return 1;
    if (!memcmp(b, magic, sizeof magic)) return n - HEAD <= from_little(b + HEAD - 8, 8) + TAIL;
    return b[0] && strchr("{ \t\r\n\xEF", b[0]);
}

static int read_all(tamis_context *cx, int fd, unsigned char **bytes, size_t *n)
{
    size_t room = 0;
    for (;;) {
        if (*n + 1 >= room) {
            room = room ? 2 * room : 1 << 16;
            unsigned char *b = tamis_grow(cx, *bytes, room, 1);
            if (!b) return tamis_status(cx);
            *bytes = b;
        }
        ssize_t k = read(fd, *bytes + *n, room - *n - 1);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return tamis_fail(cx, TAMIS_DATA, "cannot be read: %s", strerror(errno));
        if (!k) break;
        *n += (size_t)k;
        if (!plausible(*bytes, *n)) break;
    }
    (*bytes)[*n] = 0;
    return TAMIS_OK;
}

static int read_here(tamis_context *cx, const char *path, unsigned char **bytes, size_t *n)
{
    int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
    if (fd < 0) return tamis_fail(cx, TAMIS_DATA, "%s: cannot be read: %s", path, strerror(errno));
    int status = read_all(cx, fd, bytes, n);
    close(fd);
    if (!status) return TAMIS_OK;
    tamis_free(*bytes);
    *bytes = NULL;
    return tamis_fail_at(cx, path);
}

int tamis_file_read(tamis_context *cx, const char *path, unsigned char **bytes, size_t *n)
{
    *bytes = NULL;
    *n = 0;
    int status = tamis_reads(cx) ? read_here(cx, path, bytes, n) : TAMIS_OK;
    if (!tamis_shares(cx)) return status;
    status = tamis_share(cx, status, n, sizeof *n);
    if (!status && !*bytes && !(*bytes = tamis_new(cx, unsigned char, *n + 1))) status = TAMIS_MEMORY;
    if (!status && *n) status = tamis_share(cx, status, *bytes, *n);
    if (!status) return TAMIS_OK;
    tamis_free(*bytes);
    *bytes = NULL;
    return status;
}

int tamis_read_file(tamis_context *cx, const char *path, char **bytes, size_t *n)
{
    TAMIS_CALL(cx);
    return tamis_file_read(cx, path, (unsigned char **)bytes, n);
}

/* ---- checkpoints ---- */

int tamis_pack_write(struct tamis_pack *p, const char *path)
{
    int status = tamis_pack_end(p);
    if (!status) status = tamis_file_write(p->cx, path, p->bytes, p->length);
    tamis_pack_free(p);
    return status;
}

void tamis_unpack_into(struct tamis_unpack *u, double *to, size_t n)
{
    double *v = tamis_unpack_doubles(u, n);
    if (v) memcpy(to, v, n * sizeof *to);
    else u->failed = 1;
    tamis_free(v);
}

void tamis_unpack_above(struct tamis_unpack *u, double *to, size_t n, double least)
{
    tamis_unpack_into(u, to, n);
    for (size_t i = 0; !u->failed && i < n; i++)
        if (!(to[i] > least)) u->failed = 1;
}

int tamis_checkpoint_save(const struct tamis_checkpoint *c)
{
    return tamis_stopped(c->cx) ? TAMIS_STOPPED : tamis_checkpoint_write(c);
}

int tamis_checkpoint_write(const struct tamis_checkpoint *c)
{
    struct tamis_pack p;
    if (!c->path) return TAMIS_OK;
    tamis_pack_begin(&p, c->cx, c->kind->name, c->kind->version);
    tamis_pack_u64(&p, c->fingerprint);
    c->kind->pack(c->state, &p);
    return tamis_pack_write(&p, c->path);
}

int tamis_checkpoint_restore(const struct tamis_checkpoint *c, const void *bytes, size_t n)
{
    struct tamis_unpack u;
    int status = tamis_unpack_begin(&u, c->cx, bytes, n, c->kind->name, c->kind->version, "checkpoint");
    if (!status && tamis_unpack_u64(&u, UINT64_MAX) != c->fingerprint)
        status = tamis_fail(c->cx, TAMIS_USAGE,
                            "the checkpoint belongs to another run: data, options or version differ; "
                            "remove it or name another");
    if (status) return status;
    c->kind->unpack(c->state, &u);
    return tamis_unpack_end(&u, "checkpoint");
}

int tamis_checkpoint_resume(const struct tamis_checkpoint *c, int *resumed)
{
    unsigned char *bytes = NULL;
    size_t n = 0;
    *resumed = 0;
    int status = c->path ? tamis_file_there(c->cx, c->path, resumed) : TAMIS_OK;
    if (status || !*resumed) return status;
    status = tamis_file_read(c->cx, c->path, &bytes, &n);
    if (status) return status;
    status = tamis_checkpoint_restore(c, bytes, n);
    tamis_free(bytes);
    return status ? tamis_fail_at(c->cx, c->path) : TAMIS_OK;
}
