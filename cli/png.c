/* SVG to PNG or PDF with librsvg and cairo, which are loaded only when they are needed, so that other commands start
 * as fast as without them. */
#include "cli.h"

#ifdef TAMIS_RSVG
#include <cairo-pdf.h>
#include <dlfcn.h>
#include <librsvg/rsvg.h>
#include <stdlib.h>
#include <string.h>

static const double dots = 300.0 / 96;          /* a pixel of the picture is 1/96 inch; 300 dots per inch */
static const double points = 72.0 / 96;         /* of a PDF: 72 to the inch */

struct libraries {
    __typeof__(&rsvg_handle_new_from_data) open;
    __typeof__(&rsvg_handle_get_intrinsic_size_in_pixels) size;
    __typeof__(&rsvg_handle_render_document) render;
    __typeof__(&cairo_image_surface_create) surface;
    __typeof__(&cairo_pdf_surface_create_for_stream) document;
    __typeof__(&cairo_pdf_surface_set_metadata) about;
    __typeof__(&cairo_surface_finish) finish;
    __typeof__(&cairo_create) create;
    __typeof__(&cairo_set_source_rgb) colour;
    __typeof__(&cairo_paint) paint;
    __typeof__(&cairo_status) status;
    __typeof__(&cairo_surface_write_to_png_stream) write;
    __typeof__(&cairo_destroy) destroy;
    __typeof__(&cairo_surface_destroy) surface_destroy;
    __typeof__(&g_object_unref) unref;
};

/* Stores the function of that name in *where, a pointer to such a function. */
static int find(void *library, const char *name, void *where)
{
    void *f = library ? dlsym(library, name) : NULL;
    memcpy(where, &f, sizeof f);
    return f != NULL;
}

static int load(struct libraries *l)
{
    void *rsvg = dlopen("librsvg-2.so.2", RTLD_NOW), *cairo = dlopen("libcairo.so.2", RTLD_NOW),
         *object = dlopen("libgobject-2.0.so.0", RTLD_NOW);
    return find(rsvg, "rsvg_handle_new_from_data", &l->open) &&
           find(rsvg, "rsvg_handle_get_intrinsic_size_in_pixels", &l->size) &&
           find(rsvg, "rsvg_handle_render_document", &l->render) &&
           find(cairo, "cairo_pdf_surface_create_for_stream", &l->document) &&
           find(cairo, "cairo_pdf_surface_set_metadata", &l->about) &&
           find(cairo, "cairo_surface_finish", &l->finish) &&
           find(cairo, "cairo_image_surface_create", &l->surface) && find(cairo, "cairo_create", &l->create) &&
           find(cairo, "cairo_status", &l->status) && find(cairo, "cairo_set_source_rgb", &l->colour) &&
           find(cairo, "cairo_paint", &l->paint) && find(cairo, "cairo_surface_write_to_png_stream", &l->write) &&
           find(cairo, "cairo_destroy", &l->destroy) && find(cairo, "cairo_surface_destroy", &l->surface_destroy) &&
           find(object, "g_object_unref", &l->unref);
}

struct bytes { unsigned char *at; size_t n; };

static cairo_status_t take(void *arg, const unsigned char *data, unsigned int n)
{
    struct bytes *b = arg;
    unsigned char *more = realloc(b->at, b->n + n);
    if (!more) return CAIRO_STATUS_NO_MEMORY;
    memcpy(more + b->n, data, n);
    *b = (struct bytes){more, b->n + n};
    return CAIRO_STATUS_SUCCESS;
}

/* A page of w x h points whose bytes go to *out; its date is fixed, so that the same figure gives the same bytes. */
static cairo_surface_t *pdf_surface(const struct libraries *l, double w, double h, struct bytes *out)
{
    cairo_surface_t *s = l->document(take, out, w, h);
    if (s) l->about(s, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    return s;
}

/* The picture on the surface, w x h of its units. */
static int render(const struct libraries *l, RsvgHandle *handle, cairo_surface_t *s, double w, double h)
{
    cairo_t *cr = s ? l->create(s) : NULL;
    if (!cr) return 0;
    l->colour(cr, 1, 1, 1);
    l->paint(cr);
    RsvgRectangle all = {0, 0, w, h};
    int good = !l->status(cr) && l->render(handle, cr, &all, NULL);
    l->destroy(cr);
    return good;
}

static int draw(const struct libraries *l, const char *svg, size_t length, int pdf, struct bytes *out)
{
    double w = 0, h = 0;
    RsvgHandle *handle = l->open((const guint8 *)svg, length, NULL);
    if (!handle) return 0;
    int good = l->size(handle, &w, &h) && w > 0 && h > 0 && w < 20000 && h < 20000;
    w *= pdf ? points : dots, h *= pdf ? points : dots;
    if (!pdf) w = (double)(int)(w + 0.5), h = (double)(int)(h + 0.5);
    cairo_surface_t *s = !good ? NULL
                         : pdf ? pdf_surface(l, w, h, out)
                               : l->surface(CAIRO_FORMAT_RGB24, (int)w, (int)h);
    good = s && render(l, handle, s, w, h);
    if (good && !pdf) good = l->write(s, take, out) == CAIRO_STATUS_SUCCESS;
    if (s && pdf) l->finish(s);
    if (s) l->surface_destroy(s);
    l->unref(handle);
    return good && out->n;
}

int cli_png_available(void) { return 1; }

int cli_png_write(struct cli *c, const char *path, int pdf, const char *svg, size_t n)
{
    struct libraries l = {0};
    struct bytes png = {NULL, 0};
    int status = TAMIS_SYSTEM;
    if (!load(&l)) cli_say("--plot '%s': cannot load librsvg or cairo; use .svg", path);
    else if (!draw(&l, svg, n, pdf, &png)) cli_say("--plot '%s': cannot draw the figure; use .svg", path);
    else status = cli_write(c, path, (const char *)png.at, png.n);
    free(png.at);
    return status;
}
#else
int cli_png_available(void) { return 0; }

int cli_png_write(struct cli *c, const char *path, int pdf, const char *svg, size_t n)
{
    (void)svg, (void)n, (void)pdf;
    return cli_usage(c, "--plot '%s': this build has no librsvg, needed for PNG and PDF; use .svg", path);
}
#endif
