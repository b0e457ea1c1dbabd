/* The table of figures, and one of them as a picture of its own. */
#include "base/nearest.h"
#include "base/registry.h"
#include "io/report/report.h"

static const struct tamis_figure *const figures[] = {
    &tamis_figure_importance, &tamis_figure_relevance, &tamis_figure_path,     &tamis_figure_ladder,
    &tamis_figure_fit,        &tamis_figure_residuals, &tamis_figure_profiles, &tamis_figure_slopes,
    &tamis_figure_surface,    &tamis_figure_spectrum,  &tamis_figure_lags,     &tamis_figure_time,
    &tamis_figure_inclusion,  &tamis_figure_methods,   &tamis_figure_reliability,
};

TAMIS_ROWS_AT(tamis_figure, figures, tamis_extra_figures)

int tamis_page_draw(struct tamis_page *p, const struct tamis_figure *f)
{
    int applicable = f->applicable(p->root);
    if (applicable) f->draw(p);
    return applicable;
}

static void unknown(tamis_context *cx, const char *name)
{
    struct tamis_text all = {.cx = cx};
    const struct tamis_figure *f;
    for (size_t i = 0; (f = tamis_figure_at(i)); i++) tamis_text_printf(&all, "%s%s", i ? ", " : "", f->name);
    if (!tamis_text_status(&all))
        tamis_fail(cx, TAMIS_USAGE, "figure '%s': expected one of %s%s", name, all.s,
                   tamis_hint(name, tamis_figure_name, NULL, "").text);
    tamis_text_free(&all);
}

void tamis_page_picture(struct tamis_page *p, const char *figure)
{
    const struct tamis_figure *f;
    int any = !strcmp(figure, "auto");
    for (size_t i = 0; (f = tamis_figure_at(i)); i++) {
        if (!any && strcmp(figure, f->name)) continue;
        if (tamis_page_draw(p, f) && p->t->length) return;
        if (!any) {
            tamis_fail(p->cx, TAMIS_DATA, "the result has nothing to draw for figure '%s' (%s)", figure, f->summary);
            return;
        }
    }
    if (any) tamis_fail(p->cx, TAMIS_DATA, "the result has nothing to draw");
    else unknown(p->cx, figure);
}
