/* tamis predict */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"

/* Where predictions go: standard output, or a temporary file that takes its final name when it is complete. */
struct sink {
    FILE *f;
    const char *path;
    char *beside;               /* the temporary name; NULL: written in place (a pipe or a device) */
    int why;                    /* errno of the first failure */
};

static int sink_write(void *user, const char *text, size_t n)
{
    struct sink *s = user;
    if (fwrite(text, 1, n, s->f) == n && !fflush(s->f)) return 0;
    s->why = errno;
    return 1;
}

static int sink_open(struct sink *s, const char *path)
{
    struct stat st;
    s->f = stdout;
    if (!path || !strcmp(path, "-")) return 0;
    s->path = path;
    if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) {
        size_t room = strlen(path) + 32;
        if (!(s->beside = malloc(room))) return s->why = ENOMEM;
        snprintf(s->beside, room, "%s.%ld.part", path, (long)getpid());
    }
    s->f = fopen(s->beside ? s->beside : path, "w");
    return s->f ? 0 : (s->why = errno);
}

/* Gives the file its final name, or removes it if the run failed. */
static void sink_close(struct sink *s, int failed)
{
    if (!s->path) return;
    if (s->f && (fflush(s->f) || (s->beside && fsync(fileno(s->f)))) && !s->why) s->why = errno;
    if (s->f && fclose(s->f) && !s->why) s->why = errno;
    if (s->f && s->beside && !failed && !s->why && rename(s->beside, s->path)) s->why = errno;
    if (s->f && s->beside && (failed || s->why)) unlink(s->beside);
    free(s->beside);
}

static int say_unwritten(struct cli *c, const struct sink *s)
{
    cli_clear_progress(c);
    fprintf(stderr, "tamis: cannot write to %s: %s\n", s->path ? s->path : "standard output", strerror(s->why));
    return TAMIS_SYSTEM;
}

static int run(struct cli *c)
{
    struct sink s = {.f = NULL};
    tamis_model *m = NULL;
    int status = tamis_model_load(c->cx, c->word[0], &m);
    if (!status && !sink_open(&s, cli_option(c, "output")))
        status = tamis_model_predict_csv(c->cx, m, c->word[1], c->options, sink_write, &s);
    sink_close(&s, status);
    tamis_model_free(m);
    if (s.why) return say_unwritten(c, &s);
    return status ? cli_fail(c, status) : TAMIS_OK;
}

const struct command cli_predict = {
    .name = "predict",
    .arguments = "MODEL DATA",
    .summary = "predict with a saved model, as CSV on standard output",
    .accepts = "data output threads quiet progress",
    .least = 2,
    .most = 2,
    .about = "MODEL comes from 'tamis select --model', or from 'tamis export --to json'. DATA needs only the columns "
             "that the model uses, found by name, and may have any number of rows: memory use does not grow. The "
             "output has one line per row, in the units of the target; for a classifier, the class and one score per "
             "class. A row with a missing input gets an empty prediction, unless the model imputes. A model with lags "
             "takes the series in time order and predicts every row whose lags are known; add a last row of empty "
             "cells to predict the next value.",
    .examples = "tamis predict boston.model new.csv > predicted.csv\n"
                "zcat rows.csv.gz | tamis predict boston.json - -o predicted.csv",
    .run = run,
};
