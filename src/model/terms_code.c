/* A model of terms as C. */
#include "model/terms_tables.h"

/* num/basis.c one value at a time. */
static const char basis_source[] =
    "/* The first count[c] functions of column c: turn x (raw - raw_mean); raw: z, z^2, sqrt2 cos(pi k u), k = 1..5.\n"
    " * z: x within [lo, hi], scaled to [-1, 1]; u: its rank, linear between the knots. unit keeps differences finite. "
    "*/\n"
    "static void @functions(int c, double x, double *phi)\n"
    "{\n"
    "    static const double a[9] = {\n"
    "        7.697826768224191e-07, -2.1903497074626018e-05, 0.0004662998161898394,"
    " -0.007370430505916944, 0.0821458865731029,\n"
    "        -0.5992645293189447, 2.5501640398773007, -5.167712780049969, 3.141592653589793};\n"
    "    const double *knot = @knot + @knot_at[c], *rank = @rank + @knot_at[c];\n"
    "    const double *mean = @raw_mean + @mean_at[c], *turn = @turn + @turn_at[c];\n"
    "    const int *order = @order + @order_at[c];\n"
    "    int low = 0, high = @knots[c], last = high - 1, j, k;\n"
    "    double raw[7], v, w, p, before, slope = 0, unit, lo, hi, inverse;\n"
    "    v = knot[0] < 0 ? -knot[0] : knot[0];\n"
    "    w = knot[last] < 0 ? -knot[last] : knot[last];\n"
    "    w = v > w ? v : w;\n"
    "    unit = w < 1.1830521861667747e-271 ? 1.2676506002282294e+30 :"
    " w > 8.452712498170644e+270 ? 7.888609052210118e-31 : 1.0;\n"
    "    lo = unit * @lo[c];\n"
    "    hi = unit * @hi[c];\n"
    "    inverse = 1.0 / (0.5 * (hi - lo));\n"
    "    if (inverse - inverse != 0) inverse = 0;\n"
    "    v = unit * x;\n"
    "    v = v > lo ? v : lo;\n"
    "    v = v < hi ? v : hi;\n"
    "    raw[0] = (v - lo) * inverse - 1.0;\n"
    "    raw[1] = raw[0] * raw[0];\n"
    "    v = unit * x;\n"
    "    v = v > unit * knot[0] ? v : unit * knot[0];\n"
    "    v = v < unit * knot[last] ? v : unit * knot[last];\n"
    "    while (high - low > 1) {\n"
    "        k = (low + high) / 2;\n"
    "        if (unit * knot[k] <= v) low = k;\n"
    "        else high = k;\n"
    "    }\n"
    "    if (low < last) slope = (rank[low + 1] - rank[low]) / (unit * knot[low + 1] - unit * knot[low]);\n"
    "    if (slope - slope != 0) slope = 0;\n"
    "    v = 0.5 - (rank[low] + slope * (v - unit * knot[low]));\n"
    "    w = v * v;\n"
    "    p = a[0];\n"
    "    for (j = 1; j < 9; j++) p = a[j] + w * p;\n"
    "    p = v * p;                                  /* cos(pi u) = sin(pi (1/2 - u)) */\n"
    "    w = 2 * p;\n"
    "    before = 1;\n"
    "    for (j = 2; j < 7; j++) {\n"
    "        raw[j] = 1.4142135623730951 * p;\n"
    "        v = w * p - before;\n"
    "        before = p;\n"
    "        p = v;\n"
    "    }\n"
    "    for (k = 0; k < @count[c]; turn += order[k++] + 1) {\n"
    "        phi[k] = turn[0] * (raw[0] - mean[0]);\n"
    "        for (j = 1; j <= order[k]; j++) phi[k] += turn[j] * (raw[j] - mean[j]);\n"
    "    }\n"
    "}\n\n";

static const char model_source[] =
    "\n/* out_o = bias and Gaussians + sum over features f of coefficient_fo x its factors: functions, or columns. */\n"
    "static void @model(const double *z, double *out)\n"
    "{\n"
    "    double phi[7 * @COLUMNS + 1];\n"
    "    int c, f, j, o;\n"
    "    @gaussians(z, out);\n"
    "    phi[0] = 0;\n"
    "    for (c = 0; c < @COLUMNS; c++) {\n"
    "        phi[7 * c] = z[c];\n"
    "        if (@count[c]) @functions(c, z[c], phi + 7 * c);\n"
    "    }\n"
    "    for (f = 0; f < @FEATURES; f++) {\n"
    "        double v = 1;\n"
    "        for (j = 3 * f; j < 3 * f + 3; j++)\n"
    "            if (@factor[j]) v *= phi[@factor[j] - 1];\n"
    "        for (o = 0; o < @OUTPUTS; o++) out[o] += @coefficient[f * @OUTPUTS + o] * v;\n"
    "    }\n"
    "}\n";

static void write_tables(const struct tamis_terms *t, const struct tamis_terms_tables *s, struct tamis_code *c)
{
    tamis_code_sizes(c, "knots", s->knot_count, t->columns);
    tamis_code_sizes(c, "order_at", s->order_at, t->columns);
    tamis_code_sizes(c, "knot_at", s->knot_at, t->columns);
    tamis_code_sizes(c, "mean_at", s->mean_at, t->columns);
    tamis_code_sizes(c, "turn_at", s->turn_at, t->columns);
    tamis_code_sizes(c, "order", s->order, s->functions);
    tamis_code_numbers(c, "lo", s->lo, t->columns, 0);
    tamis_code_numbers(c, "hi", s->hi, t->columns, 0);
    tamis_code_numbers(c, "knot", s->knot, s->knots, 0);
    tamis_code_numbers(c, "rank", s->rank, s->knots, 0);
    tamis_code_numbers(c, "raw_mean", s->mean, s->means, 0);
    tamis_code_numbers(c, "turn", s->turn, s->turns, 0);
}

void tamis_terms_code(const void *body, struct tamis_code *c)
{
    const struct tamis_terms *t = body;
    struct tamis_terms_tables s = {0};
    double *alpha = tamis_raw(c->t.cx, double, (t->centres + 1) * t->outputs);
    if (alpha && !tamis_terms_tables_make(c->t.cx, t, &s)) {
        struct tamis_gauss_net g = tamis_terms_network(t, alpha);
        tamis_gauss_net_code(&g, "gaussians", c);
        write_tables(t, &s, c);
        tamis_terms_needed(t, s.count);
        tamis_code_sizes(c, "count", s.count, t->columns);
        tamis_code_put(c, basis_source);
        tamis_code_count(c, "FEATURES", t->features);
        tamis_code_sizes(c, "factor", t->factor, TAMIS_TERM_INPUTS * t->features);
        tamis_code_numbers(c, "coefficient", t->coefficient, t->features * t->outputs, t->features);
        tamis_code_put(c, model_source);
    }
    tamis_free(alpha);
    tamis_terms_tables_free(&s);
}
