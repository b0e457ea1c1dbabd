/* Values, options and tables, between R and the library. */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "tamis_r.h"

/* ---- to R ---- */

SEXP text_to_r(const char *text, size_t length)
{
    if (length > INT_MAX) Rf_error("tamis: a text of %.0f bytes is longer than R's texts can be", (double)length);
    return Rf_ScalarString(text ? Rf_mkCharLenCE(text, (int)length, CE_UTF8) : NA_STRING);
}

SEXP names_to_r(const char *const *name, size_t n)
{
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)n));
    for (size_t i = 0; i < n; i++) SET_STRING_ELT(out, (R_xlen_t)i, Rf_mkCharCE(name[i], CE_UTF8));
    UNPROTECT(1);
    return out;
}

static SEXP numbers_to_r(const tamis_value *v)
{
    size_t n = 0;
    const double *x = tamis_value_numbers(v, NULL, &n);
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)n);
    for (size_t i = 0; i < n; i++) REAL(out)[i] = isnan(x[i]) ? NA_REAL : x[i];
    return out;
}

static int all_texts(const tamis_value *v)
{
    size_t n = tamis_value_length(v), texts = 0;
    while (texts < n && tamis_value_kind(tamis_value_item(v, texts)) == TAMIS_VALUE_TEXT) texts++;
    return n && texts == n;
}

static SEXP texts_to_r(const tamis_value *v)
{
    size_t n = tamis_value_length(v);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)n));
    for (size_t i = 0; i < n; i++)
        SET_STRING_ELT(out, (R_xlen_t)i, Rf_mkCharCE(tamis_value_text(tamis_value_item(v, i), NULL), CE_UTF8));
    UNPROTECT(1);
    return out;
}

/* A list, or a record as a list with names. */
static SEXP items_to_r(const tamis_value *v, int record)
{
    size_t n = tamis_value_length(v);
    SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)n));
    SEXP names = PROTECT(record ? Rf_allocVector(STRSXP, (R_xlen_t)n) : R_NilValue);
    for (size_t i = 0; i < n; i++) {
        SET_VECTOR_ELT(out, (R_xlen_t)i, value_to_r(tamis_value_item(v, i)));
        if (record) SET_STRING_ELT(names, (R_xlen_t)i, Rf_mkCharCE(tamis_value_key(v, i), CE_UTF8));
    }
    if (record) Rf_setAttrib(out, R_NamesSymbol, names);
    UNPROTECT(2);
    return out;
}

SEXP value_to_r(const tamis_value *v)
{
    switch (tamis_value_kind(v)) {
    case TAMIS_VALUE_FLAG: return Rf_ScalarLogical(tamis_value_flag(v, NULL));
    case TAMIS_VALUE_NUMBER: return Rf_ScalarReal(tamis_value_number(v, NULL));
    case TAMIS_VALUE_TEXT: return text_to_r(tamis_value_text(v, NULL), strlen(tamis_value_text(v, NULL)));
    case TAMIS_VALUE_NUMBERS: return numbers_to_r(v);
    case TAMIS_VALUE_LIST: return all_texts(v) ? texts_to_r(v) : items_to_r(v, 0);
    case TAMIS_VALUE_RECORD: return items_to_r(v, 1);
    default: return R_NilValue;
    }
}

/* ---- from R ---- */

const char *text_of(SEXP string, R_xlen_t i)
{
    SEXP one = STRING_ELT(string, i);
    return one == NA_STRING ? NULL : Rf_translateCharUTF8(one);
}

const char **texts_of(SEXP strings)
{
    R_xlen_t n = XLENGTH(strings);
    const char **out = (const char **)R_alloc((size_t)n + 1, sizeof *out);
    for (R_xlen_t i = 0; i < n; i++) out[i] = text_of(strings, i);
    return out;
}

static int option_set(struct session *s, const char *name, SEXP value)
{
    tamis_options *o = s->options;
    if (check_option(s, value, name)) return s->status;
    if (Rf_isLogical(value)) return tamis_options_set_flag(o, name, Rf_asLogical(value) == TRUE);
    if (Rf_isNumeric(value)) return tamis_options_set_number(o, name, Rf_asReal(value));
    if (XLENGTH(value) == 1 && !Rf_inherits(value, "AsIs")) return tamis_options_set(o, name, text_of(value, 0));
    return tamis_options_set_names(o, name, texts_of(value), (size_t)XLENGTH(value));
}

int options_fill(struct session *s, SEXP list)
{
    if (check_list(s, list, "options")) return s->status;
    SEXP names = PROTECT(Rf_getAttrib(list, R_NamesSymbol));
    for (R_xlen_t i = 0; !s->status && i < XLENGTH(list); i++)
        s->status = option_set(s, text_of(names, i), VECTOR_ELT(list, i));
    UNPROTECT(1);
    return s->status;
}

/* Codes of a factor, from 0; a missing one is negative. */
static void column_codes(SEXP codes, SEXP levels, tamis_column *c)
{
    R_xlen_t n = XLENGTH(codes);
    int *code = (int *)R_alloc((size_t)n + 1, sizeof *code), *from = INTEGER(codes);
    for (R_xlen_t i = 0; i < n; i++) code[i] = from[i] == NA_INTEGER ? -1 : from[i] - 1;
    c->value = code;
    c->format = TAMIS_I32;
    c->level = texts_of(levels);
    c->levels = (size_t)XLENGTH(levels);
}

/* A double vector, with attribute `unit` if it holds dates; or a factor. */
static tamis_column column_of(SEXP x, const char *name)
{
    tamis_column c = {.size = sizeof c, .name = name};
    if (Rf_isFactor(x)) {
        column_codes(x, PROTECT(Rf_getAttrib(x, R_LevelsSymbol)), &c);
        UNPROTECT(1);
        return c;
    }
    SEXP unit = PROTECT(Rf_getAttrib(x, Rf_install("unit")));
    c.value = REAL(x);
    c.format = TAMIS_F64;
    c.unit = Rf_isNull(unit) ? 0 : Rf_asReal(unit);
    UNPROTECT(1);
    return c;
}

int table_fill(struct session *s, SEXP columns, const char *name, tamis_table **out)
{
    if (check_columns(s, columns)) return s->status;
    size_t n = (size_t)XLENGTH(columns);
    SEXP names = PROTECT(Rf_getAttrib(columns, R_NamesSymbol));
    tamis_column *c = (tamis_column *)R_alloc(n + 1, sizeof *c);
    for (size_t i = 0; i < n; i++) c[i] = column_of(VECTOR_ELT(columns, (R_xlen_t)i), text_of(names, (R_xlen_t)i));
    size_t rows = n ? (size_t)XLENGTH(VECTOR_ELT(columns, 0)) : 0;
    s->status = tamis_table_from_columns(s->cx, name, rows, c, n, out);
    UNPROTECT(1);
    return s->status;
}
