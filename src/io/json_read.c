/* JSON (RFC 8259) to values, the only reader of it. A list of numbers and nulls, with one number at least, becomes
 * numbers. Refused, with the line: what is not UTF-8, the character 0, a number beyond a double, and objects or lists
 * more than DEEPEST deep. */
#include <math.h>
#include <string.h>
#include "base/number.h"
#include "base/text.h"
#include "data/labels.h"
#include "io/json_read.h"

enum { DEEPEST = 500 };

struct parser {
    tamis_context *cx;
    const char *at, *end;
    size_t line;
    int depth, unique;          /* unique: an object must not have a key twice */
    struct tamis_text string;   /* the last string, decoded */
};

/* 0, for `return wrong(...)`. */
static int wrong(struct parser *p, const char *what)
{
    tamis_fail(p->cx, TAMIS_DATA, "line %zu: not valid JSON: %s; make the file again", p->line, what);
    return 0;
}

/* ---- tokens ---- */

/* The next character that is not a blank; 0 at the end. */
static char next(struct parser *p)
{
    for (; p->at < p->end && *p->at && strchr(" \t\r\n", *p->at); p->at++) p->line += *p->at == '\n';
    return p->at < p->end ? *p->at : 0;
}

static int take(struct parser *p, char c)
{
    if (next(p) != c) return 0;
    p->at++;
    return 1;
}

static int take_word(struct parser *p, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n)) return 0;
    p->at += n;
    return 1;
}

static const char *digits(const char *s, const char *end)
{
    while (s < end && *s >= '0' && *s <= '9') s++;
    return s;
}

/* The end of the number at s; NULL: there is none. */
static const char *number_end(const char *s, const char *end)
{
    s += s < end && *s == '-';
    const char *whole = s, *e = digits(s, end);
    if (e == whole || (*whole == '0' && e > whole + 1)) return NULL;
    if (e < end && *e == '.') {
        const char *fraction = e + 1;
        if ((e = digits(fraction, end)) == fraction) return NULL;
    }
    if (e == end || (*e | 32) != 'e') return e;
    const char *power = e + 1;
    power += power < end && (*power == '+' || *power == '-');
    return (e = digits(power, end)) == power ? NULL : e;
}

static int number(struct parser *p, double *x)
{
    const char *e = number_end(p->at, p->end);
    if (!e) return wrong(p, "expected a value");
    if (e == p->end) return wrong(p, "the text ends too early");
    if (!tamis_number_whole(p->at, (size_t)(e - p->at), '.', x) || !isfinite(*x))
        return wrong(p, "a number is too large");
    p->at = e;
    return 1;
}

/* ---- strings ---- */

/* Four hexadecimal digits; -1: they are not. */
static long four_digits(struct parser *p)
{
    long code = 0;
    if (p->end - p->at < 4) return -1;
    for (int i = 0; i < 4; i++, p->at++) {
        const char *all = "0123456789abcdef", *d = *p->at ? strchr(all, *p->at | (*p->at > '9' ? 32 : 0)) : NULL;
        if (!d) return -1;
        code = 16 * code + (d - all);
    }
    return code;
}

static void add_utf8(struct tamis_text *t, unsigned long code)
{
    char s[4];
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n; i-- > 1; code >>= 6) s[i] = (char)(0x80 | (code & 0x3F));
    s[0] = (char)(lead[n] | code);
    tamis_text_add(t, s, n);
}

/* After \u: one character, or a pair of surrogates. */
static int unicode(struct parser *p)
{
    long code = four_digits(p), low;
    if (code >= 0xD800 && code < 0xDC00) {
        if (!take_word(p, "\\u") || (low = four_digits(p)) < 0xDC00 || low > 0xDFFF) code = -1;
        else code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code < 0xE000) code = -1;
    if (code <= 0) return wrong(p, "a \\u escape is not a character");
    add_utf8(&p->string, (unsigned long)code);
    return 1;
}

static int escape(struct parser *p)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = p->at < p->end ? *p->at++ : 0;
    const char *known = c ? strchr(from, c) : NULL;
    if (c == 'u') return unicode(p);
    if (!known) return wrong(p, "a string has an unknown escape");
    tamis_text_add(&p->string, to + (known - from), 1);
    return 1;
}

/* Into p->string. */
static int string(struct parser *p)
{
    p->string.length = 0;
    if (!take(p, '"')) return wrong(p, "expected a string");
    tamis_text_add(&p->string, "", 0);
    while (p->at < p->end && *p->at != '"') {
        char room[5] = {0};
        memcpy(room, p->at, p->end - p->at < 4 ? (size_t)(p->end - p->at) : 4);
        size_t n = tamis_utf8_length(room);
        if (*p->at == '\\') {
            p->at++;
            if (!escape(p)) return 0;
            continue;
        }
        if ((unsigned char)*p->at < ' ') return wrong(p, "a string does not end on its line");
        if (!n) return wrong(p, "a string is not UTF-8");
        tamis_text_add(&p->string, p->at, n);
        p->at += n;
    }
    if (!take(p, '"')) return wrong(p, "the text ends inside a string");
    return !tamis_text_status(&p->string);
}

/* ---- values ---- */

static int value(struct parser *p, tamis_value *to, const char *key);

/* The length of a list of numbers and nulls, one number at least, that begins at p; 0: it is none. */
static size_t numbers_ahead(struct parser p)
{
    size_t count = 0, numbers = 0;
    do {
        int digit = next(&p) != 'n';
        const char *e = digit ? number_end(p.at, p.end) : take_word(&p, "null") ? p.at : NULL;
        if (!e) return 0;
        p.at = e;
        numbers += (size_t)digit;
        count++;
    } while (take(&p, ','));
    return next(&p) == ']' && numbers ? count : 0;
}

static int numbers(struct parser *p, tamis_value *to, const char *key, size_t n)
{
    double *x = tamis_add_room(to, key, n);
    for (size_t i = 0; x && i < n; i++, p->at++) {      /* past the comma, or the end of the list */
        x[i] = NAN;
        if (next(p) == 'n') take_word(p, "null");
        else if (!number(p, &x[i])) return 0;
        next(p);
    }
    return x != NULL;
}

static int list(struct parser *p, tamis_value *to, const char *key)
{
    size_t n = numbers_ahead(*p);
    if (n) return numbers(p, to, key, n);
    tamis_value *v = tamis_add_list(to, key);
    if (take(p, ']')) return v != NULL;
    do
        if (!v || !value(p, v, NULL)) return 0;
    while (take(p, ','));
    return take(p, ']') || wrong(p, "expected a comma or ]");
}

/* One member; its key is the count-th of the object. */
static int member(struct parser *p, tamis_value *to, struct tamis_labels *keys, long count)
{
    if (!string(p)) return 0;
    long k = tamis_labels_put(p->cx, keys, p->string.s, p->string.length);
    if (p->unique && k >= 0 && k < count) return wrong(p, "an object has a key twice");
    if (!take(p, ':')) return wrong(p, "expected a colon");
    return k >= 0 && value(p, to, keys->label[k]);
}

/* The members of an object after its brace. */
static int members(struct parser *p, tamis_value *to)
{
    struct tamis_labels keys = {0};
    long count = 0;
    int good;
    if (!to || take(p, '}')) return to != NULL;
    do good = member(p, to, &keys, count++);
    while (good && take(p, ','));
    tamis_labels_free(&keys);
    return good && (take(p, '}') || wrong(p, "expected a comma or }"));
}

static int nested(struct parser *p, tamis_value *to, const char *key, char open)
{
    if (p->depth == DEEPEST) return wrong(p, "it is nested too deeply");
    p->at++;
    p->depth++;
    int good = open == '[' ? list(p, to, key) : members(p, tamis_add_record(to, key));
    p->depth--;
    return good;
}

static int value(struct parser *p, tamis_value *to, const char *key)
{
    double x;
    char c = next(p);
    if (c == '{' || c == '[') return nested(p, to, key, c);
    if (c == '"') {
        if (!string(p)) return 0;
        tamis_add_text(to, key, p->string.s);
    } else if (take_word(p, "true")) tamis_add_flag(to, key, 1);
    else if (take_word(p, "false")) tamis_add_flag(to, key, 0);
    else if (take_word(p, "null")) tamis_add_null(to, key);
    else if (number(p, &x)) tamis_add_exact(to, key, x);
    return !tamis_status(p->cx);
}

/* ---- the whole ---- */

/* Into `root`, a record. Other values are parsed too, to say what is wrong. */
static int parse(struct parser *p, tamis_value *root)
{
    int object = take(p, '{');
    tamis_value *other = object ? NULL : tamis_list_new(p->cx);
    int good = object ? members(p, root) : value(p, other, NULL);
    tamis_value_free(other);
    if (good && next(p)) good = wrong(p, "there is more after its end");
    if (good && p->at < p->end) good = wrong(p, "it contains a character 0");
    if (good && !object) tamis_fail(p->cx, TAMIS_DATA, "this is JSON, but not an object");
    return tamis_status(p->cx);
}

int tamis_json_parse(tamis_context *cx, const char *text, size_t n, int unique, tamis_value **out)
{
    struct parser p = {.cx = cx, .at = text, .end = text + n, .line = 1, .unique = unique, .string = {.cx = cx}};
    tamis_value *v = *out = NULL;
    if ((v = tamis_record_new(cx)) && !parse(&p, v)) *out = v;
    else tamis_value_free(v);
    tamis_text_free(&p.string);
    return tamis_status(cx);
}

int tamis_value_parse(tamis_context *cx, const char *text, size_t n, tamis_value **out)
{
    TAMIS_CALL(cx);
    return tamis_json_parse(cx, text, n, 0, out);
}
