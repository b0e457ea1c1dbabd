/* Files that appear whole or not at all, on file systems with and without files that have no name. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/files.h"
#include "base/pack.h"
#include "unit.h"

static char folder[64], path[96];
static int without_names = 1;           /* whether open knows O_TMPFILE */
static int signals, halves;

/* Replaces the system's open: a file system where every file has a name. */
int open64(const char *name, int flags, ...);
int open64(const char *name, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
    va_end(ap);
    if (!without_names && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return openat(AT_FDCWD, name, flags, mode);
}

/* Replaces the system's fsync, at the moment when all bytes are written and the file has not its name yet. */
int fsync(int fd) { return fd < 0 || raise(SIGUSR1); }

static int files_here(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static void count_halves(int number)
{
    (void)number;
    signals++;
    halves += files_here() != 1;
}

static int begin(void **state)
{
    without_names = 1;
    signal(SIGUSR1, SIG_IGN);
    snprintf(folder, sizeof folder, "/tmp/tamis-files-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/a.json", folder);
    return set_up(state);
}

static int end(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) | tear_down(state);
}

static void holds(tamis_context *cx, const char *text)
{
    unsigned char *bytes;
    size_t n;
    assert_int_equal(tamis_file_read(cx, path, &bytes, &n), TAMIS_OK);
    assert_string_equal((char *)bytes, text);
    tamis_free(bytes);
    assert_int_equal(files_here(), 1);
}

/* Each of these is run with and without names for files that are not complete. */
static void a_file_is_replaced_whole(void **state)
{
    tamis_context *cx = *state;
    for (without_names = 0; without_names < 2; without_names++) {
        assert_int_equal(tamis_file_write(cx, path, "{1}", 3), TAMIS_OK);
        assert_int_equal(tamis_file_write(cx, path, "{23}", 4), TAMIS_OK);
        holds(cx, "{23}");
    }
    assert_int_equal(tamis_write_file(cx, "/nowhere/at/all", "abc", 3), TAMIS_SYSTEM);
}

static void a_signal_finds_no_half_file(void **state)
{
    tamis_context *cx = *state;
    signals = halves = 0;
    for (without_names = 0; without_names < 2; without_names++) {
        signal(SIGUSR1, count_halves);
        assert_int_equal(tamis_file_write(cx, path, "{}", 2), TAMIS_OK);
        signal(SIGUSR1, SIG_IGN);
    }
    assert_int_equal(signals, 2);
    assert_int_equal(halves, 0);
}

static void what_is_not_kept_is_gone(void **state)
{
    tamis_context *cx = *state;
    tamis_output *o;
    for (without_names = 0; without_names < 2; without_names++) {
        assert_int_equal(tamis_output_open(cx, path, &o), TAMIS_OK);
        assert_int_equal(tamis_output_write(o, "abc", 3), TAMIS_OK);
        assert_int_equal(files_here(), !without_names);
        tamis_output_free(o);
        assert_int_equal(files_here(), 0);
    }
}

static void an_abandoned_part_is_removed(void **state)
{
    tamis_context *cx = *state;
    tamis_output *o = NULL;
    int status;
    without_names = 0;
    pid_t child = fork();
    if (!child) _exit(tamis_output_open(cx, path, &o));         /* ends without giving anything back */
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(files_here(), 1);
    assert_int_equal(tamis_file_write(cx, path, "{}", 2), TAMIS_OK);
    holds(cx, "{}");
}

static void a_part_that_is_being_written_stays(void **state)
{
    tamis_context *cx = *state;
    tamis_output *first = NULL, *second = NULL;
    without_names = 0;
    assert_int_equal(tamis_output_open(cx, path, &first), TAMIS_OK);
    assert_int_equal(tamis_output_open(cx, path, &second), TAMIS_OK);
    assert_int_equal(files_here(), 2);
    assert_int_equal(tamis_output_write(first, "{1}", 3), TAMIS_OK);
    assert_int_equal(tamis_output_write(second, "{2}", 3), TAMIS_OK);
    assert_int_equal(tamis_output_keep(second), TAMIS_OK);
    assert_int_equal(tamis_output_keep(first), TAMIS_OK);
    tamis_output_free(first);
    tamis_output_free(second);
    holds(cx, "{1}");
}

static void the_mode_follows_umask_and_the_old_file(void **state)
{
    tamis_context *cx = *state;
    struct stat st;
    mode_t before = umask(027);
    assert_int_equal(tamis_file_write(cx, path, "{}", 2), TAMIS_OK);
    assert_int_equal(stat(path, &st) ? 0 : st.st_mode & 0777, 0640);
    for (mode_t mode = 0600; mode <= 0666; mode += 066) {
        chmod(path, mode);
        assert_int_equal(tamis_file_write(cx, path, "{}", 2), TAMIS_OK);
        assert_int_equal(stat(path, &st) ? 0 : st.st_mode & 0777, mode);
    }
    umask(before);
}

/* A relative link in another folder, to a link, to a file that is not there yet. */
static void links_are_followed(void **state)
{
    tamis_context *cx = *state;
    char below[96], first[112], second[112], loop[112];
    struct stat st;
    snprintf(below, sizeof below, "%s/.below", folder);
    snprintf(first, sizeof first, "%s/first", below);
    snprintf(second, sizeof second, "%s/second", below);
    snprintf(loop, sizeof loop, "%s/loop", below);
    assert_int_equal(mkdir(below, 0700) | symlink("second", first), 0);
    assert_int_equal(symlink("../a.json", second) | symlink("loop", loop), 0);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(tamis_file_write(cx, first, again ? "{23}" : "{1}", again ? 4 : 3), TAMIS_OK);
        holds(cx, again ? "{23}" : "{1}");
    }
    assert_true(!lstat(first, &st) && S_ISLNK(st.st_mode) && !lstat(second, &st) && S_ISLNK(st.st_mode));
    assert_int_equal(tamis_write_file(cx, loop, "{}", 2), TAMIS_SYSTEM);
}

static void a_descriptor_is_written_where_it_is(void **state)
{
    tamis_context *cx = *state;
    char name[64];
    int fd = openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(write(fd, "{1,", 3), 3);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_int_equal(tamis_output_check(cx, name), TAMIS_OK);
    assert_int_equal(tamis_write_file(cx, name, "2", 1), TAMIS_OK);
    assert_int_equal(write(fd, "}", 1), 1);
    close(fd);
    holds(cx, "{1,2}");
    assert_int_equal(tamis_output_check(cx, name), TAMIS_SYSTEM);
    assert_int_equal(tamis_write_file(cx, name, "2", 1), TAMIS_SYSTEM);
}

/* Nobody reads the pipe: opening it waits, and a signal that ends the program must not wait with it. */
static void a_signal_ends_the_wait_for_a_reader(void **state)
{
    tamis_context *cx = *state;
    int status;
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (!child) _exit(tamis_write_file(cx, path, "{}", 2));
    usleep(20000);
    kill(child, SIGTERM);
    int ended = 0;
    for (int i = 0; i < 500 && !ended; i++) {
        usleep(20000);
        ended = waitpid(child, &status, WNOHANG);
    }
    if (!ended) kill(child, SIGKILL);
    assert_true(ended && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static void what_cannot_be_written_is_known_before(void **state)
{
    tamis_context *cx = *state;
    assert_int_equal(tamis_output_check(cx, path), TAMIS_OK);
    assert_int_equal(tamis_output_check(cx, "/dev/full"), TAMIS_OK);
    assert_int_equal(tamis_output_check(cx, "-"), TAMIS_OK);
    assert_int_equal(files_here(), 0);
    assert_int_equal(tamis_output_check(cx, "/nowhere/at/all"), TAMIS_SYSTEM);
    assert_string_equal(tamis_error(cx), "/nowhere/at/all: cannot be written: No such file or directory");
    assert_int_equal(tamis_output_check(cx, folder), TAMIS_SYSTEM);
}

static void an_output_can_be_abandoned(void **state)
{
    tamis_context *cx = *state;
    tamis_output *o;
    without_names = 0;
    assert_int_equal(tamis_output_open(cx, path, &o), TAMIS_OK);
    assert_int_equal(files_here(), 1);
    tamis_output_abandon(o);
    assert_int_equal(files_here(), 0);
    tamis_output_free(o);
    tamis_output_abandon(NULL);
}

static void a_full_device_says_so(void **state)
{
    tamis_context *cx = *state;
    assert_int_equal(tamis_write_file(cx, "/dev/full", "abc", 3), TAMIS_SYSTEM);
    assert_non_null(strstr(tamis_error(cx), "/dev/full: cannot be written: No space"));
}

static void texts_are_made_printable(void **state)
{
    (void)state;
    static const char *const pair[][2] = {
        {"plain \xC3\xA9\xE2\x96\x88\xF0\x9F\x99\x82", "plain \xC3\xA9\xE2\x96\x88\xF0\x9F\x99\x82"},
        {"a\033[31mb\n\t\x7F", "a?[31mb???"},
        {"\xC2\x9B" "31m\x9B" "31m", "?31m?31m"},                               /* C1, and its byte alone */
        {"x\xE2\x80\xAEy\xE2\x81\xA6z\xE2\x80\x8F", "x?y?z?"},                  /* direction */
        {"cut \xC3", "cut ?"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        snprintf(text, sizeof text, "%s", pair[i][0]);
        assert_string_equal(tamis_printable(text), pair[i][1]);
    }
}

#define FILES(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILES(a_file_is_replaced_whole),
        FILES(a_signal_finds_no_half_file),
        FILES(what_is_not_kept_is_gone),
        FILES(an_abandoned_part_is_removed),
        FILES(a_part_that_is_being_written_stays),
        FILES(the_mode_follows_umask_and_the_old_file),
        FILES(links_are_followed),
        FILES(a_descriptor_is_written_where_it_is),
        FILES(a_signal_ends_the_wait_for_a_reader),
        FILES(what_cannot_be_written_is_known_before),
        FILES(an_output_can_be_abandoned),
        FILES(a_full_device_says_so),
        FILES(texts_are_made_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
