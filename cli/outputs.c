/* Before a run: whether the files it will write can be written, so that hours of work do not end in an error. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"

static const char *const outputs[] = {"output", "model", "report", "plot", "checkpoint"};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* A name of a file, not standard output. */
static const char *file_of(const struct cli *c, size_t i)
{
    const char *path = cli_option(c, outputs[i]);
    return path && strcmp(path, "-") ? path : NULL;
}

/* Files are written beside their name and renamed: the folder must be writable. */
static int folder_check(const char *option, const char *path)
{
    char folder[4096];
    struct stat s;
    const char *slash = strrchr(path, '/');
    if (slash && (size_t)(slash - path) >= sizeof folder) return TAMIS_OK;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1, slash ? path : ".");
    if (!stat(path, &s) && S_ISDIR(s.st_mode)) {
        fprintf(stderr, "tamis: --%s: %s cannot be written: it is a folder\n", option, path);
        return TAMIS_SYSTEM;
    }
    if (!stat(path, &s) && !S_ISREG(s.st_mode)) return TAMIS_OK;        /* a device or pipe */
    if (!access(folder, W_OK | X_OK)) return TAMIS_OK;
    fprintf(stderr, "tamis: --%s: %s cannot be written: %s\n", option, path, strerror(errno));
    return TAMIS_SYSTEM;
}

/* Whether two names are the same file, there or to be. */
static int same_file(const char *a, const char *b)
{
    struct stat s, t;
    if (!strcmp(a, b)) return 1;
    return !stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino && S_ISREG(s.st_mode);
}

int cli_outputs_check(struct cli *c)
{
    for (size_t i = 0; i < OUTPUTS; i++) {
        const char *path = file_of(c, i);
        if (!path) continue;
        if (folder_check(outputs[i], path)) return TAMIS_SYSTEM;
        for (size_t j = 0; j < i; j++)
            if (file_of(c, j) && same_file(file_of(c, j), path))
                return cli_usage(c, "--%s and --%s both name %s; give two files", outputs[j], outputs[i], path);
        for (int k = 0; k < c->words; k++)
            if (strcmp(c->word[k], "-") && same_file(c->word[k], path))
                return cli_usage(c, "--%s would overwrite %s, which is read; give another name", outputs[i], path);
    }
    return TAMIS_OK;
}
