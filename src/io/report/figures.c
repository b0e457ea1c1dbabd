/* The table of figures, and one of them as a picture of its own. */
#include "base/nearest.h"
#include "base/registry.h"
#include "io/report/report.h"

static const struct tamis_figure *const figures[] = {
    &tamis_figure_relevance, &tamis_figure_path,     &tamis_figure_ladder,    &tamis_figure_fit,
    &tamis_figure_residuals, &tamis_figure_profiles, &tamis_figure_slopes,    &tamis_figure_surface,
    &tamis_figure_spectrum,  &tamis_figure_inclusion, &tamis_figure_methods,
};

TAMIS_ROWS_AT(tamis_figure, figures, tamis_extra_figures)

int tamis_page_draw(struct tamis_page *p, const struct tamis_figure *f)
{
    int applicable = f->applicable(p->root);
    if (applicable) f->draw(p);
    return applicable;
}

static int unknown(tamis_context *cx, const char *name)
{
    struct tamis_text all = {.cx = cx};
    const struct tamis_figure *f;
    for (size_t i = 0; (f = tamis_figure_at(i)); i++) tamis_text_printf(&all, "%s%s", i ? ", " : "", f->name);
    int status = tamis_text_status(&all);
    if (!status)
        status = tamis_fail(cx, TAMIS_USAGE, "figure '%s': expected one of %s%s", name, all.s,
                            tamis_hint(name, tamis_figure_name, NULL, "").text);
    tamis_text_free(&all);
    return status;
}

/* The figure of that name, or the first that the result has something for. */
static int draw(struct tamis_page *p, const char *name)
{
    const struct tamis_figure *f;
    for (size_t i = 0; (f = tamis_figure_at(i)); i++) {
        if (name && strcmp(name, f->name)) continue;
        if (tamis_page_draw(p, f) && p->t->length) return TAMIS_OK;
        if (name)
            return tamis_fail(p->cx, TAMIS_DATA, "the result has nothing to draw for figure '%s' (%s)", name,
                              f->summary);
    }
    return name ? unknown(p->cx, name) : tamis_fail(p->cx, TAMIS_DATA, "the result has nothing to draw");
}

int tamis_report_figure(tamis_context *cx, const tamis_value *result, const char *figure, char **svg, size_t *length)
{
    TAMIS_CALL(cx);
    struct tamis_text t = {.cx = cx};
    *svg = NULL;
    struct tamis_page p = {.cx = cx,
                           .t = &t,
                           .root = result,
                           .inputs = tamis_index_new(cx, tamis_value_get(result, "inputs")),
                           .alone = 1};
    if (!tamis_status(cx)) draw(&p, figure);
    tamis_index_free(&p.inputs);
    if (!tamis_status(cx)) return tamis_text_take(&t, svg, length);
    tamis_text_free(&t);
    return tamis_status(cx);
}
