/* Models of terms: predictions against naive loops, their bytes, JSON and C, forged files, failing memory. */
#include "base/rng.h"
#include "model/terms.h"
#include "naive_basis.h"

enum { F = TAMIS_FUNCTIONS, ROWS = 2500, FEATURES = 40, CENTRES = 6 };

/* ---- models ---- */

struct made { tamis_table *t; struct tamis_design *d; tamis_model *m; struct tamis_terms *terms; };

static tamis_table *made_table(tamis_context *cx)
{
    struct tamis_rng g;
    char *s = malloc(ROWS * 160 + 100);
    size_t n = (size_t)sprintf(s, "a,b,c,colour,d,y,y2\n");
    tamis_rng_init(&g, 8, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < ROWS; i++) {
        double a = tamis_rng_normal(&g), b = floor(5 * tamis_rng_uniform(&g)), c = exp(2 * tamis_rng_normal(&g));
        n += (size_t)sprintf(s + n, "%.17g,%g,%.17g,%s,%.17g,%.17g,%.17g\n", a, b, c,
                             (const char *[]){"red", "green", "blue"}[tamis_rng_below(&g, 3)],
                             1e5 + tamis_rng_uniform(&g), a + b, c - a);
    }
    tamis_table *t = text_table(cx, s);
    free(s);
    return t;
}

/* A function of some column, or 0. */
static size_t some_factor(struct tamis_rng *g, const struct tamis_terms *t)
{
    size_t column = (size_t)(tamis_rng_uniform(g) * (double)t->columns), q = t->basis[column].functions;
    if (tamis_rng_uniform(g) < 0.3) return 0;
    return 1 + column * F + (size_t)(tamis_rng_uniform(g) * (double)(q ? q : 1));
}

static void fill(struct tamis_rng *g, double *v, size_t n)
{
    for (size_t i = 0; i < n; i++) v[i] = tamis_rng_normal(g);
}

static void fill_terms(struct tamis_terms *t, const struct tamis_design *d)
{
    struct tamis_rng g;
    double *work = malloc(d->rows * sizeof *work);
    tamis_rng_init(&g, 9, TAMIS_RNG_TEST, 0);
    for (size_t k = 0; k < d->inputs; k++) {
        const struct tamis_feature *f = &d->encoder->input[k];
        if (!f->levels) tamis_basis_learn(&t->basis[f->first], d->x + d->rows * f->first, d->rows, work);
    }
    for (size_t i = 0; i < 3 * t->features; i++) t->factor[i] = some_factor(&g, t);
    memset(t->factor, 0, 3 * sizeof *t->factor);                        /* a feature that is 1 */
    fill(&g, t->coefficient, t->features * t->outputs);
    fill(&g, t->bias, t->outputs);
    fill(&g, t->centre, t->centres * t->columns);
    fill(&g, t->alpha, t->centres * t->outputs);
    for (size_t c = 0; c < t->columns; c++) t->weight[c] = c % 3 ? 0.3 * tamis_rng_uniform(&g) : 0;
    free(work);
}

static struct made made_terms(tamis_context *cx, const char *target, size_t features, size_t centres)
{
    static char *inputs[] = {"a", "b", "c", "colour", "d"};
    struct tamis_roles roles = {.target = target, .inputs = {5, inputs}, .force = -1};
    struct made m = {.t = made_table(cx)};
    struct tamis_encoder *e = tamis_encoder_new(cx, m.t, &roles);
    size_t *row, rows;
    assert_int_equal(tamis_rows_complete(cx, e, m.t, 1, &row, &rows), TAMIS_OK);
    m.d = tamis_design_learn(cx, e, m.t, row, rows, 1);
    m.terms = tamis_terms_new(cx, e->columns, tamis_encoder_outputs(e), features, centres);
    fill_terms(m.terms, m.d);
    m.m = tamis_model_new(cx, &tamis_terms_kind, e, m.terms);
    assert_non_null(m.m);
    tamis_free(row);
    return m;
}

static void made_free(struct made *m)
{
    tamis_design_free(m->d);
    tamis_model_free(m->m);
    tamis_table_free(m->t);
}

/* ---- predictions ---- */

static double naive_feature(const struct tamis_terms *t, const struct tamis_design *d, size_t f, size_t i)
{
    double product = 1;
    for (size_t k = 0; k < 3; k++) {
        size_t factor = t->factor[3 * f + k], column = (factor - 1) / F;
        if (!factor) continue;
        const struct tamis_basis *b = &t->basis[column];
        double x = d->x[i + d->rows * column];
        product *= b->functions ? naive_function(b, (factor - 1) % F, x) : x;
    }
    return product;
}

static double naive_output(const struct tamis_terms *t, const struct tamis_design *d, size_t i, size_t o)
{
    double sum = t->bias[o];
    for (size_t f = 0; f < t->features; f++)
        sum += t->coefficient[f + t->features * o] * naive_feature(t, d, f, i);
    for (size_t m = 0; m < t->centres; m++) {
        double distance = 0;
        for (size_t c = 0; c < t->columns; c++)
            distance += t->weight[c] * pow(d->x[i + d->rows * c] - t->centre[m + t->centres * c], 2);
        sum += t->alpha[m + t->centres * o] * exp(-distance);
    }
    return sum;
}

static void predictions_equal_naive_loops(void **state)
{
    tamis_context *cx = *state;
    for (int which = 0; which < 4; which++) {
        struct made m = made_terms(cx, "y,y2", which & 1 ? FEATURES : 0, which & 2 ? CENTRES : 0);
        double *out = malloc(ROWS * 2 * sizeof *out), *again = malloc(ROWS * 2 * sizeof *out);
        assert_int_equal(m.terms->columns, 7);
        assert_int_equal(m.terms->outputs, 2);
        assert_int_equal(tamis_model_apply(cx, m.m, m.d, out), TAMIS_OK);
        for (size_t i = 0; i < 2 * ROWS; i++)
            assert_near(out[i], naive_output(m.terms, m.d, i % ROWS, i / ROWS), 1e-12);
        for (int threads = 1; threads <= 7; threads += 3) {
            tamis_context_limits(cx, threads, 0);
            assert_int_equal(tamis_model_apply(cx, m.m, m.d, again), TAMIS_OK);
            assert_memory_equal(out, again, 2 * ROWS * sizeof *out);
        }
        assert_int_equal(tamis_model_basis_functions(m.m), m.terms->features + m.terms->centres);
        free(out), free(again);
        made_free(&m);
    }
}

static void a_model_without_columns_is_constant(void **state)
{
    tamis_context *cx = *state;
    struct tamis_terms *t = tamis_terms_new(cx, 0, 2, 0, 0);
    double out[6];
    t->bias[0] = 1.5, t->bias[1] = -2.5;
    assert_int_equal(tamis_terms_kind.predict(cx, t, NULL, 3, 3, out), TAMIS_OK);
    for (size_t i = 0; i < 6; i++) assert_true(out[i] == t->bias[i / 3]);
    tamis_terms_free(t);
}

static void parameters_are_described(void **state)
{
    tamis_context *cx = *state;
    struct tamis_terms *t = tamis_terms_new(cx, 4, 1, 5, 2);
    static const size_t factor[] = {1, 0, 0, 2, 0, 0, 1 + F, 2, 0, 2, 1 + F, 1, 1 + 2 * F, 1 + F, 1};
    char *text;
    size_t n;
    memcpy(t->factor, factor, sizeof factor);
    tamis_value *v = tamis_record_new(cx);
    tamis_terms_kind.describe(t, v);
    assert_int_equal(tamis_value_json(cx, v, &text, &n), TAMIS_OK);
    assert_non_null(strstr(text, "\"terms\": 3"));
    assert_non_null(strstr(text, "\"features\": 5"));
    assert_non_null(strstr(text, "\"centres\": 2"));
    tamis_release(text);
    tamis_value_free(v);
    tamis_terms_free(t);
}

/* ---- bytes and JSON ---- */

static char *exported(tamis_context *cx, const tamis_model *m, const char *to, size_t *n)
{
    tamis_options *o = OPTIONS("to", to);
    char *text = NULL;
    assert_int_equal(tamis_model_export(cx, m, o, &text, n), TAMIS_OK);
    tamis_options_free(o);
    return text;
}

static void bytes_and_json_give_the_same_model_back(void **state)
{
    tamis_context *cx = *state;
    struct made m = made_terms(cx, "y,y2", FEATURES, CENTRES);
    double *p = malloc(2 * ROWS * sizeof *p);
    size_t n, before, after;
    void *a, *b;
    tamis_model *back = came_back(cx, m.m, m.t, p, NULL), *read = NULL;
    char *json = exported(cx, m.m, "json", &n);
    if (tamis_model_load_memory(cx, json, n, &read)) fail_msg("%s", tamis_error(cx));
    assert_int_equal(tamis_model_save_memory(cx, m.m, &a, &before), TAMIS_OK);
    assert_int_equal(tamis_model_save_memory(cx, read, &b, &after), TAMIS_OK);
    assert_int_equal(before, after);
    assert_memory_equal(a, b, before);
    damage_is_refused(cx, m.m, 200);
    tamis_release(a), tamis_release(b), tamis_release(json);
    tamis_model_free(back);
    tamis_model_free(read);
    free(p);
    made_free(&m);
}

/* ---- forged files ---- */

static struct tamis_pack packed(tamis_context *cx, const struct tamis_terms *t)
{
    struct tamis_pack p = {.cx = cx};
    tamis_terms_kind.pack(t, &p);
    assert_false(p.failed);
    return p;
}

static void *unpacked(tamis_context *cx, const struct tamis_pack *p, size_t length, const struct tamis_terms *t)
{
    struct tamis_unpack u = {.cx = cx, .bytes = p->bytes, .length = length};
    void *body = tamis_terms_kind.unpack(&u, t->columns, t->outputs);
    assert_true(!body == !!u.failed);
    return body;
}

/* The model with one number replaced is refused. */
static void number_refused(tamis_context *cx, const struct tamis_terms *t, double *number, double value)
{
    double was = *number;
    *number = value;
    struct tamis_pack p = packed(cx, t);
    assert_null(unpacked(cx, &p, p.length, t));
    tamis_pack_free(&p);
    *number = was;
}

static void size_refused(tamis_context *cx, const struct tamis_terms *t, size_t *size, size_t value)
{
    size_t was = *size;
    *size = value;
    struct tamis_pack p = packed(cx, t);
    assert_null(unpacked(cx, &p, p.length, t));
    tamis_pack_free(&p);
    *size = was;
}

static void wrong_numbers_are_refused(void **state)
{
    tamis_context *cx = *state;
    struct made m = made_terms(cx, "y,y2", FEATURES, CENTRES);
    struct tamis_terms *t = m.terms;
    struct tamis_basis *b = t->basis;
    number_refused(cx, t, &b[0].knot[3], b[0].knot[2]);
    number_refused(cx, t, &b[0].knot[9], NAN);
    number_refused(cx, t, &b[0].rank[0], -0.1);
    number_refused(cx, t, &b[0].rank[b[0].knots - 1], 1.1);
    number_refused(cx, t, &b[0].rank[5], 0);
    number_refused(cx, t, &b[0].lo, b[0].hi);
    number_refused(cx, t, &b[1].mean[0], INFINITY);
    number_refused(cx, t, &b[1].turn[0][0], NAN);
    number_refused(cx, t, &t->coefficient[7], NAN);
    number_refused(cx, t, &t->bias[1], -INFINITY);
    number_refused(cx, t, &t->weight[2], -1e-9);
    number_refused(cx, t, &t->centre[5], NAN);
    number_refused(cx, t, &t->alpha[2], NAN);
    size_refused(cx, t, &b[0].knots, 1);
    size_refused(cx, t, &b[0].order[2], 1);             /* not increasing */
    size_refused(cx, t, &t->factor[4], 1 + 7 * F);      /* no such column */
    size_refused(cx, t, &t->factor[4], 1 + F + 4);      /* b has four functions */
    size_refused(cx, t, &t->factor[4], 1 + 4 * F + 1);  /* an indicator has one */
    made_free(&m);
}

static void put_word(unsigned char *at, uint64_t v)
{
    for (int i = 0; i < 8; i++) at[i] = (unsigned char)(v >> 8 * i);
}

/* Every word replaced: refused, or a model that predicts and packs. */
static void forged_words_are_survived(void **state)
{
    tamis_context *cx = *state;
    struct made m = made_terms(cx, "y,y2", FEATURES, CENTRES);
    struct tamis_pack p = packed(cx, m.terms);
    static const uint64_t forged[] = {0, 1, 2, 6, 7, 8, 255, 257, 1u << 20, 1ull << 61, ~0ull, 0x7ff8000000000000};
    double out[2 * 5];
    for (size_t at = 0; at + 8 <= p.length; at += at < 1000 ? 8 : 104) {
        unsigned char was[8];
        memcpy(was, p.bytes + at, 8);
        for (size_t k = 0; k < sizeof forged / sizeof *forged; k++) {
            put_word(p.bytes + at, forged[k]);
            struct tamis_terms *t = unpacked(cx, &p, p.length, m.terms);
            if (t) assert_int_equal(tamis_terms_kind.predict(cx, t, m.d->x, 5, ROWS, out), TAMIS_OK);
            tamis_terms_free(t);
        }
        memcpy(p.bytes + at, was, 8);
        assert_null(unpacked(cx, &p, at, m.terms));
    }
    tamis_pack_free(&p);
    made_free(&m);
}

/* ---- C ---- */

static const char driver[] =
    "#include \"m.c\"\n"
    "#include <stdio.h>\n"
    "int main(void)\n"
    "{\n"
    "    double x[model_INPUTS + 1], out[model_OUTPUTS];\n"
    "    FILE *in = fopen(\"in\", \"rb\"), *to = fopen(\"out\", \"wb\");\n"
    "    while (fread(x, sizeof *x, model_INPUTS, in) == model_INPUTS) {\n"
    "        model_predict_all(x, out);\n"
    "        fwrite(out, sizeof *out, model_OUTPUTS, to);\n"
    "    }\n"
    "    return fclose(in) || fclose(to);\n"
    "}\n";

static void write_file(const char *folder, const char *name, const void *bytes, size_t n)
{
    char path[200];
    sprintf(path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_true(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
}

static void run_in(const char *folder, const char *words)
{
    char line[400];
    sprintf(line, "cd %s && %s", folder, words);
    if (system(line)) fail_msg("failed: %s", words);
}

/* The rows of the table as the C function takes them. */
static double *raw_rows(const struct made *m)
{
    const struct tamis_encoder *e = m->m->encoder;
    double *raw = malloc(ROWS * 5 * sizeof *raw);
    for (size_t k = 0; k < 5; k++) {
        const struct tamis_feature *f = &e->input[k];
        for (size_t i = 0; i < ROWS; i++)
            raw[k + 5 * i] = f->levels ? (double)tamis_level_of(e, f, m->d->x, ROWS, i)
                                       : m->t->column[tamis_table_find(m->t, f->name)].value[i];
    }
    return raw;
}

static void compare_c(tamis_context *cx, struct made *m, const char *compiler)
{
    char folder[] = "/tmp/test_terms_XXXXXX", path[100];
    size_t n, outputs = m->terms->outputs;
    double *raw = raw_rows(m), *want = malloc(ROWS * outputs * sizeof *want),
           *got = malloc(ROWS * outputs * sizeof *got);
    assert_non_null(mkdtemp(folder));
    char *source = exported(cx, m->m, "c", &n);
    write_file(folder, "m.c", source, n);
    write_file(folder, "driver.c", driver, sizeof driver - 1);
    write_file(folder, "in", raw, ROWS * 5 * sizeof *raw);
    run_in(folder, compiler);
    run_in(folder, "./driver");
    sprintf(path, "%s/out", folder);
    FILE *f = fopen(path, "rb");
    assert_true(f && fread(got, sizeof *got, ROWS * outputs, f) == ROWS * outputs && !fclose(f));
    assert_int_equal(tamis_model_predict(cx, m->m, m->t, want, NULL), TAMIS_OK);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t o = 0; o < outputs; o++)
            if (got[o + outputs * i] != want[i + ROWS * o])
                fail_msg("row %zu: %.17g in C, %.17g here", i, got[o + outputs * i], want[i + ROWS * o]);
    run_in(folder, "rm -r ../$(basename $PWD)");
    tamis_release(source);
    free(raw), free(want), free(got);
}

static void c_source_gives_the_same_bits(void **state)
{
    tamis_context *cx = *state;
    if (system("cc --version > /dev/null 2>&1")) skip();
    for (int which = 0; which < 4; which++) {
        struct made m = made_terms(cx, "y,y2", which & 1 ? FEATURES : 0, which & 2 ? CENTRES : 0);
        compare_c(cx, &m, "cc -std=c99 -O2 -Wall -Wextra -Werror -pedantic driver.c -o driver -lm");
        if (which == 3 && !system("g++ --version > /dev/null 2>&1"))
            compare_c(cx, &m, "g++ -x c++ -O2 -Wall -Wextra -Werror -pedantic driver.c -o driver -lm");
        made_free(&m);
    }
}

/* ---- failing memory ---- */

struct all { const tamis_model *m; const tamis_table *t; tamis_options *o; double *p; };

static int everything(tamis_context *cx, void *what)
{
    const struct all *a = what;
    char *text = NULL;
    void *bytes = NULL;
    size_t n;
    tamis_model *back = NULL, *read = NULL;
    int status = tamis_model_save_memory(cx, a->m, &bytes, &n);
    if (!status) status = tamis_model_load_memory(cx, bytes, n, &back);
    if (!status) status = tamis_model_predict(cx, back, a->t, a->p, NULL);
    if (!status) status = tamis_options_set(a->o, "to", "json");
    if (!status) status = tamis_model_export(cx, back, a->o, &text, &n);
    if (!status) status = tamis_model_load_memory(cx, text, n, &read);
    tamis_release(text);
    text = NULL;
    if (!status) status = tamis_options_set(a->o, "to", "c");
    if (!status) status = tamis_model_export(cx, read, a->o, &text, &n);
    tamis_release(text);
    tamis_release(bytes);
    tamis_model_free(back);
    tamis_model_free(read);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    struct made m = made_terms(cx, "y,y2", 3, 2);
    tamis_options *o = tamis_options_new(cx);
    double *p = malloc(2 * ROWS * sizeof *p);
    struct all a = {m.m, m.t, o, p};
    assert_above(every_allocation_fails(cx, everything, &a, 5000), 100);
    free(p);
    tamis_options_free(o);
    made_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(predictions_equal_naive_loops), TEST(a_model_without_columns_is_constant),
                                       TEST(parameters_are_described), TEST(bytes_and_json_give_the_same_model_back),
                                       TEST(wrong_numbers_are_refused), TEST(forged_words_are_survived),
                                       TEST(c_source_gives_the_same_bits), TEST_ONE_THREAD(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
