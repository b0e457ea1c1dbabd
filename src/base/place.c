/* Where an output goes. Symbolic links are followed, so that the file they name is replaced and the link stays. Names
 * of open descriptors (-, /dev/stdout, /dev/fd/3) mean the descriptor itself: what was written there before stays, and
 * nothing in /dev is replaced. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/place.h"

enum { LINKS = 40 };

/* The number that makes up all of a text, or -1. */
static int number(const char *s)
{
    int n = 0;
    size_t digits = strspn(s, "0123456789");
    if (!digits || digits > 6 || s[digits]) return -1;
    for (; *s; s++) n = 10 * n + *s - '0';
    return n;
}

/* The descriptor that a name means, or -1. */
static int descriptor(const char *path)
{
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    if (!strcmp(path, "-")) return STDOUT_FILENO;
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++)
        if (!strncmp(path, folder[i], strlen(folder[i]))) return number(path + strlen(folder[i]));
    return -1;
}

/* Bytes of a path up to its last slash, with it. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Replaces a path that is a symbolic link by what the link names (NULL: no memory); whether it was one. */
static int follow(tamis_context *cx, char **path)
{
    char link[PATH_MAX];
    ssize_t n = readlink(*path, link, sizeof link);
    if (n <= 0 || n == sizeof link) return 0;
    size_t before = *link == '/' ? 0 : folder_length(*path);
    char *s = tamis_raw(cx, char, before + (size_t)n + 1);
    if (s) {
        memcpy(s, *path, before);
        memcpy(s + before, link, (size_t)n);
        s[before + (size_t)n] = 0;
    }
    tamis_free(*path);
    *path = s;
    return 1;
}

static int examine(struct tamis_place *p)
{
    struct stat st;
    if (stat(p->path, &st)) return errno == ENOENT ? 0 : errno;
    if (S_ISDIR(st.st_mode)) return EISDIR;
    p->special = !S_ISREG(st.st_mode);
    p->exists = 1;
    p->mode = st.st_mode & 0777;
    return 0;
}

int tamis_place_find(tamis_context *cx, const char *path, struct tamis_place *p)
{
    *p = (struct tamis_place){.path = tamis_strdup(cx, path), .fd = -1, .mode = 0666};
    int links = 0;
    while (p->path && (p->fd = descriptor(p->path)) < 0 && links < LINKS && follow(cx, &p->path)) links++;
    size_t n = p->path ? folder_length(p->path) : 0;
    p->folder = n ? tamis_strndup(cx, p->path, n) : tamis_strdup(cx, ".");
    p->special = p->fd >= 0;
    if (!p->path || !p->folder) return ENOMEM;
    return links == LINKS ? ELOOP : p->special ? 0 : examine(p);
}

int tamis_place_writable(const struct tamis_place *p)
{
    if (p->fd >= 0) {
        int flags = fcntl(p->fd, F_GETFL);
        return flags < 0 || (flags & O_ACCMODE) == O_RDONLY ? EBADF : 0;
    }
    if (p->exists && access(p->path, W_OK)) return errno;
    return p->special || !access(p->folder, W_OK | X_OK) ? 0 : errno;
}

void tamis_place_free(struct tamis_place *p)
{
    tamis_free(p->path);
    tamis_free(p->folder);
}
