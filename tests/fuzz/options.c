/* Options by name and text, and the command line. Each line of the input is one option, NAME=VALUE, or one word of a
 * command; the first byte says which. What was set is got back; what is refused has a sentence. */
#include <stdio.h>
#include "fuzz.h"
#include "../../cli/cli.h"

enum { WORDS = 8 };

/* Cuts the text into lines, which end in zeros. */
static int lines(char *text, char **line)
{
    int n = 0;
    for (char *s = text; *s && n < WORDS; s += strcspn(s, "\n"), *s ? *s++ = 0 : 0) line[n++] = s;
    return n;
}

static void set(tamis_context *cx, tamis_options *o, const char *name, const char *value)
{
    double x;
    int flag;
    const char *const one[] = {value, "a,\"b"};
    int status = tamis_options_set(o, name, value);
    check(!status == !*tamis_error(cx));
    if (!status && strncmp(name, "no-", 3)) check(!strcmp(tamis_options_get(o, name), value));
    check(!tamis_options_get_number(o, name, &x) || *tamis_error(cx));
    check(!tamis_options_get_flag(o, name, &flag) || *tamis_error(cx));
    if (!tamis_options_set_names(o, name, one, 2)) check(tamis_options_get(o, name) != NULL);
    if (!status && value[0] == 'u') {
        tamis_options_unset(o, name);
        check(!tamis_options_get(o, name));
    }
}

static void library(tamis_context *cx, char **line, int n)
{
    tamis_options *o = tamis_options_new(cx);
    for (int i = 0; i < n; i++) {
        char *value = strchr(line[i], '=');
        if (value) *value++ = 0;
        set(cx, o, line[i], value ? value : "");
    }
    tamis_options_free(o);
}

/* Only parsed, not run; messages go nowhere. */
static void command_line(tamis_context *cx, char **line, int n)
{
    static FILE *nowhere;
    FILE *before = stderr;
    char *word[WORDS + 1] = {"tamis"}, *positional[WORDS + 1];
    memcpy(word + 1, line, (size_t)n * sizeof *word);
    struct cli c = {.command = n ? cli_command_find(line[0]) : NULL, .cx = cx, .word = positional};
    if (!c.command) return;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    c.options = tamis_options_new(cx);
    check(!cli_options_begin(&c));
    stderr = nowhere;
    int status = cli_parse(&c, n + 1, word);
    stderr = before;
    check(!status || status == TAMIS_USAGE);
    if (!status) check(c.words >= c.command->least && c.words <= c.command->most);
    free(c.own);
    free(c.label);
    tamis_options_free(c.options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static char text[1 << 16];
    char *line[WORDS];
    if (!n || n > sizeof text) return 0;
    memcpy(text, data + 1, n - 1);
    text[n - 1] = 0;
    (data[0] % 2 ? command_line : library)(fuzz_context(), line, lines(text, line));
    return 0;
}

/* ---- the mutator: names and choices come from the table of options itself ---- */

static const char *const values[] = {
    "select", "compare", "predict", "report", "export", "describe", "clean", "generate", "methods", "data.csv", "-",
    "--", "-o", "-oX", "1", "0", "-1", "0.5", "1e999", "1e-310", "nan", "inf", "1:2:3", "1:500:50", "2:1", ":", "1:",
    "all",
    "auto", "none", "500M", "4GiB", "1T", "K", "x1", "x1,x2", "\"a,b\",c", "\"", ",", "yes", "no", "TRUE", "0x10",
    "--help", "--json", "--quiet", "--no-", "--no-json", "--no-standardize", "--=", "---", "9007199254740993", "u", ""};

static void some_option(struct fuzz_bytes *out, struct fuzz_random *r, int command)
{
    tamis_option_info o = {.size = sizeof o};
    static size_t options;
    while (!options || cli_option_at(options, &o)) options++;
    cli_option_at(fuzz_pick(r, options), &o);
    const char *value = o.choices && fuzz_pick(r, 2) ? o.choices : values[fuzz_pick(r, sizeof values / sizeof *values)];
    size_t length = strcspn(value, "|");
    if (command) fuzz_put(out, "--", 2);
    if (!fuzz_pick(r, 16)) fuzz_put(out, "no-", 3);
    fuzz_put(out, o.name, strlen(o.name));
    fuzz_put(out, command && fuzz_pick(r, 2) ? "\n" : "=", 1);
    fuzz_put(out, value, length);
}

static void mutate(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    uint8_t command = (uint8_t)(n && fuzz_pick(r, 16) ? data[0] : fuzz_pick(r, 2));
    size_t at = n > 1 ? 1 + fuzz_pick(r, n - 1) : n;
    fuzz_put(out, &command, 1);
    while (at > 1 && at < n && data[at - 1] != '\n') at--;
    if (at > 1) fuzz_put(out, data + 1, at - 1);
    if (fuzz_pick(r, 3)) some_option(out, r, command % 2);
    else {
        const char *v = values[fuzz_pick(r, sizeof values / sizeof *values)];
        fuzz_put(out, v, strlen(v));
    }
    fuzz_put(out, "\n", 1);
    if (fuzz_pick(r, 2))                                /* in place of the line that was there */
        while (at < n && data[at++] != '\n') {}
    if (at < n) fuzz_put(out, data + at, n - at);
}

FUZZ_MUTATOR(mutate)
