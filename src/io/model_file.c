/* Packed model files: the encoder (inputs, means and scales) and the body of the model's kind. */
#include <math.h>
#include <string.h>
#include "base/files.h"
#include "base/pack.h"
#include "data/dates.h"
#include "io/model_file.h"

/* Format 2: several targets, lags, imputation; 3: dates; 4: time; 5: certainty; 6: one kind knn, with weights
 * or none. */
const char tamis_model_magic[4] = "MODL";

/* Bounds where the length of the file sets none: lags and neighbours; donors without columns. */
enum { FARTHEST = 1 << 30, MOST_DONORS = 1 << 24 };

/* ---- writing ---- */

static void pack_strings(struct tamis_pack *p, char *const *s, size_t n)
{
    tamis_pack_u64(p, n);
    for (size_t i = 0; i < n; i++) tamis_pack_str(p, s[i]);
}

/* Files hold finite numbers: missing values are zeros, and their positions are listed. */
static void pack_donors(struct tamis_pack *p, const struct tamis_encoder *e)
{
    size_t cells = e->donors * e->columns, gaps = 0;
    for (size_t i = 0; i < cells; i++) gaps += isnan(e->donor[i]) != 0;
    tamis_pack_u64(p, e->donors);
    tamis_pack_u64(p, gaps);
    for (size_t i = 0; i < cells; i++)
        if (isnan(e->donor[i])) tamis_pack_u64(p, i);
    for (size_t i = 0; i < cells; i++) tamis_pack_f64(p, isnan(e->donor[i]) ? 0 : e->donor[i]);
}

/* What format 2 added. */
static void pack_second(struct tamis_pack *p, const struct tamis_encoder *e)
{
    pack_strings(p, e->more_target, e->more);
    tamis_pack_doubles(p, e->more_mean, e->more);
    tamis_pack_doubles(p, e->more_scale, e->more);
    tamis_pack_u64(p, (uint64_t)e->series);
    for (size_t i = 0; e->series && i < e->inputs; i++) {
        tamis_pack_str(p, e->input[i].source);
        tamis_pack_u64(p, e->input[i].lag);
    }
    tamis_pack_u64(p, (uint64_t)e->impute);
    if (!e->impute) return;
    tamis_pack_doubles(p, e->fill, e->columns);
    tamis_pack_u64(p, e->neighbours);
    pack_donors(p, e);
}

/* What format 3 added. */
static void pack_dates(struct tamis_pack *p, const struct tamis_encoder *e)
{
    for (size_t i = 0; i < e->inputs; i++) {
        const struct tamis_feature *f = &e->input[i];
        tamis_pack_u64(p, (uint64_t)f->date);
        tamis_pack_u64(p, (uint64_t)f->part);
        if (f->part && !e->series) tamis_pack_str(p, f->source);
    }
}

/* What format 4 added. */
static void pack_time(struct tamis_pack *p, const struct tamis_time *t)
{
    tamis_pack_u64(p, t->column != NULL);
    if (!t->column) return;
    tamis_pack_str(p, t->column);
    tamis_pack_u64(p, (uint64_t)t->date);
    tamis_pack_f64(p, t->step);
    tamis_pack_f64(p, t->longest);
}

static void pack_encoder(struct tamis_pack *p, const struct tamis_encoder *e)
{
    tamis_pack_str(p, e->target);
    tamis_pack_f64(p, e->target_mean);
    tamis_pack_f64(p, e->target_scale);
    pack_strings(p, e->class_name, e->classes);
    tamis_pack_u64(p, e->inputs);
    for (size_t i = 0; i < e->inputs; i++) {
        tamis_pack_str(p, e->input[i].name);
        tamis_pack_u64(p, (uint64_t)e->input[i].constant);
        pack_strings(p, e->input[i].level, e->input[i].levels);
    }
    tamis_pack_doubles(p, e->mean, e->columns);
    tamis_pack_doubles(p, e->scale, e->columns);
    pack_second(p, e);
    pack_dates(p, e);
    pack_time(p, &e->time);
}

/* What format 5 added, after the body: probabilities of classes, residuals for intervals. */
static void pack_certainty(struct tamis_pack *p, const struct tamis_model *m)
{
    const struct tamis_calibrator *c = m->calibrator;
    size_t residuals = m->residuals ? m->residuals->count : 0;
    tamis_pack_u64(p, c != NULL);
    if (c) {
        tamis_pack_u64(p, (uint64_t)c->on_log);
        tamis_pack_f64(p, c->unit);
        tamis_pack_f64(p, c->floor);
        tamis_pack_doubles(p, c->slope, 2 * c->classes);
    }
    tamis_pack_u64(p, residuals);
    if (residuals) tamis_pack_doubles(p, m->residuals->point, residuals * (1 + m->encoder->more));
}

static int pack_model(tamis_context *cx, const tamis_model *m, struct tamis_pack *p)
{
    tamis_pack_begin(p, cx, tamis_model_magic, TAMIS_MODEL_FORMAT);
    tamis_pack_str(p, m->kind->name);
    pack_encoder(p, m->encoder);
    m->kind->pack(m->body, p);
    pack_certainty(p, m);
    return tamis_pack_end(p);
}

int tamis_model_save_memory(tamis_context *cx, const tamis_model *m, void **bytes, size_t *n)
{
    TAMIS_CALL(cx);
    struct tamis_pack p;
    *bytes = NULL;
    int status = pack_model(cx, m, &p);
    if (status) {
        tamis_pack_free(&p);
        return status;
    }
    *bytes = p.bytes;
    *n = p.length;
    return TAMIS_OK;
}

int tamis_model_save(tamis_context *cx, const tamis_model *m, const char *path)
{
    TAMIS_CALL(cx);
    struct tamis_pack p;
    int status = pack_model(cx, m, &p);
    if (!status) status = tamis_file_write(cx, path, p.bytes, p.length);
    tamis_pack_free(&p);
    return status;
}

/* ---- reading ---- */

static char **unpack_strings(struct tamis_unpack *u, size_t *count)
{
    size_t n = (size_t)tamis_unpack_u64(u, (u->length - u->at) / 8);
    char **s = n ? tamis_new(u->cx, char *, n) : NULL;
    if (n && !s) u->failed = 1;
    for (*count = 0; s && *count < n; ++*count)
        if (!(s[*count] = tamis_unpack_str(u))) {
            u->failed = 1;
            break;
        }
    return s;
}

static void unpack_feature(struct tamis_unpack *u, struct tamis_encoder *e)
{
    struct tamis_feature *f = &e->input[e->inputs++];
    f->name = tamis_unpack_str(u);
    f->constant = (int)tamis_unpack_u64(u, 1);
    f->level = unpack_strings(u, &f->levels);
    f->first = e->columns;
    f->columns = f->levels ? f->levels : 1;
    e->columns += f->columns;
    if (!f->name) u->failed = 1;
}

static void unpack_donors(struct tamis_unpack *u, struct tamis_encoder *e)
{
    size_t most = e->columns ? (u->length - u->at) / 8 / e->columns : MOST_DONORS;
    size_t donors = (size_t)tamis_unpack_u64(u, most), cells = donors * e->columns,
           gaps = (size_t)tamis_unpack_u64(u, cells);
    size_t *gap = u->failed ? NULL : tamis_new(u->cx, size_t, gaps);
    for (size_t i = 0; gap && i < gaps; i++) gap[i] = (size_t)tamis_unpack_u64(u, cells - 1);
    if ((e->impute == TAMIS_IMPUTE_KNN) != (donors > 0) || !gap || !(e->donor = tamis_raw(u->cx, double, cells)))
        u->failed = 1;
    for (size_t i = 0; !u->failed && i < cells; i++) e->donor[i] = tamis_unpack_f64(u);
    for (size_t i = 0; !u->failed && i < gaps; i++) e->donor[gap[i]] = NAN;
    if (!u->failed) e->donors = donors;
    tamis_free(gap);
}

static void unpack_lags(struct tamis_unpack *u, struct tamis_encoder *e)
{
    e->series = (int)tamis_unpack_u64(u, 1);
    for (size_t i = 0; e->series && i < e->inputs && !u->failed; i++) {
        if (!(e->input[i].source = tamis_unpack_str(u))) u->failed = 1;
        e->input[i].lag = (size_t)tamis_unpack_u64(u, FARTHEST);
    }
}

static void unpack_second(struct tamis_unpack *u, struct tamis_encoder *e)
{
    e->more_target = unpack_strings(u, &e->more);
    e->more_mean = tamis_unpack_doubles(u, e->more);
    e->more_scale = tamis_unpack_doubles(u, e->more);
    for (size_t o = 0; e->more_scale && o < e->more; o++)
        if (!(e->more_scale[o] > 0)) u->failed = 1;
    if (e->more && e->classes) u->failed = 1;
    unpack_lags(u, e);
    e->impute = (int)tamis_unpack_u64(u, TAMIS_IMPUTE_KNN);
    if (!e->impute || u->failed) return;
    e->fill = tamis_unpack_doubles(u, e->columns);
    e->neighbours = (size_t)tamis_unpack_u64(u, FARTHEST);
    unpack_donors(u, e);
    if (e->donors && (!e->neighbours || e->neighbours > e->donors)) u->failed = 1;
}

static void unpack_dates(struct tamis_unpack *u, struct tamis_encoder *e)
{
    for (size_t i = 0; i < e->inputs && !u->failed; i++) {
        struct tamis_feature *f = &e->input[i];
        f->date = (int)tamis_unpack_u64(u, TAMIS_DATES - 1);
        f->part = (int)tamis_unpack_u64(u, TAMIS_PARTS - 1);
        if (f->part && !e->series && !(f->source = tamis_unpack_str(u))) u->failed = 1;
        if ((f->part && !f->date) || (f->date && f->levels)) u->failed = 1;
    }
}

static void unpack_time(struct tamis_unpack *u, struct tamis_encoder *e)
{
    struct tamis_time *t = &e->time;
    if (!tamis_unpack_u64(u, (uint64_t)e->series)) return;
    if (!(t->column = tamis_unpack_str(u))) u->failed = 1;
    t->date = (int)tamis_unpack_u64(u, TAMIS_DATES - 1);
    t->step = tamis_unpack_f64(u);
    t->longest = tamis_unpack_f64(u);
    if (!(t->step >= 0 && t->longest >= t->step)) u->failed = 1;
}

static struct tamis_encoder *unpack_encoder(struct tamis_unpack *u)
{
    struct tamis_encoder *e = tamis_new(u->cx, struct tamis_encoder, 1);
    if (!e) return NULL;
    e->target = tamis_unpack_str(u);
    e->target_mean = tamis_unpack_f64(u);
    e->target_scale = tamis_unpack_f64(u);
    e->class_name = unpack_strings(u, &e->classes);
    size_t n = (size_t)tamis_unpack_u64(u, (u->length - u->at) / 8);
    if (!e->target || !(e->input = tamis_new(u->cx, struct tamis_feature, n))) u->failed = 1;
    for (size_t i = 0; i < n && !u->failed; i++) unpack_feature(u, e);
    e->mean = tamis_unpack_doubles(u, e->columns);
    e->scale = tamis_unpack_doubles(u, e->columns);
    for (size_t j = 0; e->scale && j < e->columns; j++)
        if (!(e->scale[j] > 0)) u->failed = 1;
    if (!(e->target_scale > 0)) u->failed = 1;
    if (u->version >= 2 && !u->failed) unpack_second(u, e);
    if (u->version >= 3 && !u->failed) unpack_dates(u, e);
    if (u->version >= 4 && !u->failed) unpack_time(u, e);
    if (!u->failed) return e;
    tamis_encoder_free(e);
    return NULL;
}

static void unpack_calibrator(struct tamis_unpack *u, struct tamis_model *m)
{
    size_t classes = m->encoder->classes;
    if (!tamis_unpack_u64(u, classes > 0)) return;
    struct tamis_calibrator *c = m->calibrator = tamis_calibrator_new(u->cx, classes);
    if (!c) u->failed = 1;
    if (u->failed) return;
    c->on_log = (int)tamis_unpack_u64(u, 1);
    c->unit = tamis_unpack_f64(u);
    c->floor = tamis_unpack_f64(u);
    tamis_unpack_into(u, c->slope, 2 * classes);
    if (!(c->unit > 0 && c->floor > 0 && c->floor < 1)) u->failed = 1;
    for (size_t k = 0; k < 2 * classes; k++)
        if (!(c->slope[k] >= 0)) u->failed = 1;
}

static void unpack_residuals(struct tamis_unpack *u, struct tamis_model *m)
{
    size_t targets = 1 + m->encoder->more, most = m->encoder->classes ? 0 : (u->length - u->at) / 8 / targets,
           n = (size_t)tamis_unpack_u64(u, most);
    if (!n || u->failed) return;
    struct tamis_residuals *r = m->residuals = tamis_residuals_new(u->cx, n, targets);
    if (!r) u->failed = 1;
    if (r) tamis_unpack_into(u, r->point, n * targets);
    for (size_t i = 1; !u->failed && i < n * targets; i++)
        if (i % n && r->point[i] < r->point[i - 1]) u->failed = 1;
}

static tamis_model *unpack_model(struct tamis_unpack *u)
{
    char *name = tamis_unpack_str(u);
    const struct tamis_model_kind *k = name ? tamis_model_kind_find(name) : NULL;
    if (name && !k)
        tamis_fail(u->cx, TAMIS_DATA, "this tamis does not know models of kind '%s'; use a newer tamis", name);
    tamis_free(name);
    if (!k) u->failed = 1;
    struct tamis_encoder *e = u->failed ? NULL : unpack_encoder(u);
    void *body = e ? k->unpack(u, e->columns, tamis_encoder_outputs(e)) : NULL;
    if (body) {
        tamis_model *m = tamis_model_new(u->cx, k->now ? k->now : k, e, body);
        if (m && u->version >= 5) unpack_calibrator(u, m);
        if (m && u->version >= 5) unpack_residuals(u, m);
        return m;
    }
    tamis_encoder_free(e);
    u->failed = 1;
    return NULL;
}

static int load_packed(tamis_context *cx, const void *bytes, size_t n, tamis_model **out)
{
    struct tamis_unpack u;
    int status = tamis_unpack_begin(&u, cx, bytes, n, tamis_model_magic, TAMIS_MODEL_FORMAT, "model");
    if (status) return status;
    tamis_model *m = unpack_model(&u);
    status = tamis_unpack_end(&u, "model");
    if (status) tamis_model_free(m);
    else *out = m;
    return status;
}

/* JSON is recognised by its first character. */
int tamis_model_load_memory(tamis_context *cx, const void *bytes, size_t n, tamis_model **out)
{
    TAMIS_CALL(cx);
    struct tamis_pack p = {.cx = cx};
    size_t blanks = 0;
    const char *s = bytes;
    *out = NULL;
    while (blanks < n && strchr(" \t\r\n", s[blanks]) && s[blanks]) blanks++;
    if (blanks == n || s[blanks] != '{') return load_packed(cx, bytes, n, out);
    int status = tamis_model_json_pack(cx, bytes, n, &p);
    if (!status) status = load_packed(cx, p.bytes, p.length, out);
    tamis_pack_free(&p);
    return status;
}

int tamis_model_load(tamis_context *cx, const char *path, tamis_model **out)
{
    TAMIS_CALL(cx);
    unsigned char *bytes = NULL;
    size_t n = 0;
    *out = NULL;
    int status = tamis_file_read(cx, path, &bytes, &n);
    if (status) return status;
    status = tamis_model_load_memory(cx, bytes, n, out);
    tamis_free(bytes);
    return status ? tamis_fail_at(cx, path) : TAMIS_OK;
}
