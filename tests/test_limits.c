/* Memory that may be used: limits of control groups, of the process, of the context. */
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/limits.h"
#include "unit.h"

/* ---- control groups, from a tree of files ---- */

static char root[64];

static void put_file(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *c = full + strlen(root) + 1; (c = strchr(c, '/')); *c++ = '/') {
        *c = 0;
        mkdir(full, 0777);
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make_root(void **state)
{
    snprintf(root, sizeof root, "/tmp/tamis-groups-XXXXXX");
    return set_up(state) || !mkdtemp(root);
}

static int remove_root(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command) | tear_down(state);
}

/* Version 2: the folder, its limit, what it uses, of which cache. */
static void put_group(const char *folder, const char *limit, const char *use, const char *cache)
{
    char path[256], stat[128];
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", folder);
    put_file(path, limit);
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", folder);
    put_file(path, use);
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.stat", folder);
    snprintf(stat, sizeof stat, "anon 5\ninactive_file %s\nactive_file 7\n", cache);
    put_file(path, stat);
}

static const char unified[] = "22 20 0:21 / /proc rw - proc proc rw\n"
                              "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

static void groups_above_count(void **state)
{
    (void)state;
    put_file("/proc/self/cgroup", "0::/user.slice/job.scope\n");
    put_file("/proc/self/mountinfo", unified);
    assert_true(isinf(tamis_groups_room(root)));
    put_group("/user.slice/job.scope", "max\n", "100\n", "0");
    assert_true(isinf(tamis_groups_room(root)));
    put_group("/user.slice", "5000\n", "2000\n", "500");
    assert_float_equal(tamis_groups_room(root), 5000 - 1500, 0);
    put_group("/user.slice/job.scope", "1000\n", "300\n", "0");
    assert_float_equal(tamis_groups_room(root), 700, 0);
    put_group("/user.slice/job.scope", "1000\n", "3000\n", "0");
    assert_float_equal(tamis_groups_room(root), 0, 0);
}

static void a_container_sees_its_own_group_as_the_top(void **state)
{
    (void)state;
    put_file("/proc/self/cgroup", "0::/\n");
    put_file("/proc/self/mountinfo", unified);
    put_group("", "4096\n", "96\n", "0");
    assert_float_equal(tamis_groups_room(root), 4000, 0);
}

static void groups_of_version_1(void **state)
{
    (void)state;
    put_file("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/docker/abc/job\n0::/\n");
    put_file("/proc/self/mountinfo", "30 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                                     "32 31 0:29 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9000\n");
    put_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n");
    assert_float_equal(tamis_groups_room(root), 8000, 0);
    put_file("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "6000\n");
    put_file("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "2000\n");
    put_file("/sys/fs/cgroup/memory/job/memory.stat", "inactive_file 10\ntotal_inactive_file 1500\n");
    assert_float_equal(tamis_groups_room(root), 5500, 0);
}

static void damaged_files_are_no_limit(void **state)
{
    (void)state;
    put_file("/proc/self/cgroup", "x\n::\n0:\n4:memory\n0::/a\n4:memory:/a\n");
    put_file("/proc/self/mountinfo", "1\n - \n1 2 3 - cgroup2\n1 2 3 - cgroup2 a rw\n - cgroup b memory\n");
    assert_true(isinf(tamis_groups_room(root)));
}

/* ---- limits of the process ---- */

static int limited(int resource, double more)
{
    int status;
    pid_t child = fork();
    if (!child) {
        tamis_context *cx = tamis_context_new();
        struct rlimit r = {0};
        double before = (double)tamis_memory_limit(cx);
        getrlimit(resource, &r);
        r.rlim_cur = (rlim_t)more;
        setrlimit(resource, &r);
        double after = (double)tamis_memory_limit(cx);
        _exit(before < more ? 2 : !(after < more));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void resource_limits_count(void **state)
{
    (void)state;
#ifndef __SANITIZE_ADDRESS__
    assert_int_equal(limited(RLIMIT_AS, 1e9), 0);
#endif
    assert_int_equal(limited(RLIMIT_DATA, 1e9), 0);
}

/* ---- the user's limit ---- */

static void large_blocks_stay_below_the_limit(void **state)
{
    tamis_context *cx = *state;
    tamis_context_limits(cx, 1, 50e6);
    char *p = tamis_raw(cx, char, 20000000), *q;
    assert_non_null(p);
    memset(p, 1, 20000000);
    assert_null(tamis_raw(cx, char, 60000000));
    assert_int_equal(tamis_status(cx), TAMIS_MEMORY);
    assert_non_null(strstr(tamis_error(cx), "60 MB more"));
    tamis_call_end(&(tamis_context *){tamis_call_begin(cx)});
    assert_null(tamis_grow(cx, p, 80000000, 1));
    tamis_call_end(&(tamis_context *){tamis_call_begin(cx)});
    assert_non_null(q = tamis_grow(cx, p, 30000000, 1));
    tamis_free(q);
    tamis_context_limits(cx, 1, 0);
    assert_non_null(p = tamis_raw(cx, char, 80000000));
    tamis_free(p);
}

static void a_wide_category_is_named(void **state)
{
    tamis_context *cx = *state;
    struct tamis_text t = {.cx = cx};
    tamis_text_puts(&t, "a,town,y\n");
    for (int i = 0; i < 6000; i++) tamis_text_printf(&t, "%d,t%d,%d\n", i * i % 101, i / 2, i * i % 37);
    tamis_table *table = text_table(cx, t.s);
    tamis_options *o = tamis_options_new(cx);
    tamis_result *r = NULL;
    tamis_options_set(o, "memory", "100M");
    tamis_options_set(o, "keep", "town");
    assert_int_equal(tamis_select(cx, table, NULL, o, &r), TAMIS_MEMORY);
    assert_non_null(strstr(tamis_error(cx), "3000 levels of 'town'"));
    assert_non_null(strstr(tamis_error(cx), "--ignore town"));
    tamis_options_free(o);
    tamis_table_free(table);
    tamis_text_free(&t);
}

#define GROUPS(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GROUPS(groups_above_count),
        GROUPS(a_container_sees_its_own_group_as_the_top),
        GROUPS(groups_of_version_1),
        GROUPS(damaged_files_are_no_limit),
        TEST(resource_limits_count),
        TEST(large_blocks_stay_below_the_limit),
        TEST(a_wide_category_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
