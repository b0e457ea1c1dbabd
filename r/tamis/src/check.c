/* What R hands over is checked here before it is read. R/ makes lists, texts and factors of the right kind, but fits
 * can be edited and restored from files: a wrong argument has to be a sentence, never a read past the end of a
 * vector. */
#include <stdarg.h>
#include <stdio.h>
#include "tamis_r.h"

int session_fail(struct session *s, int status, const char *format, ...)
{
    va_list arguments;
    if (s->status) return s->status;
    va_start(arguments, format);
    vsnprintf(s->sentence, sizeof s->sentence, format, arguments);
    va_end(arguments);
    return s->status = status;
}

/* Holds a text that can be had as UTF-8. */
static int is_text(SEXP one) { return one != NA_STRING && Rf_getCharCE(one) != CE_BYTES; }

static int all_texts(SEXP strings)
{
    R_xlen_t n = XLENGTH(strings), i = 0;
    while (i < n && is_text(STRING_ELT(strings, i))) i++;
    return i == n;
}

int check_texts(struct session *s, SEXP x, const char *what)
{
    if (s->status || (TYPEOF(x) == STRSXP && all_texts(x))) return s->status;
    return session_fail(s, TAMIS_USAGE, "%s has to be texts, without missing values and in a known encoding", what);
}

const char *check_text(struct session *s, SEXP x, const char *what)
{
    if (s->status) return NULL;
    if (TYPEOF(x) == STRSXP && XLENGTH(x) == 1 && all_texts(x)) return text_of(x, 0);
    session_fail(s, TAMIS_USAGE, "%s has to be one text that is not missing", what);
    return NULL;
}

int check_raw(struct session *s, SEXP x)
{
    if (s->status || TYPEOF(x) == RAWSXP) return s->status;
    return session_fail(s, TAMIS_DATA, "the model is not a raw vector, as tamis() and load_tamis() make it");
}

int check_list(struct session *s, SEXP x, const char *what)
{
    if (s->status) return s->status;
    if (TYPEOF(x) != VECSXP) return session_fail(s, TAMIS_USAGE, "%s have to be a list", what);
    SEXP names = PROTECT(Rf_getAttrib(x, R_NamesSymbol));
    if (XLENGTH(x) && (TYPEOF(names) != STRSXP || XLENGTH(names) != XLENGTH(x) || !all_texts(names)))
        session_fail(s, TAMIS_USAGE, "%s need names, in a known encoding", what);
    UNPROTECT(1);
    return s->status;
}

/* A flag or a number that is not missing, or texts. */
int check_option(struct session *s, SEXP x, const char *name)
{
    if (TYPEOF(x) == STRSXP) return check_texts(s, x, name);
    int one = (Rf_isLogical(x) || Rf_isNumeric(x)) && XLENGTH(x) == 1;
    if (s->status || (one && !ISNAN(Rf_asReal(x)))) return s->status;
    return session_fail(s, TAMIS_USAGE, "option %s: a flag, a number or texts are needed", name);
}

static int codes_fit(SEXP codes, R_xlen_t levels)
{
    const int *code = INTEGER(codes);
    R_xlen_t n = XLENGTH(codes), i = 0;
    while (i < n && (code[i] == NA_INTEGER || (code[i] >= 1 && code[i] <= levels))) i++;
    return i == n;
}

static int check_factor(struct session *s, SEXP x, const char *name)
{
    SEXP levels = PROTECT(Rf_getAttrib(x, R_LevelsSymbol));
    if (TYPEOF(levels) != STRSXP || !all_texts(levels))
        session_fail(s, TAMIS_DATA, "column '%.60s': the levels of the factor have to be texts in a known encoding",
                     name);
    else if (!codes_fit(x, XLENGTH(levels)))
        session_fail(s, TAMIS_DATA, "column '%.60s': the factor has values that are none of its levels", name);
    UNPROTECT(1);
    return s->status;
}

static int check_column(struct session *s, SEXP x, const char *name, R_xlen_t rows)
{
    if (TYPEOF(x) != REALSXP && !Rf_isFactor(x))
        return session_fail(s, TAMIS_DATA, "column '%.60s' is neither numbers nor a factor", name);
    if (XLENGTH(x) != rows)
        return session_fail(s, TAMIS_DATA, "column '%.60s' has %.0f values, but the first column has %.0f", name,
                            (double)XLENGTH(x), (double)rows);
    return Rf_isFactor(x) ? check_factor(s, x, name) : s->status;
}

int check_columns(struct session *s, SEXP columns)
{
    if (check_list(s, columns, "columns")) return s->status;
    SEXP names = PROTECT(Rf_getAttrib(columns, R_NamesSymbol));
    R_xlen_t rows = XLENGTH(columns) ? XLENGTH(VECTOR_ELT(columns, 0)) : 0;
    for (R_xlen_t i = 0; !s->status && i < XLENGTH(columns); i++)
        check_column(s, VECTOR_ELT(columns, i), text_of(names, i), rows);
    UNPROTECT(1);
    return s->status;
}
