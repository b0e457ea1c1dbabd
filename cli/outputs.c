/* Before a run: whether the files it will write can be written, so that hours of work do not end in an error. */
#include <string.h>
#include <sys/stat.h>
#include "cli.h"

static const char *const outputs[] = {"output", "model", "report", "plot", "checkpoint"};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* A name of a file, not standard output. */
static const char *file_of(const struct cli *c, size_t i)
{
    const char *path = cli_option(c, outputs[i]);
    return path && strcmp(path, "-") ? path : NULL;
}

/* Whether two names are the same file, there or to be; devices and pipes can take several outputs. */
static int same_file(const char *a, const char *b)
{
    struct stat s, t;
    if (stat(a, &s) || stat(b, &t)) return !strcmp(a, b);
    return s.st_dev == t.st_dev && s.st_ino == t.st_ino && S_ISREG(s.st_mode);
}

static int check(struct cli *c, size_t i, const char *path)
{
    int status = tamis_output_check(c->cx, path);
    if (status) cli_say("--%s: %s", outputs[i], tamis_error(c->cx));
    for (size_t j = 0; j < i && !status; j++)
        if (file_of(c, j) && same_file(file_of(c, j), path))
            status = cli_usage(c, "--%s and --%s both name %s; give two files", outputs[j], outputs[i], path);
    for (int k = 0; k < c->words && !c->command->reads_nothing && !status; k++)
        if (strcmp(c->word[k], "-") && same_file(c->word[k], path))
            status = cli_usage(c, "--%s would overwrite %s, which is read; give another name", outputs[i], path);
    return status;
}

int cli_outputs_check(struct cli *c)
{
    int status = TAMIS_OK;
    for (size_t i = 0; i < OUTPUTS && !status; i++)
        if (file_of(c, i)) status = check(c, i, file_of(c, i));
    return status;
}
