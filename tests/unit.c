#include <limits.h>
#include "base/watch.h"
#include "unit.h"
#include "base/rng.h"
#include "data/table.h"
#include "io/model_file.h"

int set_up(void **state) { return !(*state = tamis_context_new()); }
int tear_down(void **state) { tamis_context_free(*state); return 0; }

int set_up_one_thread(void **state)
{
    if (set_up(state)) return 1;
    tamis_context_limits(*state, 1, 0);
    return 0;
}

double variance(const double *v, size_t n)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++) mean += v[i] / (double)n;
    for (size_t i = 0; i < n; i++) sum += pow(v[i] - mean, 2) / (double)n;
    return sum;
}

double *normal_numbers(size_t n, uint64_t seed)
{
    struct tamis_rng rng;
    double *x = malloc((n + 1) * sizeof *x);
    tamis_rng_init(&rng, seed, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < n; i++) x[i] = tamis_rng_normal(&rng);
    return x;
}

/* ---- numbers ---- */

void check_close(enum measure measure, double actual, double expected, double tolerance, const char *text,
                 const char *file, int line)
{
    double least = measure == MIXED ? 1 : 1e-300, allowed = tolerance;
    if (measure != ABSOLUTE) allowed *= fmax(least, fabs(expected));
    if (fabs(actual - expected) <= allowed) return;
    print_error("%s: %.17g and %.17g differ by %.3g, more than %.3g\n", text, actual, expected,
                fabs(actual - expected), allowed);
    _fail(file, line);
}

void check_order(double value, const char *relation, double bound, const char *text, const char *file, int line)
{
    int equal = relation[1] == '=' && value == bound;
    if (equal || (*relation == '<' ? value < bound : value > bound)) return;
    print_error("%s: %.17g %s %.17g is false\n", text, value, relation, bound);
    _fail(file, line);
}

void check_between(double value, double low, double high, const char *text, const char *file, int line)
{
    if (low < value && value < high) return;
    print_error("%s: %.17g is not between %.17g and %.17g\n", text, value, low, high);
    _fail(file, line);
}

/* ---- tables and options ---- */

tamis_table *made(tamis_context *cx, const char *name, const char *rows, const char *seed)
{
    tamis_table *t = NULL;
    tamis_options *o = OPTIONS("rows", rows, "seed", seed);
    if (tamis_table_generate(cx, name, o, &t)) fail_msg("%s", tamis_error(cx));
    tamis_options_free(o);
    return t;
}

tamis_table *joined(tamis_context *cx, size_t n, size_t d, const double *x, const double *y)
{
    tamis_table *t = NULL;
    double *both = malloc(n * (d + 1) * sizeof *both);
    memcpy(both, x, n * d * sizeof *both);
    memcpy(both + n * d, y, n * sizeof *both);
    assert_int_equal(tamis_table_from_numbers(cx, n, d + 1, both, 1, n, NULL, &t), TAMIS_OK);
    free(both);
    return t;
}

tamis_table *text_table(tamis_context *cx, const char *text)
{
    tamis_table *t = NULL;
    if (tamis_table_read_memory(cx, text, strlen(text), "t.csv", NULL, &t)) fail_msg("%s", tamis_error(cx));
    return t;
}

tamis_options *options(tamis_context *cx, const char *const *words)
{
    tamis_options *o = tamis_options_new(cx);
    for (; *words; words += 2)
        if (tamis_options_set(o, words[0], words[1])) fail_msg("%s", tamis_error(cx));
    return o;
}

tamis_options *worded(tamis_context *cx, const char *words)
{
    tamis_options *o = tamis_options_new(cx);
    char copy[512], *rest = NULL;
    assert_true((size_t)snprintf(copy, sizeof copy, "%s", words) < sizeof copy);
    for (char *name = strtok_r(copy, " ;", &rest); name; name = strtok_r(NULL, " ;", &rest)) {
        char *value = strchr(name, '=');
        if (value) *value++ = 0;
        if (tamis_options_set(o, name, value)) fail_msg("%s", tamis_error(cx));
    }
    return o;
}

/* ---- runs ---- */

tamis_result *chosen(tamis_context *cx, const tamis_table *t, const tamis_table *test, tamis_options *o)
{
    tamis_result *r = NULL;
    if (tamis_select(cx, t, test, o, &r)) fail_msg("%s", tamis_error(cx));
    tamis_options_free(o);
    return r;
}

int select_text(tamis_context *cx, const char *text, const tamis_options *o, tamis_result **r)
{
    tamis_table *t = NULL;
    int status = tamis_table_read_memory(cx, text, strlen(text), "t.csv", o, &t);
    if (!status) status = tamis_select(cx, t, NULL, o, r);
    tamis_table_free(t);
    return status;
}

char *result_text(tamis_context *cx, const tamis_result *r)
{
    char *text = NULL;
    size_t n;
    assert_int_equal(tamis_result_json(cx, r, &text, &n), TAMIS_OK);
    assert_int_equal(strlen(text), n);
    char *end = strstr(text, "\"seconds\"");
    assert_non_null(end);
    *end = 0;
    return text;
}

char *json(tamis_context *cx, const tamis_table *t, const tamis_options *o)
{
    tamis_result *r = NULL;
    if (tamis_select(cx, t, NULL, o, &r)) fail_msg("%s", tamis_error(cx));
    char *text = result_text(cx, r);
    tamis_result_free(r);
    return text;
}

void cut_notes(char *text)
{
    char *notes = strstr(text, ",\n  \"notes\"");
    assert_non_null(notes);
    *notes = 0;
}

void forget(tamis_context *cx) { TAMIS_CALL(cx); }

void says(tamis_context *cx, const char *words)
{
    if (!strstr(tamis_error(cx), words)) fail_msg("'%s' does not contain '%s'", tamis_error(cx), words);
}

void refused(tamis_context *cx, const char *text, tamis_options *o, int status, const char *words)
{
    option_refused(cx, text, o, NULL, NULL, status, words);
}

void option_refused(tamis_context *cx, const char *text, tamis_options *o, const char *name, const char *value,
                    int status, const char *words)
{
    tamis_result *r = NULL;
    int got = name ? tamis_options_set(o, name, value) : TAMIS_OK;
    if (!got) got = select_text(cx, text, o, &r);
    assert_int_equal(got, status);
    assert_null(r);
    says(cx, words);
    tamis_options_free(o);
}

/* ---- threads ---- */

void same_bits(tamis_context *cx, const tamis_table *t, tamis_options *o, const char *words)
{
    static const int threads[] = {1, 2, 7};
    char *first = NULL;
    for (int i = 0; i < 3; i++) {
        tamis_context_limits(cx, threads[i], 0);
        char *text = json(cx, t, o);
        if (first) assert_string_equal(text, first);
        if (first) tamis_release(text);
        else first = text;
    }
    if (words) assert_non_null(strstr(first, words));
    tamis_release(first);
    tamis_options_free(o);
}

/* ---- stops ---- */

static int stop_after(void *user) { return --*(int *)user < 0; }

int select_stopped(tamis_context *cx, const tamis_table *t, const tamis_options *o, int checks, tamis_result **r)
{
    tamis_context_limits(cx, 1, 0);
    tamis_context_on_cancel(cx, stop_after, &checks);
    tamis_watch_set(cx, TAMIS_WATCH_NEVER);             /* the clock would ask, too, and checks mean another moment */
    int status = tamis_select(cx, t, NULL, o, r);
    tamis_watch_set(cx, TAMIS_WATCH_CLOCK);
    tamis_context_on_cancel(cx, NULL, NULL);
    return status;
}

static void another_seed_is_refused(tamis_context *cx, const tamis_table *t, tamis_options *o)
{
    tamis_result *r = NULL;
    assert_int_equal(tamis_options_set(o, "seed", "99"), TAMIS_OK);
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_USAGE);
    assert_null(r);
    says(cx, "another run");
}

static void drop_checkpoint(const char *path)
{
    static const char *const part[] = {"", ".outer", ".bootstrap"};
    for (int i = 0; i < 3; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", path, part[i]);
        unlink(name);
    }
}

static void same_but_notes(char *text, const char *whole)
{
    cut_notes(text);
    assert_string_equal(text, whole);
    tamis_release(text);
}

int stopped_and_resumed(tamis_context *cx, const tamis_table *t, tamis_options *o, int first, int step)
{
    char path[64], *whole = json(cx, t, o);
    int stops = 0, status;
    tamis_result *r = NULL;
    cut_notes(whole);
    snprintf(path, sizeof path, "/tmp/tamis-test-%ld.ckpt", (long)getpid());
    drop_checkpoint(path);
    assert_int_equal(tamis_options_set(o, "checkpoint", path), TAMIS_OK);
    while ((status = select_stopped(cx, t, o, first + step * stops, &r))) {
        assert_int_equal(status, TAMIS_STOPPED);
        assert_null(r);
        assert_int_equal(access(path, R_OK), 0);
        assert_true(++stops < 500);
    }
    same_but_notes(result_text(cx, r), whole);
    tamis_result_free(r);
    same_but_notes(json(cx, t, o), whole);
    another_seed_is_refused(cx, t, o);
    drop_checkpoint(path);
    tamis_release(whole);
    tamis_options_free(o);
    return stops;
}

/* ---- failing memory ---- */

int failing(tamis_context *cx, long k, enum tamis_failing how, attempt *f, void *what)
{
    tamis_fail_allocation(cx, k, how);
    int status = f(cx, what), failed = tamis_allocations(cx) >= k;
    tamis_fail_allocation(cx, 0, TAMIS_ONCE);
    if (status != (failed ? TAMIS_MEMORY : TAMIS_OK) || (failed && !*tamis_error(cx)))
        fail_msg("allocation %ld fails%s: status %d, '%s'", k, how == TAMIS_ONCE ? "" : " with all that follow", status,
                 tamis_error(cx));
    return status;
}

/* Where the tests are repeated with other kernels (tools/run-tests), a few allocations are enough. */
static long few(void) { return getenv("TAMIS_FEW_ALLOCATIONS") ? 37 : 1; }

/* From the k-th allocation to the next that fails. Under sanitizers, where a run takes eight times as long, every
 * seventh after the first ones: all of them fail in the plain run. */
static long stride(long k)
{
#ifdef TAMIS_SANITIZED
    if (k >= 200 && !getenv("TAMIS_LONG")) return 7 * few();
#endif
    (void)k;
    return few();
}

long every_allocation_fails(tamis_context *cx, attempt *f, void *what, long most)
{
    long k = 1;
    for (; failing(cx, k, TAMIS_ONCE, f, what); k += stride(k)) {
        if (k % 4 == 1 || getenv("TAMIS_LONG")) failing(cx, k, TAMIS_ONWARDS, f, what);
        assert_true(k < most);
    }
    return k;
}

long allocations_fail(tamis_context *cx, attempt *f, void *what, long most)
{
    tamis_context_limits(cx, 1, 0);
    tamis_fail_allocation(cx, LONG_MAX, TAMIS_ONCE);
    assert_int_equal(f(cx, what), TAMIS_OK);
    long all = tamis_allocations(cx), step = getenv("TAMIS_LONG") || all < most ? 1 : all / most + 1;
    step *= few();
    for (long k = 1; k <= all; k += step) {             /* the last ones may not be there: a shorter time, less text */
        failing(cx, k, TAMIS_ONCE, f, what);
        failing(cx, k, TAMIS_ONWARDS, f, what);
    }
    return all;
}

int select_and_write(tamis_context *cx, void *what)
{
    const struct run *run = what;
    tamis_result *r = NULL;
    char *text = NULL;
    size_t n;
    int status = tamis_select(cx, run->t, NULL, run->o, &r);
    if (!status) status = tamis_result_json(cx, r, &text, &n);
    tamis_release(text);
    tamis_result_free(r);
    return status;
}

void run_survives_failing_memory(tamis_context *cx, const tamis_table *t, tamis_options *o, long least, long most)
{
    struct run run = {t, o};
    tamis_context_limits(cx, 1, 0);
    assert_true(every_allocation_fails(cx, select_and_write, &run, most) > least);
    tamis_options_free(o);
}

/* ---- models ---- */

tamis_model *came_back(tamis_context *cx, const tamis_model *m, const tamis_table *t, double *p, double *score)
{
    const char *const *name;
    size_t n, values = t->rows * tamis_model_targets(m), scores = t->rows * tamis_model_classes(m, &name);
    double *q = malloc(values * sizeof *q), *other = malloc((scores + 1) * sizeof *other);
    tamis_model *back = NULL;
    void *bytes = NULL;
    assert_int_equal(tamis_model_save_memory(cx, m, &bytes, &n), TAMIS_OK);
    assert_int_equal(tamis_model_load_memory(cx, bytes, n, &back), TAMIS_OK);
    assert_int_equal(tamis_model_predict(cx, m, t, q, score ? other : NULL), TAMIS_OK);
    assert_int_equal(tamis_model_predict(cx, back, t, p, score), TAMIS_OK);
    assert_memory_equal(p, q, values * sizeof *q);
    if (score) assert_memory_equal(score, other, scores * sizeof *other);
    tamis_release(bytes);
    free(q), free(other);
    return back;
}

tamis_model *as_older(tamis_context *cx, const tamis_model *m, uint32_t version, const char *kind, size_t drop)
{
    enum { TAIL = 8 };                          /* the checksum */
    tamis_model *old = NULL;
    struct tamis_pack p, head;
    void *bytes = NULL;
    size_t n = 0;
    tamis_pack_begin(&head, cx, tamis_model_magic, version);
    tamis_pack_str(&head, tamis_model_kind(m));
    tamis_pack_begin(&p, cx, tamis_model_magic, version);
    tamis_pack_str(&p, kind);
    assert_int_equal(tamis_model_save_memory(cx, m, &bytes, &n), TAMIS_OK);
    for (size_t i = head.length; i + TAIL + drop < n; i++) {
        tamis_pack_u64(&p, ((unsigned char *)bytes)[i]);
        p.length -= 7;                          /* numbers are stored with their lowest byte first */
    }
    assert_int_equal(tamis_pack_end(&p), TAMIS_OK);
    assert_int_equal(tamis_model_load_memory(cx, p.bytes, p.length, &old), TAMIS_OK);
    tamis_pack_free(&p), tamis_pack_free(&head);
    tamis_release(bytes);
    return old;
}

void damage_is_refused(tamis_context *cx, const tamis_model *m, size_t places)
{
    void *bytes = NULL;
    size_t n;
    assert_int_equal(tamis_model_save_memory(cx, m, &bytes, &n), TAMIS_OK);
    unsigned char *byte = bytes;
    for (size_t k = 0; k < n; k += 1 + n / places) {
        tamis_model *none = NULL;
        assert_int_equal(tamis_model_load_memory(cx, bytes, k, &none), TAMIS_DATA);
        byte[k] ^= 4;
        assert_int_equal(tamis_model_load_memory(cx, bytes, n, &none), TAMIS_DATA);
        byte[k] ^= 4;
        assert_null(none);
    }
    tamis_release(bytes);
}
