/* SVG to PNG with librsvg and cairo, which are loaded only when a PNG is written, so that other commands start as fast
 * as without them. */
#include "cli.h"

#ifdef TAMIS_RSVG
#include <dlfcn.h>
#include <librsvg/rsvg.h>
#include <stdlib.h>
#include <string.h>

static const double dots = 300.0 / 96;          /* a pixel of the picture is 1/96 inch; 300 dots per inch */

struct libraries {
    __typeof__(&rsvg_handle_new_from_data) open;
    __typeof__(&rsvg_handle_get_intrinsic_size_in_pixels) size;
    __typeof__(&rsvg_handle_render_document) render;
    __typeof__(&cairo_image_surface_create) surface;
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

static int draw(const struct libraries *l, const char *svg, size_t length, struct bytes *png)
{
    double w = 0, h = 0;
    RsvgHandle *handle = l->open((const guint8 *)svg, length, NULL);
    if (!handle) return 0;
    int good = l->size(handle, &w, &h) && w > 0 && h > 0 && w < 20000 && h < 20000;
    cairo_surface_t *s = good ? l->surface(CAIRO_FORMAT_RGB24, (int)(w * dots + 0.5), (int)(h * dots + 0.5)) : NULL;
    cairo_t *cr = s ? l->create(s) : NULL;
    RsvgRectangle all = {0, 0, (double)(int)(w * dots + 0.5), (double)(int)(h * dots + 0.5)};
    if (cr) l->colour(cr, 1, 1, 1);
    if (cr) l->paint(cr);
    good = cr && !l->status(cr) && l->render(handle, cr, &all, NULL) && l->write(s, take, png) == CAIRO_STATUS_SUCCESS;
    if (cr) l->destroy(cr);
    if (s) l->surface_destroy(s);
    l->unref(handle);
    return good;
}

int cli_png_available(void) { return 1; }

int cli_png_write(struct cli *c, const char *path, const char *svg, size_t n)
{
    struct libraries l = {0};
    struct bytes png = {NULL, 0};
    int status = TAMIS_SYSTEM;
    if (!load(&l)) fprintf(stderr, "tamis: --plot '%s': cannot load librsvg or cairo; use .svg\n", path);
    else if (!draw(&l, svg, n, &png))
        fprintf(stderr, "tamis: --plot '%s': cannot draw the figure as PNG; use .svg\n", path);
    else status = cli_write(c, path, (const char *)png.at, png.n);
    free(png.at);
    return status;
}
#else
int cli_png_available(void) { return 0; }

int cli_png_write(struct cli *c, const char *path, const char *svg, size_t n)
{
    (void)svg, (void)n;
    return cli_usage(c, "--plot '%s': this build has no librsvg, needed for PNG; use .svg", path);
}
#endif
