/* Messages, files, progress. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli.h"

void cli_clear_progress(const struct cli *c)
{
    if (c->progress) fputs("\r\033[K", stderr);
}

static int said;        /* the reason of a failure was given */

void cli_vsay(const char *format, va_list ap)
{
    char sentence[2048];
    said = 1;
    vsnprintf(sentence, sizeof sentence, format, ap);
    fprintf(stderr, "tamis: %s\n", tamis_printable(sentence));
}

void cli_say(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    cli_vsay(format, ap);
    va_end(ap);
}

int cli_fail(struct cli *c, int status)
{
    const char *sentence = c->cx ? tamis_error(c->cx) : "";
    cli_clear_progress(c);
    if (status == TAMIS_STOPPED) cli_say_stopped();
    else if (*sentence || status == TAMIS_MEMORY) cli_say("%s", *sentence ? sentence : "out of memory");
    return status;
}

int cli_write(struct cli *c, const char *path, const char *bytes, size_t n)
{
    if (path && strcmp(path, "-")) {
        int status = tamis_write_file(c->cx, path, bytes, n);
        return status ? cli_fail(c, status) : TAMIS_OK;
    }
    fwrite(bytes, 1, n, stdout);
    return cli_flush();
}

int cli_flush(void)
{
    if (!(fflush(stdout) | ferror(stdout))) return TAMIS_OK;
    if (!said) cli_say("standard output: cannot be written: %s", strerror(errno));
    return TAMIS_SYSTEM;
}

int cli_print_json(struct cli *c, const tamis_value *v)
{
    char *text = NULL;
    size_t n = 0;
    int status = tamis_value_json(c->cx, v, &text, &n);
    status = status ? cli_fail(c, status) : cli_write(c, NULL, text, n);
    tamis_release(text);
    return status;
}

int cli_read_table(struct cli *c, const char *path, tamis_table **t)
{
    int status = tamis_table_read(c->cx, path, c->options, t);
    return status ? cli_fail(c, status) : TAMIS_OK;
}

/* ---- callbacks ---- */

static void on_note(void *user, const char *sentence)
{
    struct cli *c = user;
    if (!c->quiet) fprintf(c->notes, "note: %s\n", sentence);
}

/* Notes are shown only if the command succeeded; otherwise the reason is the only line. */
void cli_show_notes(struct cli *c, int status)
{
    if (c->notes) fclose(c->notes);
    if (!status && c->note_text) fputs(c->note_text, stderr);
    free(c->note_text);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { BAR = 20 };

static void draw_bar(const char *what, double share, double left)
{
    int full = (int)(share * BAR);
    fprintf(stderr, "\r\033[K%s [", what);
    for (int k = 0; k < BAR; k++) fputc(k < full ? '#' : '.', stderr);
    fprintf(stderr, "] %3.0f %%", 100 * share);
    if (share > 0 && share < 1) fprintf(stderr, ", about %.0f s left", left);
    if (share >= 1) fputs("\r\033[K", stderr);
    fflush(stderr);
}

static void on_progress(void *user, const char *what, double done, double total)
{
    struct cli *c = user;
    double t = now(), share = total > 0 ? done / total : 0;
    int reading = !strcmp(what, "reading"), renamed = strcmp(c->phase, what) != 0;
    if (!c->progress && !c->verbose) return;
    if (!*c->phase || (renamed && !strcmp(c->phase, "reading"))) c->began = t, c->drawn = c->written = -1;
    if (renamed) snprintf(c->phase, sizeof c->phase, "%s", what);
    double left = share > 0 ? (t - c->began) * (1 - share) / share : 0;
    if (c->progress && (t - c->drawn >= 0.1 || share >= 1)) {
        draw_bar(what, share, left);
        c->drawn = t;
    }
    if (c->progress || reading || !(renamed || share >= c->written + 0.1 || (share >= 1 && c->written < 1))) return;
    fprintf(stderr, "%s: %.0f %%, %.0f s", what, 100 * share, t - c->began);
    fprintf(stderr, share > 0 && share < 1 ? ", about %.0f s left\n" : "\n", left);
    c->written = share;
}

int cli_callbacks(struct cli *c)
{
    const char *when = cli_option(c, "progress");
    if (!(c->notes = open_memstream(&c->note_text, &c->note_length))) return TAMIS_MEMORY;
    c->progress = !c->quiet &&
                  (when && !strcmp(when, "always") ? 1 : (!when || !strcmp(when, "auto")) && isatty(STDERR_FILENO));
    c->verbose = !c->progress && !c->quiet && cli_flag(c, "verbose");
    tamis_context_on_note(c->cx, on_note, c);
    tamis_context_on_progress(c->cx, on_progress, c);
    return TAMIS_OK;
}

/* ---- text ---- */

int cli_width(const char *s)
{
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

/* Bytes of the next piece of a text: at most `most`, and no character is cut. */
static size_t piece(const char *s, size_t most)
{
    size_t n = strnlen(s, most), cut = n;
    while (s[n] && cut && ((unsigned char)s[cut] & 0xC0) == 0x80) cut--;
    return cut ? cut : n;
}

void cli_put(const char *s)
{
    char part[256];
    for (size_t n; s && *s; s += n) {
        n = piece(s, sizeof part - 1);
        memcpy(part, s, n);
        part[n] = 0;
        fputs(tamis_printable(part), stdout);
    }
}

void cli_padded(const char *s, int width)
{
    cli_put(s);
    for (int n = s ? cli_width(s) : 0; n < width; n++) putchar(' ');
}
