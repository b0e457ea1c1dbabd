/* What R calls. Every function returns session_answer: R/answer.R turns it into messages, an error or the value. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>
#include "tamis_r.h"

static SEXP finish(SEXP handle, const struct session *s, SEXP value)
{
    PROTECT(value);
    SEXP answer = PROTECT(session_answer(s, value));
    session_end(handle);
    UNPROTECT(3);                       /* with the handle */
    return answer;
}

static SEXP begin(struct session **s, SEXP options)
{
    SEXP handle = PROTECT(session_new(s));
    options_fill(*s, options);
    return handle;
}

static SEXP raw_of(const void *bytes, size_t n)
{
    SEXP out = Rf_allocVector(RAWSXP, (R_xlen_t)n);
    if (n) memcpy(RAW(out), bytes, n);
    return out;
}

static int model_read(struct session *s, SEXP raw)
{
    if (!check_raw(s, raw)) s->status = tamis_model_load_memory(s->cx, RAW(raw), (size_t)XLENGTH(raw), &s->model);
    return s->status;
}

/* ---- selection and comparison ---- */

static int work_select(struct session *s)
{
    int status = tamis_select(s->cx, s->data, s->test, s->options, &s->result);
    if (!status) status = tamis_result_json(s->cx, s->result, &s->text, &s->length);
    if (!status) s->model = tamis_result_take_model(s->result);
    return status;
}

static int work_compare(struct session *s)
{
    int status = tamis_compare(s->cx, s->data, s->options, &s->comparison);
    return status ? status : tamis_comparison_json(s->cx, s->comparison, &s->text, &s->length);
}

/* The model as bytes of a model file; NULL: there is none. */
static SEXP model_bytes(struct session *s)
{
    void *bytes = NULL;
    size_t n = 0;
    if (!s->model) return R_NilValue;
    s->status = tamis_model_save_memory(s->cx, s->model, &bytes, &n);
    tamis_release(s->text);             /* the session owns what R's allocation may jump over */
    s->text = bytes;
    return s->status ? R_NilValue : raw_of(bytes, n);
}

static SEXP select_value(struct session *s)
{
    const char *names[] = {"result", "json", "model", ""};
    SEXP value = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(value, 0, value_to_r(tamis_result_value(s->result)));
    SET_VECTOR_ELT(value, 1, text_to_r(s->text, s->length));
    SET_VECTOR_ELT(value, 2, model_bytes(s));
    UNPROTECT(1);
    return value;
}

static SEXP call_select(SEXP data, SEXP test, SEXP name, SEXP options, SEXP progress)
{
    struct session *s;
    SEXP handle = begin(&s, options);
    table_fill(s, data, check_text(s, name, "the name of the table"), &s->data);
    if (!Rf_isNull(test)) table_fill(s, test, "test rows", &s->test);
    if (!s->status) session_run(s, work_select, NULL, Rf_asLogical(progress));
    return finish(handle, s, s->status ? R_NilValue : select_value(s));
}

static SEXP call_compare(SEXP data, SEXP name, SEXP options, SEXP progress)
{
    struct session *s;
    const char *names[] = {"result", "json", ""};
    SEXP handle = begin(&s, options);
    table_fill(s, data, check_text(s, name, "the name of the table"), &s->data);
    if (!s->status) session_run(s, work_compare, NULL, Rf_asLogical(progress));
    if (s->status) return finish(handle, s, R_NilValue);
    SEXP value = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(value, 0, value_to_r(tamis_comparison_value(s->comparison)));
    SET_VECTOR_ELT(value, 1, text_to_r(s->text, s->length));
    UNPROTECT(1);
    return finish(handle, s, value);
}

/* ---- models ---- */

struct predictions { double *value, *score, *lower, *upper, level; };

static int work_predict(struct session *s)
{
    struct predictions *p = s->user;
    int status = s->data ? tamis_model_predict(s->cx, s->model, s->data, p->value, p->score) : 0;
    if (status || isnan(p->level)) return status;
    return tamis_model_interval(s->cx, s->model, p->level, p->lower, p->upper);
}

static SEXP matrix_in(SEXP list, int at, size_t rows, size_t columns)
{
    SET_VECTOR_ELT(list, at, Rf_allocMatrix(REALSXP, (int)rows, (int)columns));
    return VECTOR_ELT(list, at);
}

/* data NULL: the ends of intervals alone; level: of intervals, NA: none */
static SEXP call_predict(SEXP model, SEXP data, SEXP level, SEXP options)
{
    struct session *s;
    const char *names[] = {"prediction", "score", "lower", "upper", ""};
    const char *const *class = NULL;
    struct predictions p = {.level = Rf_isNumeric(level) ? Rf_asReal(level) : NA_REAL};
    SEXP handle = begin(&s, options), value = PROTECT(Rf_mkNamed(VECSXP, names));
    if (!model_read(s, model) && !Rf_isNull(data)) table_fill(s, data, "newdata", &s->data);
    if (!s->status) {
        size_t rows = s->data ? tamis_table_rows(s->data) : 0, targets = tamis_model_targets(s->model),
               classes = tamis_model_classes(s->model, &class);
        p.value = REAL(matrix_in(value, 0, rows, targets));
        if (classes) p.score = REAL(matrix_in(value, 1, rows, classes));
        p.lower = REAL(matrix_in(value, 2, 1, targets));
        p.upper = REAL(matrix_in(value, 3, 1, targets));
        session_run(s, work_predict, &p, 0);
    }
    UNPROTECT(1);
    return finish(handle, s, value);
}

static SEXP input_names(const tamis_model *m)
{
    size_t n = tamis_model_inputs(m);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)n));
    for (size_t i = 0; i < n; i++) SET_STRING_ELT(out, (R_xlen_t)i, Rf_mkCharCE(tamis_model_input(m, i), CE_UTF8));
    UNPROTECT(1);
    return out;
}

static SEXP target_names(const tamis_model *m)
{
    size_t n = tamis_model_targets(m);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)n));
    for (size_t i = 0; i < n; i++)
        SET_STRING_ELT(out, (R_xlen_t)i, Rf_mkCharCE(tamis_model_target_at(m, i), CE_UTF8));
    UNPROTECT(1);
    return out;
}

static SEXP model_value(const tamis_model *m)
{
    const char *names[] = {"kind", "inputs", "targets", "classes", "basis_functions", ""};
    const char *const *class = NULL;
    size_t classes = tamis_model_classes(m, &class);
    SEXP value = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(value, 0, text_to_r(tamis_model_kind(m), strlen(tamis_model_kind(m))));
    SET_VECTOR_ELT(value, 1, input_names(m));
    SET_VECTOR_ELT(value, 2, target_names(m));
    SET_VECTOR_ELT(value, 3, classes ? names_to_r(class, classes) : R_NilValue);
    SET_VECTOR_ELT(value, 4, Rf_ScalarReal((double)tamis_model_basis_functions(m)));
    UNPROTECT(1);
    return value;
}

static SEXP call_describe_model(SEXP model)
{
    struct session *s;
    SEXP handle = PROTECT(session_new(&s));
    model_read(s, model);
    return finish(handle, s, s->status ? R_NilValue : model_value(s->model));
}

static SEXP call_load(SEXP path)
{
    struct session *s;
    SEXP handle = PROTECT(session_new(&s));
    const char *file = check_text(s, path, "file");
    if (!s->status) s->status = tamis_model_load(s->cx, file, &s->model);
    return finish(handle, s, s->status ? R_NilValue : model_bytes(s));
}

static SEXP call_save(SEXP model, SEXP path)
{
    struct session *s;
    SEXP handle = PROTECT(session_new(&s));
    const char *file = check_text(s, path, "file");
    if (!model_read(s, model)) s->status = tamis_model_save(s->cx, s->model, file);
    return finish(handle, s, R_NilValue);
}

static SEXP call_export(SEXP model, SEXP options)
{
    struct session *s;
    SEXP handle = begin(&s, options);
    if (!model_read(s, model)) s->status = tamis_model_export(s->cx, s->model, s->options, &s->text, &s->length);
    return finish(handle, s, s->status ? R_NilValue : text_to_r(s->text, s->length));
}

/* ---- reports ---- */

static int json_read(struct session *s, SEXP json)
{
    const char *text = check_text(s, json, "json");
    if (!s->status) s->status = tamis_value_parse(s->cx, text, strlen(text), &s->value);
    return s->status;
}

/* figure NULL: the page */
static SEXP call_report(SEXP json, SEXP figure, SEXP labels)
{
    struct session *s;
    SEXP handle = PROTECT(session_new(&s));
    tamis_report_form form = {.size = sizeof form};
    if (!Rf_isNull(figure)) form.figure = check_text(s, figure, "figure");
    if (!check_texts(s, labels, "labels")) {
        form.label = texts_of(labels);
        form.labels = (size_t)XLENGTH(labels);
    }
    if (!json_read(s, json)) s->status = tamis_report(s->cx, s->value, &form, &s->text, &s->length);
    return finish(handle, s, s->status ? R_NilValue : text_to_r(s->text, s->length));
}

/* A result of the command line as the list that a run in R has. */
static SEXP call_parse(SEXP json)
{
    struct session *s;
    SEXP handle = PROTECT(session_new(&s));
    json_read(s, json);
    return finish(handle, s, s->status ? R_NilValue : value_to_r(s->value));
}

/* ---- tables ---- */

static int table_text(struct session *s, int status)
{
    return status ? status : tamis_table_csv(s->cx, s->data, &s->text, &s->length);
}

static int work_generate(struct session *s)
{
    return table_text(s, tamis_table_generate(s->cx, s->user, s->options, &s->data));
}

static int work_read(struct session *s)
{
    return table_text(s, tamis_table_read(s->cx, s->user, s->options, &s->data));
}

/* A table that the library makes of a name, as text. */
static SEXP call_table(SEXP name, const char *what, SEXP options, int (*work)(struct session *))
{
    struct session *s;
    SEXP handle = begin(&s, options);
    const char *text = check_text(s, name, what);
    if (!s->status) session_run(s, work, (void *)(uintptr_t)text, 0);
    return finish(handle, s, s->status ? R_NilValue : text_to_r(s->text, s->length));
}

static SEXP call_generate(SEXP name, SEXP options) { return call_table(name, "name", options, work_generate); }
static SEXP call_read(SEXP path, SEXP options) { return call_table(path, "file", options, work_read); }

static int work_clean(struct session *s)
{
    int status = tamis_table_clean(s->cx, s->data, s->options, &s->test, &s->value);
    return status ? status : tamis_table_csv(s->cx, s->test, &s->text, &s->length);
}

/* What is kept, and a table of it as text: the caller finds its rows there. */
static SEXP call_clean(SEXP data, SEXP name, SEXP options)
{
    struct session *s;
    const char *names[] = {"report", "text", ""};
    SEXP handle = begin(&s, options), value = PROTECT(Rf_mkNamed(VECSXP, names));
    table_fill(s, data, check_text(s, name, "the name of the table"), &s->data);
    if (!s->status) session_run(s, work_clean, NULL, 0);
    if (!s->status) {
        SET_VECTOR_ELT(value, 0, value_to_r(s->value));
        SET_VECTOR_ELT(value, 1, text_to_r(s->text, s->length));
    }
    UNPROTECT(1);
    return finish(handle, s, value);
}

static int work_describe(struct session *s)
{
    return tamis_table_describe_with(s->cx, s->data, s->options, &s->value);
}

static SEXP call_describe(SEXP data, SEXP name, SEXP options)
{
    struct session *s;
    SEXP handle = begin(&s, options);
    table_fill(s, data, check_text(s, name, "the name of the table"), &s->data);
    if (!s->status) session_run(s, work_describe, NULL, 0);
    return finish(handle, s, s->status ? R_NilValue : value_to_r(s->value));
}

/* Texts as numbers, correctly rounded (R's own reader may be off by one unit); NULL: not texts, or one is no number. */
static SEXP call_numbers(SEXP texts)
{
    if (TYPEOF(texts) != STRSXP) return R_NilValue;
    R_xlen_t n = XLENGTH(texts);
    SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        const char *text = text_of(texts, i);
        char *end = NULL;
        REAL(out)[i] = text && *text ? strtod(text, &end) : NA_REAL;
        if (end && *end) {
            UNPROTECT(1);
            return R_NilValue;
        }
    }
    UNPROTECT(1);
    return out;
}

/* ---- what there is ---- */

static SEXP call_catalogue(void)
{
    struct session *s;
    SEXP handle = PROTECT(session_new(&s));
    s->status = tamis_catalogue(s->cx, &s->value);
    return finish(handle, s, s->status ? R_NilValue : value_to_r(s->value));
}

static SEXP option_value(const tamis_option_info *o)
{
    const char *names[] = {"name", "type", "default", "choices", "help", "part", ""};
    const char *const text[] = {o->name, o->type, o->standard, o->choices, o->help, o->part};
    SEXP value = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int i = 0; i < 6; i++) SET_VECTOR_ELT(value, i, text_to_r(text[i], text[i] ? strlen(text[i]) : 0));
    UNPROTECT(1);
    return value;
}

static SEXP call_options(void)
{
    tamis_option_info o = {.size = sizeof o};
    size_t n = 0;
    while (tamis_option_at(n, &o)) n++;
    SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)n));
    for (size_t i = 0; tamis_option_at(i, &o); i++) SET_VECTOR_ELT(out, (R_xlen_t)i, option_value(&o));
    UNPROTECT(1);
    return out;
}

static SEXP call_version(void)
{
    const char *const text[] = {tamis_version(), tamis_blas()};
    return names_to_r(text, 2);
}

#define ROUTINE(name, arguments) {"C_" #name, (DL_FUNC)(void (*)(void))call_##name, arguments}
static const R_CallMethodDef routines[] = {
    ROUTINE(select, 5), ROUTINE(compare, 4), ROUTINE(predict, 4), ROUTINE(describe_model, 1), ROUTINE(load, 1),
    ROUTINE(save, 2), ROUTINE(export, 2), ROUTINE(report, 3), ROUTINE(parse, 1), ROUTINE(generate, 2),
    ROUTINE(read, 2), ROUTINE(clean, 3), ROUTINE(describe, 3), ROUTINE(numbers, 1), ROUTINE(catalogue, 0),
    ROUTINE(options, 0), ROUTINE(version, 0), {NULL, NULL, 0}};

void attribute_visible R_init_tamis(DllInfo *dll);
void attribute_visible R_init_tamis(DllInfo *dll)
{
    R_registerRoutines(dll, NULL, routines, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
}
