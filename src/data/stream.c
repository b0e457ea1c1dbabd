/* One source of bytes: `fill` reads raw bytes, a row of `form` decompresses them, `wide` makes UTF-8 of UTF-16. A plain
 * file is read straight into the caller's buffer; compressed ones go through an input buffer of 64 kB. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include "base/share.h"
#include "data/stream.h"
#include "data/utf16.h"

enum { INPUT = 65536, WIDE = 4096 };

/* Text in UTF-16: its first bytes, which told so, and what is converted and not yet read: [at, filled). */
struct wide {
    struct tamis_utf16 state;
    unsigned char *first, raw[WIDE];
    size_t first_at, first_filled, at, filled;
    char text[TAMIS_UTF16_ROOM(WIDE) + 4];
    int ended;
};

struct tamis_stream {
    tamis_context *cx;
    char *name;
    int fd, owned;                      /* -1: memory, or another process reads; owned: not standard input */
    int shared;                         /* the bytes that one process reads are those of all */
    const unsigned char *memory;
    size_t memory_left;
    double size, taken;
    unsigned char *input;               /* raw bytes not yet decompressed: [at, filled) */
    size_t at, filled;
    unsigned char *head;                /* of tamis_stream_peek, not yet read: [head_at, head_filled) */
    size_t head_at, head_filled;
    int ended;                          /* the source is at its end */
    int inside;                         /* within a member or frame, where the source must not end */
    struct wide *wide;                  /* NULL: bytes are read as they are */
    const struct form *form;
    z_stream gzip;
    ZSTD_DStream *zstd;
};

struct form {
    const char *name;
    size_t length;
    unsigned char magic[4];
    int (*begin)(struct tamis_stream *s);
    int (*read)(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got);
    void (*end)(struct tamis_stream *s);
};

/* ---- raw bytes ---- */

static int fill_memory(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got)
{
    *got = n < s->memory_left ? n : s->memory_left;
    if (*got) memcpy(to, s->memory, *got);
    s->memory += *got;
    s->memory_left -= *got;
    return TAMIS_OK;
}

static int fill_file(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got)
{
    for (*got = 0; *got < n;) {
        ssize_t k = read(s->fd, to + *got, n - *got);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0)
            return tamis_fail(s->cx, TAMIS_DATA, "%s: reading failed (%s); check the disk or the pipe", s->name,
                              strerror(errno));
        if (k == 0) break;
        *got += (size_t)k;
    }
    return TAMIS_OK;
}

static int fill_shared(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got)
{
    int status = tamis_reads(s->cx) ? fill_file(s, to, n, got) : TAMIS_OK;
    status = tamis_share(s->cx, status, got, sizeof *got);
    return status || !*got ? status : tamis_share(s->cx, TAMIS_OK, to, *got);
}

static int fill(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got)
{
    int status = s->shared ? fill_shared(s, to, n, got)
                 : s->fd < 0 ? fill_memory(s, to, n, got) : fill_file(s, to, n, got);
    if (status) return status;
    s->taken += (double)*got;
    s->ended = *got < n;
    return TAMIS_OK;
}

static int fill_input(struct tamis_stream *s)
{
    if (s->at < s->filled || s->ended) return TAMIS_OK;
    s->at = s->filled = 0;
    return fill(s, s->input, INPUT, &s->filled);
}

static int damaged(struct tamis_stream *s)
{
    return tamis_fail(s->cx, TAMIS_DATA, "%s: the %s data are damaged; fetch or pack the file again", s->name,
                      s->form->name);
}

static int truncated(struct tamis_stream *s)
{
    return tamis_fail(s->cx, TAMIS_DATA,
                      "%s: the %s data end too early, the file was truncated; fetch or pack it again", s->name,
                      s->form->name);
}

/* ---- plain ---- */

static int plain_begin(struct tamis_stream *s)
{
    s->inside = 0;
    return TAMIS_OK;
}

static int plain_read(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got)
{
    size_t held = s->filled - s->at, rest = 0;
    if (held > n) held = n;
    memcpy(to, s->input + s->at, held);
    s->at += held;
    int status = held < n && !s->ended ? fill(s, to + held, n - held, &rest) : TAMIS_OK;
    *got = held + rest;
    return status;
}

static void plain_end(struct tamis_stream *s) { s->inside = 0; }

/* ---- gzip ---- */

static int gzip_begin(struct tamis_stream *s)
{
    if (inflateInit2(&s->gzip, 15 + 16) != Z_OK)
        return tamis_fail(s->cx, TAMIS_MEMORY, "%s: zlib could not start", s->name);
    s->inside = 1;
    return TAMIS_OK;
}

/* Between members: another one begins here, or only zeros (padding) follow. */
static int gzip_between(struct tamis_stream *s)
{
    if (s->input[s->at] == 0) {
        s->at++;
        return TAMIS_OK;
    }
    if (s->input[s->at] != s->form->magic[0] || inflateReset(&s->gzip) != Z_OK) return damaged(s);
    s->inside = 1;
    return TAMIS_OK;
}

static int gzip_inflate(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got)
{
    s->gzip.next_in = s->input + s->at;
    s->gzip.avail_in = (unsigned)(s->filled - s->at);
    s->gzip.next_out = to;
    s->gzip.avail_out = n < 1u << 30 ? (unsigned)n : 1u << 30;
    unsigned before = s->gzip.avail_out;
    int code = inflate(&s->gzip, Z_NO_FLUSH);
    s->at = s->filled - s->gzip.avail_in;
    *got = before - s->gzip.avail_out;
    if (code == Z_STREAM_END) s->inside = 0;
    if (code == Z_MEM_ERROR) return tamis_fail(s->cx, TAMIS_MEMORY, "%s: out of memory while unpacking", s->name);
    return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR ? TAMIS_OK : damaged(s);
}

static int gzip_read(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got)
{
    size_t k;
    for (*got = 0; *got < n; *got += k) {
        int status = fill_input(s), empty = s->at == s->filled;
        k = 0;
        if (status || (empty && !s->inside)) return status;
        status = s->inside ? gzip_inflate(s, to + *got, n - *got, &k) : gzip_between(s);
        if (status) return status;
        if (empty && !k && s->inside) return truncated(s);
    }
    return TAMIS_OK;
}

static void gzip_end(struct tamis_stream *s) { inflateEnd(&s->gzip); }

/* ---- zstd ---- */

static int zstd_begin(struct tamis_stream *s)
{
    s->zstd = ZSTD_createDStream();
    if (!s->zstd || ZSTD_isError(ZSTD_initDStream(s->zstd)))
        return tamis_fail(s->cx, TAMIS_MEMORY, "%s: zstd could not start", s->name);
    s->inside = 1;
    return TAMIS_OK;
}

static int zstd_read(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got)
{
    ZSTD_outBuffer out = {to, n, 0};
    while (out.pos < n) {
        int status = fill_input(s), empty = s->at == s->filled;
        size_t before = out.pos;
        if (status || (empty && !s->inside)) break;
        ZSTD_inBuffer in = {s->input, s->filled, s->at};
        size_t code = ZSTD_decompressStream(s->zstd, &out, &in);
        s->at = in.pos;
        if (ZSTD_isError(code)) return damaged(s);
        s->inside = code != 0;
        if (empty && out.pos == before && s->inside) return truncated(s);
    }
    *got = out.pos;
    return tamis_status(s->cx);
}

static void zstd_end(struct tamis_stream *s) { ZSTD_freeDStream(s->zstd); }

static const struct form forms[] = {
    {"gzip", 2, {0x1F, 0x8B}, gzip_begin, gzip_read, gzip_end},
    {"zstd", 4, {0x28, 0xB5, 0x2F, 0xFD}, zstd_begin, zstd_read, zstd_end},
    {"plain", 0, {0}, plain_begin, plain_read, plain_end},
};

/* ---- UTF-16 ---- */

static int wide_fill(struct tamis_stream *s, struct wide *w)
{
    size_t got = w->first_filled - w->first_at;
    int status = TAMIS_OK;
    if (got > WIDE) got = WIDE;
    if (got) memcpy(w->raw, w->first + w->first_at, got);
    else status = s->form->read(s, w->raw, WIDE, &got);
    w->first_at += w->first_at < w->first_filled ? got : 0;
    w->at = 0;
    w->filled = tamis_utf16_convert(&w->state, w->raw, got, w->text);
    if (got) return status;
    w->ended = 1;
    w->filled = tamis_utf16_end(&w->state, w->text);
    return status;
}

static int wide_read(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got)
{
    struct wide *w = s->wide;
    int status = TAMIS_OK;
    for (*got = 0; *got < n && !status;) {
        size_t k = w->filled - w->at;
        if (!k && w->ended) break;
        if (k > n - *got) k = n - *got;
        memcpy(to + *got, w->text + w->at, k);
        w->at += k;
        *got += k;
        if (!k) status = wide_fill(s, w);
    }
    return status;
}

static int decoded(struct tamis_stream *s, unsigned char *to, size_t n, size_t *got)
{
    return s->wide ? wide_read(s, to, n, got) : s->form->read(s, to, n, got);
}

/* If the first bytes are UTF-16, they become those of `wide`. */
static int wide_find(struct tamis_stream *s)
{
    const unsigned char *bytes;
    size_t n;
    int status = tamis_stream_peek(s, &bytes, &n), order = status ? TAMIS_NOT_UTF16 : tamis_utf16_find(bytes, n);
    if (order == TAMIS_NOT_UTF16) return status;
    if (!(s->wide = tamis_new(s->cx, struct wide, 1))) return TAMIS_MEMORY;
    s->wide->state.big = order == TAMIS_UTF16_BIG;
    s->wide->first = s->head;
    s->wide->first_filled = n;
    s->head = NULL;
    s->head_at = s->head_filled = 0;
    tamis_note(s->cx, "%s: text in UTF-16 was converted to UTF-8", s->name);
    return TAMIS_OK;
}

/* ---- opening ---- */

static int recognise(struct tamis_stream *s)
{
    int status = fill_input(s);
    if (status) return status;
    const struct form *f = forms;
    while (s->filled < f->length || memcmp(s->input, f->magic, f->length)) f++;
    s->form = f;
    status = f->begin(s);
    return status ? status : wide_find(s);
}

static struct tamis_stream *stream_new(tamis_context *cx, const char *name)
{
    struct tamis_stream *s = tamis_new(cx, struct tamis_stream, 1);
    if (!s) return NULL;
    s->cx = cx;
    s->fd = -1;
    s->name = tamis_strdup(cx, name);
    s->input = tamis_raw(cx, unsigned char, INPUT);
    if (s->name && s->input) return s;
    tamis_stream_close(s);
    return NULL;
}

static int cannot_open(struct tamis_stream *s, int code)
{
    if (code == ENOENT || code == ENOTDIR)
        return tamis_fail(s->cx, TAMIS_DATA, "%s: no such file; check the name", s->name);
    return tamis_fail(s->cx, TAMIS_DATA, "%s: cannot be read (%s); check its permissions", s->name, strerror(code));
}

static int open_here(struct tamis_stream *s, const char *path)
{
    struct stat st;
    s->fd = s->owned ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (s->fd < 0 || fstat(s->fd, &st)) return cannot_open(s, errno);
    if (S_ISDIR(st.st_mode)) return tamis_fail(s->cx, TAMIS_DATA, "%s: is a directory; name a file in it", s->name);
    if (S_ISREG(st.st_mode)) s->size = (double)st.st_size;
    return TAMIS_OK;
}

static int open_file(struct tamis_stream *s, const char *path)
{
    s->owned = strcmp(path, "-") != 0;
    s->shared = tamis_shares(s->cx);
    int status = tamis_reads(s->cx) ? open_here(s, path) : TAMIS_OK;
    status = tamis_share(s->cx, status, &s->size, sizeof s->size);
    return status ? status : recognise(s);
}

static int hand_over(struct tamis_stream *s, int status, struct tamis_stream **out)
{
    if (status) tamis_stream_close(s);
    *out = status ? NULL : s;
    return status;
}

int tamis_stream_open(tamis_context *cx, const char *path, struct tamis_stream **out)
{
    struct tamis_stream *s = stream_new(cx, strcmp(path, "-") ? path : "standard input");
    return hand_over(s, s ? open_file(s, path) : TAMIS_MEMORY, out);
}

int tamis_stream_open_memory(tamis_context *cx, const void *bytes, size_t n, const char *name,
                             struct tamis_stream **out)
{
    struct tamis_stream *s = stream_new(cx, name);
    if (s) s->memory = bytes, s->memory_left = n, s->size = (double)n;
    return hand_over(s, s ? recognise(s) : TAMIS_MEMORY, out);
}

int tamis_stream_read(struct tamis_stream *s, void *buffer, size_t n, size_t *got)
{
    size_t held = s->head_filled - s->head_at, rest = 0;
    if (held > n) held = n;
    if (held) memcpy(buffer, s->head + s->head_at, held);
    s->head_at += held;
    int status = held < n ? decoded(s, (unsigned char *)buffer + held, n - held, &rest) : TAMIS_OK;
    *got = held + rest;
    return status;
}

int tamis_stream_peek(struct tamis_stream *s, const unsigned char **bytes, size_t *n)
{
    int status = TAMIS_OK;
    if (!s->head) {
        if (!(s->head = tamis_raw(s->cx, unsigned char, TAMIS_STREAM_HEAD))) return TAMIS_MEMORY;
        status = decoded(s, s->head, TAMIS_STREAM_HEAD, &s->head_filled);
    }
    *bytes = s->head + s->head_at;
    *n = s->head_filled - s->head_at;
    return status;
}

void tamis_stream_close(struct tamis_stream *s)
{
    if (!s) return;
    if (s->form) s->form->end(s);
    if (s->owned && s->fd >= 0) close(s->fd);
    if (s->wide) tamis_free(s->wide->first);
    tamis_free(s->wide);
    tamis_free(s->head);
    tamis_free(s->input);
    tamis_free(s->name);
    tamis_free(s);
}

const char *tamis_stream_name(const struct tamis_stream *s) { return s->name; }
int tamis_stream_packed(const struct tamis_stream *s) { return s->form->length > 0 || s->wide; }

const char *tamis_stream_path(const struct tamis_stream *s)
{
    return s->owned && !s->shared && s->size > 0 && !tamis_stream_packed(s) ? s->name : NULL;
}

double tamis_stream_taken(const struct tamis_stream *s)
{
    size_t held = s->filled - s->at + (tamis_stream_packed(s) ? 0 : s->head_filled - s->head_at);
    return s->taken - (double)held;
}

double tamis_stream_size(const struct tamis_stream *s) { return s->size; }
