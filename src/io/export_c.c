/* A model as one C99 file: a comment that explains its use, tables, the encoder, the kind's own function, and a test
 * vector. */
#include <math.h>
#include <string.h>
#include "base/number.h"
#include "io/export_c.h"

enum { TESTS = 4 };             /* rows of the test vector; in the last one, the first input is missing */

struct job {
    tamis_context *cx;
    const struct tamis_model *m;
    const struct tamis_encoder *e;
    struct tamis_code *c;
    size_t outputs;
    /* The test vector, row by row: TESTS x inputs, and TESTS x (outputs + 1): out[] and what predict_all returns. */
    double *raw, *want;
};

static const char interval_declaration[] =
    "int @interval(const double *x, double level, double *lower, double *upper);\n";

/* ---- the comment at the top ---- */

static void head_input(const struct job *j, size_t i)
{
    const struct tamis_feature *f = &j->e->input[i];
    tamis_text_printf(&j->c->t, " *     x[%zu]  ", i);
    tamis_code_comment(j->c, f->name);
    if (f->lag) tamis_text_printf(&j->c->t, "    (the value %zu rows back)", f->lag);
    for (size_t l = 0; l < f->levels; l++) {
        tamis_text_printf(&j->c->t, l ? ", %zu " : "    a category: 0 ", l);
        tamis_code_comment(j->c, f->level[l]);
    }
    tamis_text_puts(&j->c->t, "\n");
}

static void head_row(const struct job *j, const char *what, const double *v, size_t n)
{
    char buffer[32];
    tamis_text_puts(&j->c->t, what);
    for (size_t i = 0; i < n; i++)
        tamis_text_printf(&j->c->t, "%s%s", i ? ", " : "", isnan(v[i]) ? "NAN" : tamis_number_text(v[i], buffer));
    tamis_text_puts(&j->c->t, "}");
}

static void head_outputs(const struct job *j)
{
    const struct tamis_encoder *e = j->e;
    tamis_text_puts(&j->c->t, !e->classes       ? " * and out[k] is target k in its units:\n"
                              : j->m->calibrator ? " * and out[k] is the probability of class k:\n"
                                                 : " * and out[k] is the score of class k:\n");
    for (size_t k = 0; k < j->outputs; k++) {
        tamis_text_printf(&j->c->t, " *     out[%zu]  ", k);
        tamis_code_comment(j->c, e->classes ? e->class_name[k] : k ? e->more_target[k - 1] : e->target);
        tamis_text_puts(&j->c->t, "\n");
    }
}

static int has_levels(const struct tamis_encoder *e)
{
    size_t n = 0;
    for (size_t i = 0; i < e->inputs; i++) n += e->input[i].levels;
    return n > 0;
}

static void head_tests(const struct job *j)
{
    tamis_text_puts(&j->c->t, " *\n * Test vector:\n");
    for (size_t r = 0; r < TESTS; r++) {
        head_row(j, " *     x = {", j->raw + r * j->e->inputs, j->e->inputs);
        head_row(j, "  out = {", j->want + r * (j->outputs + 1), j->outputs);
        tamis_text_puts(&j->c->t, "\n");
    }
}

static void write_head(const struct job *j)
{
    struct tamis_code *c = j->c;
    tamis_text_printf(&c->t, "/* A model of kind %s, written by tamis %s. Target: ", j->m->kind->name, tamis_version());
    tamis_code_comment(c, j->e->target);
    tamis_code_put(c, "\n"
                      " *\n"
                      " *     double @predict(const double *x);\n"
                      " *     int @predict_all(const double *x, double *out);\n");
    if (j->m->residuals) {
        tamis_text_puts(&c->t, " *     ");
        tamis_code_put(c, interval_declaration);
    }
    tamis_code_put(c, " *\n"
                      " * x holds the inputs in the units of the table; NAN if missing:\n");
    for (size_t i = 0; i < j->e->inputs; i++) head_input(j, i);
    if (has_levels(j->e))
        tamis_code_put(c, " * A category is given as the index of its level; any other number matches none of them.\n");
    tamis_code_put(c, j->e->classes ? " * predict returns the index of the class, and so does predict_all,\n"
                                    : " * predict returns the first target; predict_all returns 0,\n");
    head_outputs(j);
    if (j->m->residuals)
        tamis_text_printf(&c->t, " * interval: a new value of target k is between lower[k] and upper[k] with probability\n"
                                 " * level, such as 0.9, by %zu held-out residuals. It returns 0, or -1: an input is\n"
                                 " * missing, or -2: no level, or too few residuals for it; the ends are then NAN.\n",
                          j->m->residuals->count);
    tamis_code_put(
        c, j->e->impute
               ? " * Missing inputs are imputed as the model learnt to.\n"
               : " * If an input is missing, predict returns NAN; predict_all returns -1 and sets out to NAN.\n");
    head_tests(j);
    tamis_code_put(c, " * cc -std=c99 -DTEST FILE.c -lm && ./a.out checks it. */\n"
                      "#include <math.h>\n"
                      "#ifdef TEST\n"
                      "#include <stdio.h>\n"
                      "#endif\n"
                      "\n");
}

/* ---- tables ---- */

static void name_table(const struct job *j, const char *what, const char *first, char *const *rest, size_t n)
{
    tamis_text_printf(&j->c->t, "const char *const %s_%s[%zu] = {", j->c->name, what, n ? n : 1);
    for (size_t i = 0; i < n; i++) {
        tamis_text_puts(&j->c->t, i ? ",\n    " : "\n    ");
        tamis_code_string(j->c, !first ? rest[i] : i ? rest[i - 1] : first);
    }
    tamis_text_puts(&j->c->t, n ? "\n};\n" : "0};\n");
}

/* The names of the inputs, or with `levels` those of all their levels in turn. */
static void input_names(const struct job *j, int levels)
{
    const struct tamis_encoder *e = j->e;
    size_t n = 0;
    char **name = tamis_new(j->cx, char *, e->inputs + e->columns);
    for (size_t i = 0; name && i < e->inputs; i++) {
        if (!levels) name[n++] = e->input[i].name;
        for (size_t l = 0; levels && l < e->input[i].levels; l++) name[n++] = e->input[i].level[l];
    }
    if (name) name_table(j, levels ? "level_name" : "input_name", NULL, name, n);
    tamis_free(name);
}

static void write_declarations(const struct job *j)
{
    const struct tamis_encoder *e = j->e;
    struct tamis_code *c = j->c;
    tamis_code_put(c, "#ifdef __cplusplus\n"
                      "extern \"C\" {\n"
                      "#endif\n");
    tamis_code_count(c, "INPUTS", e->inputs);
    tamis_code_count(c, "COLUMNS", e->columns);
    tamis_code_count(c, "OUTPUTS", j->outputs);
    tamis_code_put(c, "double @predict(const double *x);\n"
                      "int @predict_all(const double *x, double *out);\n");
    if (j->m->residuals) tamis_code_put(c, interval_declaration);
    tamis_text_printf(&c->t, "extern const char *const %s_input_name[%zu];\n", c->name, e->inputs ? e->inputs : 1);
    tamis_text_printf(&c->t, "extern const char *const %s_output_name[%zu];\n", c->name, j->outputs);
    tamis_code_put(c, "extern const char *const @level_name[];         /* the levels of all categories in turn */\n"
                      "#ifdef __cplusplus\n"
                      "}\n"
                      "#endif\n"
                      "\n");
}

static void write_tables(const struct job *j)
{
    const struct tamis_encoder *e = j->e;
    struct tamis_code *c = j->c;
    size_t *first = tamis_new(j->cx, size_t, e->inputs), *levels = tamis_new(j->cx, size_t, e->inputs);
    for (size_t i = 0; first && levels && i < e->inputs; i++)
        first[i] = e->input[i].first, levels[i] = e->input[i].levels;
    input_names(j, 0);
    if (e->classes) name_table(j, "output_name", NULL, e->class_name, e->classes);
    else name_table(j, "output_name", e->target, e->more_target, 1 + e->more);
    input_names(j, 1);
    if (first && levels) {
        tamis_code_sizes(c, "levels", levels, e->inputs);      /* 0: numbers */
        tamis_code_sizes(c, "first", first, e->inputs);
    }
    tamis_code_numbers(c, "mean", e->mean, e->columns, 0);
    tamis_code_numbers(c, "scale", e->scale, e->columns, 0);
    tamis_free(first);
    tamis_free(levels);
}

/* ---- functions ---- */

static const char encode_source[] =
    "\n/* Standardised columns; returns 1 if an input is missing. */\n"
    "static int @encode(const double *x, double *z)\n"
    "{\n"
    "    int i, k, missing = 0;\n"
    "    for (i = 0; i < @INPUTS; i++)\n"
    "        for (k = 0; k < (@levels[i] ? @levels[i] : 1); k++) {\n"
    "            int j = @first[i] + k;\n"
    "            double v = @levels[i] ? (x[i] == k ? 1.0 : 0.0) : x[i], d = v - @mean[j];\n"
    "            if (x[i] != x[i]) missing = 1, z[j] = NAN;\n"
    "            else z[j] = d - d == 0 ? d / @scale[j] : v / @scale[j] - @mean[j] / @scale[j];\n"
    "        }\n"
    "    return missing;\n"
    "}\n\n";

static const char missing_source[] =
    "    if (@encode(x, z)) {\n"
    "        for (k = 0; k < @OUTPUTS; k++) out[k] = NAN;\n"
    "        return -1;\n"
    "    }\n";

static const char winner_source[] =
    "    for (k = 1; k < @OUTPUTS; k++)\n"
    "        if (out[k] > out[best]) best = k;\n";

/* @LOG is 1 where the scores are probabilities already, which are calibrated on a logarithmic scale. */
static const char calibrate_source[] =
    "\n/* From the scores of the classes to probabilities; class `best` has the largest score. */\n"
    "static void @calibrate(double *out, int best)\n"
    "{\n"
    "    double sum = 0, most;\n"
    "    int k;\n"
    "    for (k = 0; @LOG && k < @OUTPUTS; k++) out[k] = log(out[k] > 1e-300 ? out[k] : 1e-300);\n"
    "    most = out[best];\n"
    "    for (k = 0; k < @OUTPUTS; k++) {\n"
    "        double g = (most - out[k]) / @unit[0];\n"
    "        if (g > 1e150) g = 1e150;\n"
    "        out[k] = exp(-(@slope[k] + @slope[@OUTPUTS + k] * g) * g);\n"
    "        sum += out[k];\n"
    "    }\n"
    "    for (k = 0; k < @OUTPUTS; k++) out[k] = (1 - @unit[1]) * (out[k] / sum) + @unit[1] / @OUTPUTS;\n"
    "}\n";

static void write_calibration(const struct job *j)
{
    const struct tamis_calibrator *c = j->m->calibrator;
    if (!c) return;
    double unit[2] = {c->unit, c->floor};
    tamis_code_put(j->c, "\n");
    tamis_code_count(j->c, "LOG", (size_t)c->on_log);
    tamis_code_numbers(j->c, "unit", unit, 2, 0);
    tamis_code_numbers(j->c, "slope", c->slope, 2 * c->classes, 0);
    tamis_code_put(j->c, calibrate_source);
}

static const char units_source[] =
    "    for (k = 0; k < @OUTPUTS; k++) out[k] = @target_mean[k] + @target_scale[k] * out[k];\n"
    "    return 0;\n"
    "}\n\n";

static void write_predict(const struct job *j)
{
    const struct tamis_encoder *e = j->e;
    struct tamis_code *c = j->c;
    tamis_code_put(c, "\n"
                      "int @predict_all(const double *x, double *out)\n"
                      "{\n"
                      "    double z[@COLUMNS + 1];\n");
    tamis_code_put(c, e->classes ? "    int k, best = 0;\n" : "    int k;\n");
    tamis_code_put(c, e->impute ? "    if (@encode(x, z)) @impute(z);\n" : missing_source);
    tamis_code_put(c, "    @model(z, out);\n");
    tamis_code_put(c, e->classes ? winner_source : units_source);
    if (j->m->calibrator) tamis_code_put(c, "    @calibrate(out, best);\n");
    if (e->classes) tamis_code_put(c, "    return best;\n}\n\n");
    tamis_code_put(c, "double @predict(const double *x)\n"
                      "{\n"
                      "    double out[@OUTPUTS];\n"
                      "    int k = @predict_all(x, out);\n"
                      "    return k < 0 ? (double)NAN : ");
    tamis_code_put(c, e->classes ? "(double)k;\n}\n" : "out[k];\n}\n");
}

/* ---- intervals ---- */

/* As num/conformal.c: the k-th residual from either end, k = floor((n + 1) (1 - level) / 2). */
static const char interval_source[] =
    "\nint @interval(const double *x, double level, double *lower, double *upper)\n"
    "{\n"
    "    double out[@OUTPUTS];\n"
    "    int k, n = @RESIDUALS, at = level > 0 && level < 1 ? (int)((n + 1.0) * (1 - level) / 2 + 1e-9) : 0;\n"
    "    int status = @predict_all(x, out) < 0 ? -1 : at < 1 ? -2 : 0;\n"
    "    if (2 * at > n + 1) at = (n + 1) / 2;\n"
    "    for (k = 0; k < @OUTPUTS; k++) {\n"
    "        const double *r = @residual + n * k;\n"
    "        lower[k] = status ? (double)NAN : out[k] + r[at - 1] * @target_scale[k];\n"
    "        upper[k] = status ? (double)NAN : out[k] + r[n - at] * @target_scale[k];\n"
    "    }\n"
    "    return status;\n"
    "}\n";

static void write_interval(const struct job *j)
{
    const struct tamis_residuals *r = j->m->residuals;
    if (!r) return;
    tamis_code_put(j->c, "\n");
    tamis_code_count(j->c, "RESIDUALS", r->count);
    tamis_code_numbers(j->c, "residual", r->point, r->count * j->outputs, 0);
    tamis_code_put(j->c, interval_source);
}

static void write_targets(const struct job *j)
{
    const struct tamis_encoder *e = j->e;
    double *v = tamis_new(j->cx, double, 2 * (1 + e->more));
    for (size_t o = 0; v && o <= e->more; o++) {
        v[o] = o ? e->more_mean[o - 1] : e->target_mean;
        v[1 + e->more + o] = o ? e->more_scale[o - 1] : e->target_scale;
    }
    if (v && !e->classes) {
        tamis_code_numbers(j->c, "target_mean", v, 1 + e->more, 0);
        tamis_code_numbers(j->c, "target_scale", v + 1 + e->more, 1 + e->more, 0);
    }
    tamis_free(v);
}

/* ---- the test vector ---- */

static double standardised(const struct tamis_encoder *e, size_t column, double v)
{
    double mean = e->mean[column], scale = e->scale[column], d = v - mean;
    return isfinite(d) || isnan(v) ? d / scale : v / scale - mean / scale;
}

/* Raw inputs around the training means, and the same standardised (column-major), NAN if missing. */
static void test_inputs(const struct job *j, double *z)
{
    const struct tamis_encoder *e = j->e;
    for (size_t r = 0; r < TESTS; r++)
        for (size_t i = 0; i < e->inputs; i++) {
            const struct tamis_feature *f = &e->input[i];
            double spread = (double)((7 * r + 3 * i) % 11) / 4 - 1.25, *x = &j->raw[i + e->inputs * r];
            *x = f->levels ? (double)((r + i) % f->levels) : e->mean[f->first] + spread * e->scale[f->first];
            if (r + 1 == TESTS && !i) *x = NAN;
            for (size_t k = 0; k < f->columns; k++) {
                double v = !f->levels || isnan(*x) ? *x : (double)(*x == (double)k);
                z[r + TESTS * (f->first + k)] = standardised(e, f->first + k, v);
            }
        }
}

/* From the model's outputs (out) and predictions in the units of the targets (p), both column-major. */
static void test_outputs(const struct job *j, const double *out, const double *p)
{
    const struct tamis_encoder *e = j->e;
    size_t n = j->outputs, wide = n + 1;
    for (size_t r = 0; r < TESTS; r++) {
        int gap = r + 1 == TESTS && e->inputs && !e->impute;
        for (size_t k = 0; k < n; k++)
            j->want[k + wide * r] = gap ? NAN : e->classes ? out[r + TESTS * k] : p[r + TESTS * k];
        j->want[n + wide * r] = gap ? -1 : e->classes ? p[r] : 0;
    }
}

static int test_vector(struct job *j)
{
    const struct tamis_encoder *e = j->e;
    size_t n = j->outputs;
    double *z = tamis_raw(j->cx, double, TESTS * e->columns), *out = tamis_raw(j->cx, double, TESTS * n),
           *p = tamis_raw(j->cx, double, TESTS * (1 + e->more));
    struct tamis_design d = {(struct tamis_encoder *)e, TESTS, e->columns, e->inputs, z, NULL};
    j->raw = tamis_raw(j->cx, double, TESTS * e->inputs);
    j->want = tamis_raw(j->cx, double, TESTS * (n + 1));
    int status = tamis_status(j->cx);
    if (!status) test_inputs(j, z);
    if (!status && e->impute) status = tamis_impute_apply(j->cx, e, &d);
    for (size_t i = 0; !status && i < TESTS * e->columns; i++)
        if (isnan(z[i])) z[i] = 0;              /* no kind takes missing values */
    if (!status) status = tamis_model_apply(j->cx, j->m, &d, out);
    if (!status) tamis_model_units(j->m, out, TESTS, p);
    if (!status) tamis_model_calibrate(j->m, out, TESTS);
    if (!status) test_outputs(j, out, p);
    tamis_free(z);
    tamis_free(out);
    tamis_free(p);
    return status;
}

static const char test_source[] =
    "\n/* Exit code 0: every row of the test vector agrees with the prediction of tamis within 1e-9. */\n"
    "int main(void)\n"
    "{\n"
    "    int r, k, bad = 0;\n"
    "    for (r = 0; r < @TESTS; r++) {\n"
    "        const double *want = @test_out + r * (@OUTPUTS + 1);\n"
    "        double out[@OUTPUTS];\n"
    "        bad += @predict_all(@test_x + r * @INPUTS, out) != (int)want[@OUTPUTS];\n"
    "        for (k = 0; k < @OUTPUTS; k++)\n"
    "            if (want[k] == want[k] ? !(fabs(out[k] - want[k]) <= 1e-9 * (fabs(want[k]) + @test_unit[k])) : "
    "out[k] == out[k]) bad++;\n"
    "    }\n"
    "    printf(\"%d rows, %d wrong numbers\\n\", (int)@TESTS, bad);\n"
    "    return bad != 0;\n"
    "}\n";

static void write_test(const struct job *j)
{
    const struct tamis_encoder *e = j->e;
    double *unit = tamis_new(j->cx, double, j->outputs);
    for (size_t k = 0; unit && k < j->outputs; k++)
        unit[k] = e->classes ? 1 : k ? e->more_scale[k - 1] : e->target_scale;
    tamis_code_put(j->c, "\n#ifdef TEST\n");
    tamis_code_count(j->c, "TESTS", TESTS);
    tamis_code_numbers(j->c, "test_x", j->raw, TESTS * e->inputs, 0);
    tamis_code_numbers(j->c, "test_out", j->want, TESTS * (j->outputs + 1), 0);
    if (unit) tamis_code_numbers(j->c, "test_unit", unit, j->outputs, 0);
    tamis_code_put(j->c, test_source);
    tamis_code_put(j->c, "#endif\n");
    tamis_free(unit);
}

int tamis_export_c(tamis_context *cx, const struct tamis_model *m, struct tamis_code *c)
{
    struct job j = {.cx = cx, .m = m, .e = m->encoder, .c = c, .outputs = tamis_model_outputs(m)};
    if (!test_vector(&j)) {
        write_head(&j);
        write_declarations(&j);
        write_tables(&j);
        write_targets(&j);
        tamis_code_put(c, encode_source);
        tamis_export_impute(m->encoder, c);
        m->kind->code(m->body, c);
        write_calibration(&j);
        write_predict(&j);
        write_interval(&j);
        write_test(&j);
    }
    tamis_free(j.raw);
    tamis_free(j.want);
    return tamis_status(cx);
}
