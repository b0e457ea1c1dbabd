/* tamis predict */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"

/* Where lines go: standard output, or a file that is written beside and takes its name when it is whole. */
struct sink {
    FILE *f;
    const char *path;
    char *beside;               /* NULL: written in place, as a pipe or a device is */
    int why;                    /* errno of what failed */
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

/* Gives the file its name, or takes it away when the run failed. */
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
    fprintf(stderr, "tamis: %s could not be written: %s\n", s->path ? s->path : "standard output", strerror(s->why));
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
    "predict",
    "MODEL DATA",
    "predictions of a saved model, as CSV on standard output",
    "data output threads quiet progress",
    2,
    2,
    "DATA needs only the columns that the model uses, by name, and may have any number of rows: they pass through at "
    "fixed memory. One line a row of DATA, in the "
    "units of the target; of a classifier the class and a score for each class. A row with a missing input has an "
    "empty prediction, unless the model imputes. A model with lags "
    "takes the series in time order and predicts every row that has its lags; a last row with empty cells asks for the "
    "next value. MODEL may be the JSON that "
    "'tamis export' wrote.",
    "tamis predict boston.model new.csv > predicted.csv\nzcat rows.csv.gz | tamis predict boston.json - -o "
    "predicted.csv",
    run};
