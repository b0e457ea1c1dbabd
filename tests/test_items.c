/* Loops over items, here and through a runner: the same results, failures and checkpoints. */
#include "base/items.h"
#include "unit.h"

enum { ITEMS = 23 };

/* root: of each item; computed: how often here. */
struct roots {
    tamis_context *cx;
    double root[ITEMS];
    int computed[ITEMS], had[ITEMS], keeps;
    size_t fails;               /* this item does */
};

static int root(void *arg, size_t item, int worker)
{
    struct roots *r = arg;
    (void)worker;
    if (item == r->fails) return tamis_fail(r->cx, TAMIS_NUMERIC, "item %zu has no root", item);
    r->root[item] = sqrt((double)item + 0.7);
    r->computed[item]++;
    return TAMIS_OK;
}

static void root_pack(const void *arg, size_t item, struct tamis_pack *p)
{
    tamis_pack_f64(p, ((const struct roots *)arg)->root[item]);
}

static void root_unpack(void *arg, size_t item, struct tamis_unpack *u)
{
    double v = tamis_unpack_f64(u);
    if (v < 0) u->failed = 1;
    else ((struct roots *)arg)->root[item] = v;
}

static int root_has(const void *arg, size_t item) { return ((const struct roots *)arg)->had[item]; }

static int root_keep(void *arg)
{
    ((struct roots *)arg)->keeps++;
    return TAMIS_OK;
}

static struct tamis_items loop_of(struct roots *r, int alone)
{
    return (struct tamis_items){.name = "roots", .count = ITEMS, .run = root, .pack = root_pack, .unpack = root_unpack,
                                .arg = r, .has = root_has, .keep = root_keep, .alone = alone};
}

static void each_item_is_computed_once(void **state)
{
    tamis_context *cx = *state;
    for (int alone = 0; alone < 2; alone++) {
        struct roots r = {.cx = cx, .fails = ITEMS, .had = {[4] = 1, [5] = 1}};
        struct tamis_items l = loop_of(&r, alone);
        assert_int_equal(tamis_items_run(cx, &l), TAMIS_OK);
        for (size_t i = 0; i < ITEMS; i++) assert_int_equal(r.computed[i], i != 4 && i != 5);
        assert_at_least(r.keeps, (ITEMS - 2) / tamis_threads(cx));
    }
}

static void the_lowest_failure_is_reported(void **state)
{
    tamis_context *cx = *state;
    for (int alone = 0; alone < 2; alone++) {
        struct roots r = {.cx = cx, .fails = 9};
        struct tamis_items l = loop_of(&r, alone);
        assert_int_equal(tamis_items_run(cx, &l), TAMIS_NUMERIC);
        says(cx, "item 9 has no root");
        for (size_t i = 0; i < 9; i++) assert_int_equal(r.computed[i], 1);
        forget(cx);
    }
}

/* ---- a runner: every third item here, the others in another place ---- */

struct elsewhere { struct roots there; size_t loops; char key[64]; };

static int thirds_loop(void *self, tamis_context *cx, const struct tamis_items *l)
{
    struct elsewhere *e = self;
    struct tamis_items other = *l;
    int status = TAMIS_OK;
    e->loops++;
    snprintf(e->key, sizeof e->key, "%s", l->key);
    other.arg = &e->there;
    for (size_t i = 0; i < l->count && !status; i++) {
        const struct tamis_items *where = i % 3 ? &other : l;
        struct tamis_pack p = {0};
        if (tamis_items_local(cx, where, &i, 1)) tamis_item_pack_failure(cx, &p);
        else if (i % 3) tamis_item_pack(cx, &other, i, &p);
        forget(cx);
        if (p.bytes) status = tamis_item_unpack(cx, l, i, p.bytes, p.length);
        tamis_pack_free(&p);
    }
    return status;
}

static void runners_change_nothing(void **state)
{
    tamis_context *cx = *state;
    struct roots plain = {.cx = cx, .fails = ITEMS}, dealt = plain;
    struct elsewhere e = {.there = plain};
    const struct tamis_runner thirds = {&e, thirds_loop, 0, 0};
    struct tamis_items a = loop_of(&plain, 0), b = loop_of(&dealt, 1);
    assert_int_equal(tamis_items_run(cx, &a), TAMIS_OK);
    tamis_runner_set(cx, &thirds);
    tamis_items_part(cx, "outer");
    assert_int_equal(tamis_items_run(cx, &b), TAMIS_OK);
    assert_string_equal(e.key, "outer: roots 1");
    assert_memory_equal(plain.root, dealt.root, sizeof plain.root);
    for (size_t i = 0; i < ITEMS; i++) assert_int_equal(dealt.computed[i], i % 3 == 0);
    assert_int_equal(tamis_items_run(cx, &b), TAMIS_OK);
    assert_string_equal(e.key, "outer: roots 2");
    tamis_runner_set(cx, NULL);
}

static void failures_travel(void **state)
{
    tamis_context *cx = *state;
    struct roots r = {.cx = cx, .fails = ITEMS};
    struct elsewhere e = {.there = {.cx = cx, .fails = 7}};
    const struct tamis_runner thirds = {&e, thirds_loop, 0, 0};
    struct tamis_items l = loop_of(&r, 1);
    tamis_runner_set(cx, &thirds);
    assert_int_equal(tamis_items_run(cx, &l), TAMIS_NUMERIC);
    says(cx, "item 7 has no root");
    tamis_runner_set(cx, NULL);
}

/* ---- loops inside items ---- */

struct nest { struct roots inner; struct tamis_items l; int runner; };

static int nest_item(void *arg, size_t item, int worker)
{
    struct nest *n = arg;
    (void)item;
    (void)worker;
    n->runner |= tamis_runner_of(n->inner.cx) != NULL;
    return tamis_items_run(n->inner.cx, &n->l);
}

static void inner_loops_stay_here(void **state)
{
    tamis_context *cx = *state;
    struct elsewhere e = {.there = {.cx = cx, .fails = ITEMS}};
    const struct tamis_runner thirds = {&e, thirds_loop, 0, 0};
    for (int alone = 0; alone < 2; alone++) {
        struct nest n = {.inner = {.cx = cx, .fails = ITEMS}};
        struct tamis_items outer = {.name = "nests", .count = 1, .run = nest_item, .arg = &n, .alone = alone};
        n.l = loop_of(&n.inner, 0);
        e.loops = 0;
        tamis_runner_set(cx, &thirds);
        assert_int_equal(tamis_items_run(cx, &outer), TAMIS_OK);
        tamis_runner_set(cx, NULL);
        assert_int_equal(e.loops, 1);
        assert_false(n.runner);
        for (size_t i = 0; i < ITEMS; i++) assert_int_equal(n.inner.computed[i], 1);
    }
}

/* ---- bytes ---- */

static void damaged_bytes_are_refused(void **state)
{
    tamis_context *cx = *state;
    struct roots r = {.cx = cx, .fails = ITEMS, .root = {-1, 2}};
    struct tamis_items l = loop_of(&r, 0);
    for (size_t item = 0; item < 2; item++) {
        struct tamis_pack p;
        assert_int_equal(tamis_item_pack(cx, &l, item, &p), TAMIS_OK);
        if (item) p.bytes[p.length / 2] ^= 1;
        assert_int_equal(tamis_item_unpack(cx, &l, item, p.bytes, p.length), TAMIS_DATA);
        says(cx, item ? "checksum is wrong" : "the result of an item is damaged");
        tamis_pack_free(&p);
        forget(cx);
    }
}

static void elsewhere_is_cleared_by_name_alone(void **state)
{
    tamis_context *cx = *state;
    assert_int_equal(tamis_items_go_on(cx, tamis_items_elsewhere(cx)), TAMIS_OK);
    assert_int_equal(tamis_status(cx), TAMIS_OK);
    int status = tamis_fail(cx, TAMIS_NUMERIC, "no");
    assert_int_equal(tamis_items_go_on(cx, status), TAMIS_NUMERIC);
    assert_int_equal(tamis_status(cx), TAMIS_NUMERIC);
    forget(cx);
    tamis_items_elsewhere(cx);
    assert_int_equal(tamis_forgive(cx, TAMIS_OK), TAMIS_ELSEWHERE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_item_is_computed_once),
        TEST_ONE_THREAD(each_item_is_computed_once),
        TEST(the_lowest_failure_is_reported),
        TEST_ONE_THREAD(the_lowest_failure_is_reported),
        TEST(runners_change_nothing),
        TEST(failures_travel),
        TEST(inner_loops_stay_here),
        TEST_ONE_THREAD(inner_loops_stay_here),
        TEST(damaged_bytes_are_refused),
        TEST(elsewhere_is_cleared_by_name_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
