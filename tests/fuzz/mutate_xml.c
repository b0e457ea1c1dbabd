/* XML by its elements and attributes. The text is scanned once for tags; each operation replaces one span of the text.
 * Text that is not XML gives the spans that look like it. */
#include "fuzz.h"

enum { ELEMENTS = 2048, DEPTH = 64, DEEP = 120, MOST = 1 << 16 };

struct element { size_t start, name, inner, end; };     /* start: of <; name: its end; inner: past > */
struct scan {
    const uint8_t *s;
    size_t n, elements;
    struct element element[ELEMENTS];
    const struct fuzz_words *words;
    struct fuzz_random *random;
};
struct edit { size_t from, to; };

static size_t find(const struct scan *c, size_t i, const char *stops)
{
    while (i < c->n && !(c->s[i] && strchr(stops, c->s[i]))) i++;
    return i;
}

static void scan(struct scan *c)
{
    size_t open[DEPTH], depth = 0;
    c->elements = 0;
    for (size_t i = find(c, 0, "<"); i < c->n && c->elements < ELEMENTS; i = find(c, i, "<")) {
        size_t end = find(c, i, ">");
        end += end < c->n;
        if (i + 1 < c->n && c->s[i + 1] == '/') {
            if (depth) c->element[open[--depth]].end = end;
        } else {
            c->element[c->elements++] = (struct element){i, find(c, i, " />\n"), end, end};
            if (depth < DEPTH && end >= 2 && c->s[end - 2] != '/' && c->s[i + 1] != '?')
                open[depth++] = c->elements - 1;
        }
        i = end > i ? end : i + 1;
    }
}

static size_t pick(const struct scan *c, size_t n) { return fuzz_pick(c->random, n); }
static const struct element *some(const struct scan *c) { return &c->element[pick(c, c->elements)]; }

static void put_word(const struct scan *c, struct fuzz_bytes *out)
{
    const char *w = c->words->word[pick(c, c->words->words)];
    fuzz_put(out, w, strlen(w));
}

/* ---- operations ---- */

typedef struct edit operation(const struct scan *c, struct fuzz_bytes *out);

/* The text at i up to a stop: a word, or changed bytes. */
static struct edit change(const struct scan *c, size_t i, const char *stops, struct fuzz_bytes *out)
{
    uint8_t buffer[256];
    size_t end = find(c, i, stops), n = end - i;
    if (pick(c, 3) || !n || n > 200) put_word(c, out);
    else {
        memcpy(buffer, c->s + i, n);
        fuzz_put(out, buffer, LLVMFuzzerMutate(buffer, n, sizeof buffer));
    }
    return (struct edit){i, end};
}

static struct edit set_text(const struct scan *c, struct fuzz_bytes *out)
{
    return change(c, some(c)->inner, "<", out);
}

/* One of the attributes, or a new one. */
static struct edit set_attribute(const struct scan *c, struct fuzz_bytes *out)
{
    const struct element *e = some(c);
    size_t quote[64], quotes = 0;
    for (size_t i = e->name; i < e->inner && quotes < 64; i++)
        if (c->s[i] == '"') quote[quotes++] = i;
    if (quotes >= 2 && pick(c, 4)) return change(c, quote[2 * pick(c, quotes / 2)] + 1, "\"", out);
    fuzz_put(out, " ", 1);
    put_word(c, out);
    fuzz_put(out, "=\"", 2);
    put_word(c, out);
    fuzz_put(out, "\"", 1);
    return (struct edit){e->name, e->name};
}

static struct edit rename_start(const struct scan *c, struct fuzz_bytes *out)
{
    const struct element *e = some(c);
    put_word(c, out);
    return (struct edit){e->start + 1, e->name};
}

static struct edit delete(const struct scan *c, struct fuzz_bytes *out)
{
    const struct element *e = some(c);
    (void)out;
    return (struct edit){e->start, e->end};
}

static struct edit repeat(const struct scan *c, struct fuzz_bytes *out)
{
    const struct element *e = some(c);
    for (size_t k = 1 + pick(c, pick(c, 8) ? 3 : 60); k; k--) fuzz_put(out, c->s + e->start, e->end - e->start);
    return (struct edit){e->start, e->start};
}

static struct edit copy(const struct scan *c, struct fuzz_bytes *out)
{
    const struct element *e = some(c), *f = some(c);
    fuzz_put(out, c->s + f->start, f->end - f->start);
    return (struct edit){e->start, pick(c, 2) ? e->start : e->end};
}

static struct edit wrap(const struct scan *c, struct fuzz_bytes *out)
{
    const struct element *e = some(c);
    const char *w = c->words->word[pick(c, c->words->words)];
    size_t times = pick(c, 8) ? 1 : DEEP;
    for (size_t k = 0; k < times; k++) fuzz_put(out, "<", 1), fuzz_put(out, w, strlen(w)), fuzz_put(out, ">", 1);
    fuzz_put(out, c->s + e->start, e->end - e->start);
    for (size_t k = 0; k < times; k++) fuzz_put(out, "</", 2), fuzz_put(out, w, strlen(w)), fuzz_put(out, ">", 1);
    return (struct edit){e->start, e->end};
}

static struct edit add_other(const struct scan *c, struct fuzz_bytes *out)
{
    static const char *const others[] = {"<!-- c -->",
                                         "<![CDATA[a<b]]>",
                                         "<?x y?>",
                                         "<!DOCTYPE a [<!ENTITY e \"x\">]>",
                                         "&e;",
                                         "&amp;",
                                         "\xFF",
                                         "\xEF\xBB\xBF",
                                         "<?xml version=\"1.0\" encoding=\"UTF-16\"?>",
                                         "<?xml version=\"1.0\" encoding=\"latin1\"?>",
                                         "<",
                                         "</c>"};
    const char *s = others[pick(c, sizeof others / sizeof *others)];
    size_t at = pick(c, 3) ? some(c)->inner : 0;
    fuzz_put(out, s, strlen(s));
    return (struct edit){at, at};
}

void fuzz_mutate_xml(const struct fuzz_words *w, const uint8_t *data, size_t n, struct fuzz_bytes *out,
                     struct fuzz_random *r)
{
    static operation *const all[] = {set_text, set_text, set_text, set_attribute, set_attribute, set_attribute, delete,
                                     repeat,   copy,     copy,     wrap,          rename_start,  add_other};
    static uint8_t buffer[MOST];
    static struct scan c;
    struct fuzz_bytes new = {buffer, 0, MOST};
    c.s = data, c.n = n, c.words = w, c.random = r;
    scan(&c);
    if (!c.elements) {
        fuzz_put(out, "<row><c><v>1</v></c></row>", 26);
        return;
    }
    struct edit e = all[fuzz_pick(r, sizeof all / sizeof *all)](&c, &new);
    fuzz_put(out, data, e.from);
    fuzz_put(out, new.b, new.n);
    fuzz_put(out, data + e.to, n - e.to);
}
