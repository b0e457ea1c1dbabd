/* JSON by its values. The text is scanned once for values, the members that hold them and their names; each operation
 * replaces one span of the text. Text that is not JSON gives the spans that look like it. */
#include "fuzz.h"
#include "json_names.h"

enum { NODES = 4096, DEPTH = 64, MOST = 1 << 20 };

struct node { size_t key, key_end, start, end, after; };        /* after: past the comma; key == start: no name */
struct scan {
    const char *s;
    size_t n, nodes;
    struct node node[NODES];
};

static const char *const values[] = {
    "null", "true", "false", "0", "-1", "1", "-0.0", "1e308", "-1e308", "1e-310", "1e999", "0.5", "2", "100000",
    "4294967296", "1e15", "18446744073709551616", "[]", "{}", "\"\"", "\"x1\"", "\"x2\"", "\"-x1\"", "\"+x2\"",
    "[0,1,2]", "[null,1]", "[[1,2],[3,4]]", "[1,\"a\"]", "[{}]", "{\"\":0}", "\"<script>\"", "\"</script><img>\"",
    "\"&<>'\\\"\"", "\"\\u0000\"", "\"\\u2028\\ud83d\\ude00\"", "\"\xC3\xA4\xE2\x82\xAC\"", "\"regression\"",
    "\"classification\"", "\"sift\"", "\"rjmcmc\"", "\"fei\"", "\"sparse-rbf\"", "\"opelm\"", "\"lars\"", "\"rbf\"",
    "\"linear\"", "\"terms\"", "\"knn\"", "\"elm\"", "\"gauss\"", "\"mixture\""};

/* ---- scanning ---- */

static size_t string_end(const struct scan *c, size_t i)
{
    for (i++; i < c->n && c->s[i] != '"'; i++) i += c->s[i] == '\\';
    return i < c->n ? i + 1 : c->n;
}

static size_t blanks(const struct scan *c, size_t i)
{
    while (i < c->n && strchr(" \t\r\n", c->s[i]) && c->s[i]) i++;
    return i;
}

static size_t word_end(const struct scan *c, size_t i)
{
    size_t start = i;
    while (i < c->n && !strchr(",]}{[: \t\r\n\"", c->s[i])) i++;
    return i > start ? i : i + 1;
}

static void close_node(struct scan *c, struct node *v, size_t end)
{
    size_t next = blanks(c, end);
    v->end = end;
    v->after = next < c->n && c->s[next] == ',' ? next + 1 : end;
}

static void scan(struct scan *c)
{
    size_t open[DEPTH], depth = 0, key = 0, key_end = 0, i = 0;
    for (c->nodes = 0; (i = blanks(c, i)) < c->n && c->nodes < NODES;) {
        char b = c->s[i];
        if (b == ',' || b == ':') {
            i++;
        } else if (b == ']' || b == '}') {
            if (depth) close_node(c, &c->node[open[--depth]], i + 1);
            i++;
        } else {
            size_t end = b == '"' ? string_end(c, i) : b == '{' || b == '[' ? i + 1 : word_end(c, i);
            size_t next = blanks(c, end);
            if (b == '"' && next < c->n && c->s[next] == ':') {
                key = i, key_end = end, i = next + 1;
                continue;
            }
            struct node *v = &c->node[c->nodes++];
            *v = (struct node){key_end ? key : i, key_end ? key_end : i, i, end, end};
            key_end = 0;
            close_node(c, v, end);
            if ((b == '{' || b == '[') && depth < DEPTH) open[depth++] = c->nodes - 1;
            i = end;
        }
    }
    while (depth) close_node(c, &c->node[open[--depth]], c->n);
}

/* ---- operations: what replaces which span ---- */

struct edit { size_t from, to; };

static void text(struct fuzz_bytes *out, const char *s) { fuzz_put(out, s, strlen(s)); }

static void some_name(struct fuzz_bytes *out, struct fuzz_random *r)
{
    fuzz_put(out, "\"", 1);
    text(out, json_names[fuzz_pick(r, sizeof json_names / sizeof *json_names)]);
    fuzz_put(out, "\"", 1);
}

static void some_value(struct fuzz_bytes *out, struct fuzz_random *r)
{
    text(out, values[fuzz_pick(r, sizeof values / sizeof *values)]);
}

static const struct node *some_node(const struct scan *c, struct fuzz_random *r)
{
    return &c->node[fuzz_pick(r, c->nodes)];
}

typedef struct edit edit_function(const struct scan *c, struct fuzz_bytes *out, struct fuzz_random *r);

static struct edit set_value(const struct scan *c, struct fuzz_bytes *out, struct fuzz_random *r)
{
    const struct node *v = some_node(c, r);
    some_value(out, r);
    return (struct edit){v->start, v->end};
}

static struct edit copy_value(const struct scan *c, struct fuzz_bytes *out, struct fuzz_random *r)
{
    const struct node *v = some_node(c, r), *w = some_node(c, r);
    fuzz_put(out, c->s + w->start, w->end - w->start);
    return (struct edit){v->start, v->end};
}

static struct edit rename_member(const struct scan *c, struct fuzz_bytes *out, struct fuzz_random *r)
{
    const struct node *v = some_node(c, r);
    if (v->key == v->key_end) return set_value(c, out, r);
    some_name(out, r);
    return (struct edit){v->key, v->key_end};
}

static struct edit delete_item(const struct scan *c, struct fuzz_bytes *out, struct fuzz_random *r)
{
    const struct node *v = some_node(c, r);
    (void)out;
    size_t from = v->key, to = v->after;
    if (to == v->end)                                   /* the last: the comma before it goes */
        while (from && strchr(" \t\r\n,", c->s[from - 1])) from--;
    return (struct edit){from, to};
}

static struct edit repeat_item(const struct scan *c, struct fuzz_bytes *out, struct fuzz_random *r)
{
    const struct node *v = some_node(c, r);
    for (size_t k = 1 + fuzz_pick(r, fuzz_pick(r, 6) ? 3 : 100); k; k--) {
        fuzz_put(out, c->s + v->key, v->end - v->key);
        fuzz_put(out, ",", 1);
    }
    return (struct edit){v->key, v->key};
}

static struct edit add_member(const struct scan *c, struct fuzz_bytes *out, struct fuzz_random *r)
{
    const struct node *v = some_node(c, r), *w = some_node(c, r);
    if (v->key == v->key_end) return repeat_item(c, out, r);
    some_name(out, r);
    fuzz_put(out, ":", 1);
    if (fuzz_pick(r, 2)) some_value(out, r);
    else fuzz_put(out, c->s + w->start, w->end - w->start);
    fuzz_put(out, ",", 1);
    return (struct edit){v->key, v->key};
}

static struct edit wrap(const struct scan *c, struct fuzz_bytes *out, struct fuzz_random *r)
{
    const struct node *v = some_node(c, r);
    int record = fuzz_pick(r, 2) != 0;
    fuzz_put(out, record ? "{" : "[", 1);
    if (record) {
        some_name(out, r);
        fuzz_put(out, ":", 1);
    }
    fuzz_put(out, c->s + v->start, v->end - v->start);
    fuzz_put(out, record ? "}" : "]", 1);
    return (struct edit){v->start, v->end};
}

static struct edit change_bytes(const struct scan *c, struct fuzz_bytes *out, struct fuzz_random *r)
{
    uint8_t buffer[512];
    const struct node *v = some_node(c, r);
    size_t start = v->start + (c->s[v->start] == '"'), end = v->end - (c->s[v->end - 1] == '"');
    if (end <= start || end - start > 400) return set_value(c, out, r);
    memcpy(buffer, c->s + start, end - start);
    fuzz_put(out, buffer, LLVMFuzzerMutate(buffer, end - start, sizeof buffer));
    return (struct edit){start, end};
}

static void edit_once(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    static edit_function *const operation[] = {set_value, set_value,  set_value, copy_value,  rename_member,
                                               wrap,      add_member, repeat_item, delete_item, change_bytes};
    static uint8_t buffer[MOST];
    static struct scan c;
    struct fuzz_bytes new = {buffer, 0, MOST};
    c.s = (const char *)data, c.n = n;
    scan(&c);
    if (!c.nodes) {
        text(out, "{\"method\":\"sift\",\"inputs\":[]}");
        return;
    }
    struct edit e = operation[fuzz_pick(r, sizeof operation / sizeof *operation)](&c, &new, r);
    fuzz_put(out, data, e.from);
    fuzz_put(out, new.b, new.n);
    fuzz_put(out, data + e.to, n - e.to);
}

void fuzz_mutate_json(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    static uint8_t buffer[2][MOST];
    size_t times = fuzz_pick(r, 3);
    struct fuzz_bytes to = {NULL, 0, out->max};
    for (size_t k = 0; k < times; k++, data = to.b, n = to.n) {
        to.b = buffer[k % 2], to.n = 0;
        edit_once(data, n, &to, r);
    }
    edit_once(data, n, out, r);
}
