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

int cli_fail(struct cli *c, int status)
{
    const char *sentence = c->cx ? tamis_error(c->cx) : "";
    cli_clear_progress(c);
    if (*sentence || status == TAMIS_MEMORY) fprintf(stderr, "tamis: %s\n", *sentence ? sentence : "out of memory");
    return status;
}

int cli_stopped_or_failed(struct cli *c, int status)
{
    const char *checkpoint = cli_option(c, "checkpoint");
    cli_clear_progress(c);
    if (status != TAMIS_STOPPED) return cli_fail(c, status);
    if (checkpoint) fprintf(stderr, "tamis: stopped; repeat the command to resume from %s\n", checkpoint);
    else fprintf(stderr, "tamis: stopped; use --checkpoint FILE to be able to resume a run\n");
    return status;
}

int cli_write(struct cli *c, const char *path, const char *bytes, size_t n)
{
    if (path && strcmp(path, "-")) {
        int status = tamis_write_file(c->cx, path, bytes, n);
        return status ? cli_fail(c, status) : TAMIS_OK;
    }
    if (fwrite(bytes, 1, n, stdout) == n && !fflush(stdout)) return TAMIS_OK;
    fprintf(stderr, "tamis: cannot write to standard output: %s\n", strerror(errno));
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

void cli_padded(FILE *f, const char *s, int width)
{
    int n = cli_width(s);
    for (; *s; s++) fputc((unsigned char)*s < ' ' || *s == 127 ? '?' : *s, f);
    for (; n < width; n++) fputc(' ', f);
}
