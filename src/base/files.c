/* Files that appear whole or not at all: written without a name (O_TMPFILE) where the file system can, and otherwise
 * under a name of their own, PATH.RANDOM.part; synced; renamed.
 *
 * A part file is locked by its writer for as long as it is written. One that is not locked was left behind by a process
 * that was killed, and the next writer of the same path removes it: locks hold across containers and machines, where
 * process numbers mean nothing. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/files.h"
#include "base/format.h"
#include "base/place.h"
#include "base/share.h"

enum { RANDOM = 16, TRIES = 100 };      /* hexadecimal digits; names tried */

struct tamis_output {
    tamis_context *cx;
    char *name, *part;                  /* as the user gave it; its name until it is complete, if it has one */
    struct tamis_place place;
    int fd;
    volatile int named;                 /* `part` exists */
};

static int unwritable(tamis_context *cx, const char *name, int why)
{
    const char *what = strcmp(name, "-") ? name : "standard output";
    return tamis_fail(cx, TAMIS_SYSTEM, "%s: cannot be written: %s", what, strerror(why));
}

static int failed(tamis_output *o, int why) { return unwritable(o->cx, o->name, why); }

/* ---- part files ---- */

static void name_part(tamis_output *o)
{
    uint64_t r;
    struct timespec t;
    if (getrandom(&r, sizeof r, GRND_NONBLOCK) != sizeof r) {
        clock_gettime(CLOCK_REALTIME, &t);
        r = (uint64_t)t.tv_nsec * 0x9E3779B97F4A7C15u ^ (uint64_t)t.tv_sec << 20 ^ (uint64_t)getpid();
    }
    const char *path = o->place.path;
    tamis_snprintf(o->part, strlen(path) + RANDOM + 7, "%s.%016llx.part", path, (unsigned long long)r);
}

/* Whether a file name is that of a part of `base`. */
static int is_part(const char *name, const char *base)
{
    size_t n = strlen(base);
    if (strncmp(name, base, n) || name[n] != '.') return 0;
    return strspn(name + n + 1, "0123456789abcdef") == RANDOM && !strcmp(name + n + 1 + RANDOM, ".part");
}

static void remove_if_abandoned(int folder, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !flock(fd, LOCK_EX | LOCK_NB)) unlinkat(folder, name, 0);
    close(fd);
}

static void remove_abandoned(const tamis_output *o)
{
    const char *path = o->place.path, *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    DIR *d = opendir(o->place.folder);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (is_part(e->d_name, base)) remove_if_abandoned(dirfd(d), e->d_name);
    if (d) closedir(d);
}

/* Between open and flock another writer may have taken the file for abandoned: then it is gone, or locked. */
static int lock_part(const tamis_output *o)
{
    struct stat st;
    if (flock(o->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) return 0;
    return !fstat(o->fd, &st) && st.st_nlink > 0;
}

static int open_named(tamis_output *o)
{
    for (int i = 0; i < TRIES; i++) {
        name_part(o);
        o->fd = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, o->place.mode);
        if (o->fd < 0 && errno != EEXIST) return errno;
        if (o->fd < 0) continue;
        if (lock_part(o)) {
            o->named = 1;
            return 0;
        }
        close(o->fd);
        unlink(o->part);
    }
    o->fd = -1;
    return EEXIST;
}

static int open_part(tamis_output *o)
{
    const struct tamis_place *p = &o->place;
    remove_abandoned(o);
    o->fd = access("/proc/self/fd", X_OK) ? -1 : open(p->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, p->mode);
    int why = o->fd < 0 ? open_named(o) : 0;
    if (!why && !o->named) flock(o->fd, LOCK_EX | LOCK_NB);
    if (!why && p->exists) fchmod(o->fd, p->mode);
    return why;
}

/* A file without a name gets one; 0, or an errno. */
static int link_part(tamis_output *o)
{
    char self[64];
    tamis_snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
    for (int i = 0; i < TRIES && !o->named; i++) {
        name_part(o);
        if (!linkat(AT_FDCWD, self, AT_FDCWD, o->part, AT_SYMLINK_FOLLOW)) o->named = 1;
        else if (errno != EEXIST) return errno;
    }
    return o->named ? 0 : EEXIST;
}

/* ---- an output, piece by piece ---- */

/* Opening a pipe waits for its reader. */
static int open_special(tamis_output *o)
{
    do o->fd = o->place.fd < 0 ? open(o->place.path, O_WRONLY | O_CLOEXEC) : fcntl(o->place.fd, F_DUPFD_CLOEXEC, 3);
    while (o->fd < 0 && errno == EINTR);
    return o->fd < 0 ? errno : 0;
}

/* Ready to be opened: where it goes is known, and can be written. */
static int output_new(tamis_context *cx, const char *path, tamis_output **out)
{
    tamis_output *o = *out = tamis_new(cx, tamis_output, 1);
    if (!o) return TAMIS_MEMORY;
    o->cx = cx;
    o->fd = -1;
    o->name = tamis_strdup(cx, path);
    int why = tamis_place_find(cx, path, &o->place);
    o->part = o->place.path ? tamis_raw(cx, char, strlen(o->place.path) + RANDOM + 7) : NULL;
    if (!o->name || !o->part) return TAMIS_MEMORY;
    if (!why) why = tamis_place_writable(&o->place);
    return why ? failed(o, why) : TAMIS_OK;
}

static int output_open(tamis_output *o)
{
    int why = o->place.special ? open_special(o) : open_part(o);
    return why ? failed(o, why) : TAMIS_OK;
}

int tamis_output_open(tamis_context *cx, const char *path, tamis_output **out)
{
    TAMIS_CALL(cx);
    int status = output_new(cx, path, out);
    if (!status) status = output_open(*out);
    if (!status) return TAMIS_OK;
    tamis_output_free(*out);
    *out = NULL;
    return status;
}

int tamis_output_check(tamis_context *cx, const char *path)
{
    TAMIS_CALL(cx);
    tamis_output *o;
    if (tamis_follows(cx)) return TAMIS_OK;
    int status = output_new(cx, path, &o);
    tamis_output_free(o);
    return status;
}

static int write_all(int fd, const char *b, size_t n)
{
    while (n) {
        ssize_t k = write(fd, b, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return k < 0 ? errno : EIO;
        b += k;
        n -= (size_t)k;
    }
    return 0;
}

int tamis_output_write(void *output, const char *bytes, size_t n)
{
    tamis_output *o = output;
    TAMIS_CALL(o->cx);
    int why = write_all(o->fd, bytes, n);
    return why ? failed(o, why) : TAMIS_OK;
}

static int close_output(tamis_output *o)
{
    int bad = o->fd >= 0 && close(o->fd);
    o->fd = -1;
    return bad ? errno : 0;
}

/* Some file systems cannot sync. */
static int synced(int fd) { return !fsync(fd) || errno == EINVAL || errno == ENOSYS; }

/* The lock is held until the file has its final name. */
static int keep(tamis_output *o)
{
    int why = o->place.special || synced(o->fd) ? 0 : errno;
    if (!why && !o->place.special) why = link_part(o);
    if (!why && !o->place.special && rename(o->part, o->place.path)) why = errno;
    if (!why) o->named = 0;
    int late = close_output(o);
    return why ? why : late;
}

static void all_signals(int how, sigset_t *set)
{
    if (how == SIG_BLOCK) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, set);
    } else pthread_sigmask(SIG_SETMASK, set, NULL);
}

int tamis_output_keep(tamis_output *o)
{
    sigset_t before;
    TAMIS_CALL(o->cx);
    all_signals(SIG_BLOCK, &before);
    int why = keep(o);
    all_signals(SIG_SETMASK, &before);
    return why ? failed(o, why) : TAMIS_OK;
}

void tamis_output_abandon(tamis_output *o)
{
    if (o && o->named) unlink(o->part);
}

void tamis_output_free(tamis_output *o)
{
    if (!o) return;
    tamis_output_abandon(o);
    close_output(o);
    tamis_place_free(&o->place);
    tamis_free(o->name);
    tamis_free(o->part);
    tamis_free(o);
}

/* ---- whole files ---- */

/* A fatal signal waits, so that no part remains; not while a pipe waits for its reader, where there is none. */
int tamis_file_write(tamis_context *cx, const char *path, const void *bytes, size_t n)
{
    tamis_output *o;
    sigset_t before;
    if (tamis_follows(cx)) return TAMIS_OK;
    int status = output_new(cx, path, &o), wait = !status && !o->place.special;
    if (wait) all_signals(SIG_BLOCK, &before);
    if (!status) status = output_open(o);
    if (!status) status = tamis_output_write(o, bytes, n);
    if (!status) status = tamis_output_keep(o);
    tamis_output_free(o);
    if (wait) all_signals(SIG_SETMASK, &before);
    return status;
}

int tamis_write_file(tamis_context *cx, const char *path, const void *bytes, size_t n)
{
    TAMIS_CALL(cx);
    return tamis_file_write(cx, path, bytes, n);
}
