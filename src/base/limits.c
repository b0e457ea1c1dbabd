/* How much memory may still be used: the least of
 *     what the machine has free (MemAvailable), unless the user names an amount;
 *     the user's amount (--memory), less what the process has grown by since the context was made, of which the first
 *     16 MB, for code, stacks and buffers, do not count;
 *     RLIMIT_AS and RLIMIT_DATA, less what counts against them now;
 *     the memory limits of this process's control group and of the groups above it, less what they use now, file cache
 *     that the kernel can drop not counted.
 * The kernel keeps the account: a large block asks for the resident size before it is made. Nothing is added to blocks,
 * and memory of other libraries and of every thread is counted, too; pages not yet touched are not. */
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/context.h"
#include "base/format.h"
#include "base/limits.h"

enum { LARGE = 1 << 20, PATH = 4096, FREE = 16 << 20 };

/* ---- what this process uses ---- */

/* Bytes by field of /proc/self/statm (0: address space, 1: resident, 5: data and stack); 0 where there is none. */
static double own_bytes(int field)
{
    char text[256], *at = text;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = 0;
    double pages = 0;
    for (int i = 0; i <= field; i++) pages = (double)strtoull(at, &at, 10);
    return pages * (double)sysconf(_SC_PAGE_SIZE);
}

double tamis_resident(void) { return own_bytes(1); }

static double under_limit(int resource, int field)
{
    struct rlimit r;
    if (getrlimit(resource, &r) || r.rlim_cur == RLIM_INFINITY) return INFINITY;
    return fmax(0, (double)r.rlim_cur - own_bytes(field));
}

/* ---- files of the kernel ---- */

/* The number behind `key` at the start of a line; NAN: no file, no such line, or not a number ("max"). */
static double number_after(const char *path, const char *key)
{
    char line[256], *end;
    double x = NAN;
    FILE *f = fopen(path, "re");
    while (f && isnan(x) && fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key))) continue;
        double v = (double)strtoull(line + strlen(key), &end, 10);
        if (end > line + strlen(key)) x = v;
    }
    if (f) fclose(f);
    return x;
}

static double machine_free(void)
{
    double kib = number_after("/proc/meminfo", "MemAvailable:");
    return isnan(kib) ? (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE) : 1024 * kib;
}

/* ---- control groups ---- */

/* Version 2 and version 1: the type of the file system, the controller that a line must name, the files. */
static const struct kind { const char *type, *controller, *limit, *use, *cache; } kinds[] = {
    {"cgroup2", "", "memory.max", "memory.current", "inactive_file "},
    {"cgroup", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
};

static int listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (;; list++) {
        if (!strncmp(list, word, n) && (!list[n] || list[n] == ',' || list[n] == '\n')) return 1;
        if (!(list = strchr(list, ','))) return 0;
    }
}

/* Hands the lines of a file to `take` until it says 1. */
static int find_line(const char *root, const char *file, int (*take)(char *line, const struct kind *k, char *out),
                     const struct kind *k, char *out)
{
    char path[PATH], line[2 * PATH];
    int found = 0;
    tamis_snprintf(path, sizeof path, "%s%s", root, file);
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        found = take(line, k, out);
    }
    if (f) fclose(f);
    return found;
}

/* /proc/self/cgroup, "ID:CONTROLLERS:PATH": the path. */
static int take_group(char *line, const struct kind *k, char *out)
{
    char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
    if (!path) return 0;
    *path++ = 0;
    if (!listed(list + 1, k->controller)) return 0;
    return tamis_snprintf(out, PATH, "%s", path) < PATH;
}

/* /proc/self/mountinfo, "ID PARENT DEVICE ROOT MOUNT ... - TYPE SOURCE OPTIONS": "ROOT MOUNT". */
static int take_mount(char *line, const struct kind *k, char *out)
{
    char *type = strstr(line, " - "), *word[5], *next = line;
    if (!type) return 0;
    *type = 0;
    type = strtok_r(type + 3, " ", &next);
    char *source = type ? strtok_r(NULL, " ", &next) : NULL, *options = source ? strtok_r(NULL, " ", &next) : NULL;
    if (!options || strcmp(type, k->type) || (*k->controller && !listed(options, k->controller))) return 0;
    for (int i = 0; i < 5; i++)
        if (!(word[i] = strtok_r(i ? NULL : line, " ", &next))) return 0;
    return tamis_snprintf(out, PATH, "%s %s", word[3], word[4]) < PATH;
}

/* What the group in a folder may still use. */
static double group_room(const char *folder, const struct kind *k)
{
    char path[3 * PATH];
    double of[3];
    const char *const file[] = {k->limit, k->use, "memory.stat"}, *const key[] = {"", "", k->cache};
    for (int i = 0; i < 3; i++) {
        tamis_snprintf(path, sizeof path, "%s/%s", folder, file[i]);
        of[i] = number_after(path, key[i]);
    }
    if (isnan(of[0])) return INFINITY;
    double used = isnan(of[1]) ? 0 : of[1] - (isnan(of[2]) ? 0 : of[2]);
    return fmax(0, of[0] - fmax(0, used));
}

/* The least over the group of this process and those above it that are mounted here. */
static double groups_room(const char *root, const struct kind *k)
{
    char group[PATH], mount[PATH], folder[3 * PATH];
    double room = INFINITY;
    if (!find_line(root, "/proc/self/cgroup", take_group, k, group)) return room;
    if (!find_line(root, "/proc/self/mountinfo", take_mount, k, mount)) return room;
    char *top = strchr(mount, ' ');
    *top++ = 0;
    size_t hidden = strcmp(mount, "/") ? strlen(mount) : 0;     /* a container sees a part of the tree */
    const char *below = strncmp(group, mount, hidden) || (group[hidden] && group[hidden] != '/') ? "" : group + hidden;
    size_t least = (size_t)tamis_snprintf(folder, sizeof folder, "%s%s", root, top);
    tamis_snprintf(folder, sizeof folder, "%s%s%s", root, top, below);
    for (;;) {
        room = fmin(room, group_room(folder, k));
        char *last = strrchr(folder + least, '/');
        if (!last) return room;
        *last = 0;
    }
}

double tamis_groups_room(const char *root)
{
    return fmin(groups_room(root, &kinds[0]), groups_room(root, &kinds[1]));
}

/* ---- limits of a context ---- */

/* Limits that nothing overrides. */
static double system_room(void)
{
    double room = fmin(under_limit(RLIMIT_AS, 0), under_limit(RLIMIT_DATA, 5));
    return fmin(room, tamis_groups_room(""));
}

size_t tamis_memory_limit(const tamis_context *cx)
{
    double mine = cx->bytes > 0 ? fmax(0, cx->bytes - fmax(0, tamis_resident() - cx->resident - FREE)) : machine_free();
    return (size_t)fmin(mine, fmin(system_room(), 9e18));
}

int tamis_memory_check(tamis_context *cx, double bytes, const char *what, const char *remedy)
{
    double limit = (double)tamis_memory_limit(cx);
    if (bytes <= limit) return TAMIS_OK;
    if (!tamis_status(cx)) cx->refused = 1;
    return tamis_fail(cx, TAMIS_MEMORY, "%s needs %.3g GB of memory, but only %.3g GB may be used; %s", what,
                      bytes / 1e9, limit / 1e9, remedy);
}

int tamis_memory_refused(tamis_context *cx, size_t bytes)
{
    if (bytes < LARGE) return 0;
    double now = tamis_resident(), ceiling = atomic_load(&cx->ceiling);
    if (!(ceiling > 0)) {
        ceiling = fmax(now, cx->bytes > 0 ? cx->resident + FREE : 0) + (double)tamis_memory_limit(cx);
        atomic_store(&cx->ceiling, ceiling);
    }
    if (now + (double)bytes <= ceiling) return 0;
    tamis_fail(cx, TAMIS_MEMORY,
               "out of memory: %.3g MB more would exceed the %.3g MB that may be used; use fewer rows or raise "
               "--memory",
               (double)bytes / 1e6, (ceiling - cx->resident - (cx->bytes > 0 ? FREE : 0)) / 1e6);
    return 1;
}
