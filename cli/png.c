/* SVG to PNG or PDF with librsvg and cairo, which are loaded only when they are needed, so that other commands start
 * as fast as without them. They run in a process of their own: below them, GLib and Rust abort the one in which memory
 * runs out. */
#include "cli.h"

#ifdef TAMIS_RSVG
#include <cairo-pdf.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <librsvg/rsvg.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
    __typeof__(&cairo_surface_status) surface_status;
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
           find(cairo, "cairo_surface_status", &l->surface_status) &&
           find(cairo, "cairo_image_surface_create", &l->surface) && find(cairo, "cairo_create", &l->create) &&
           find(cairo, "cairo_status", &l->status) && find(cairo, "cairo_set_source_rgb", &l->colour) &&
           find(cairo, "cairo_paint", &l->paint) && find(cairo, "cairo_surface_write_to_png_stream", &l->write) &&
           find(cairo, "cairo_destroy", &l->destroy) && find(cairo, "cairo_surface_destroy", &l->surface_destroy) &&
           find(object, "g_object_unref", &l->unref);
}

/* The picture goes to the descriptor *arg. */
static cairo_status_t give(void *arg, const unsigned char *data, unsigned int n)
{
    while (n) {
        ssize_t done = write(*(const int *)arg, data, n);
        if (done < 0 && errno != EINTR) return CAIRO_STATUS_WRITE_ERROR;
        if (done > 0) data += done, n -= (unsigned int)done;
    }
    return CAIRO_STATUS_SUCCESS;
}

/* A page of w x h points that is written to *to; its date is fixed, so that the same figure gives the same bytes. */
static cairo_surface_t *pdf_surface(const struct libraries *l, double w, double h, int *to)
{
    cairo_surface_t *s = l->document(give, to, w, h);
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
    int good = !l->status(cr) && l->render(handle, cr, &all, NULL) && !l->status(cr);
    l->destroy(cr);
    return good;
}

static int draw(const struct libraries *l, const char *svg, size_t length, int pdf, int to)
{
    double w = 0, h = 0;
    RsvgHandle *handle = l->open((const guint8 *)svg, length, NULL);
    if (!handle) return 0;
    int good = l->size(handle, &w, &h) && w > 0 && h > 0 && w < 20000 && h < 20000;
    w *= pdf ? points : dots, h *= pdf ? points : dots;
    if (!pdf) w = (double)(int)(w + 0.5), h = (double)(int)(h + 0.5);
    cairo_surface_t *s = !good ? NULL
                         : pdf ? pdf_surface(l, w, h, &to)
                               : l->surface(CAIRO_FORMAT_RGB24, (int)w, (int)h);
    good = s && render(l, handle, s, w, h);
    if (good && !pdf) good = !l->write(s, give, &to);
    if (s && pdf) l->finish(s), good = good && !l->surface_status(s);
    if (s) l->surface_destroy(s);
    l->unref(handle);
    return good;
}

/* ---- the process that draws ---- */

enum { DRAWN, NOT_DRAWN, NOT_LOADED };

struct pipes { int picture[2], words[2]; };

static void shut(int *end)
{
    if (*end >= 0) close(*end);
    *end = -1;
}

static void close_all(struct pipes *p)
{
    for (int i = 0; i < 2; i++) shut(&p->picture[i]), shut(&p->words[i]);
}

/* Printing never blocks the process that draws: what does not fit into the pipe is lost. */
static int open_all(struct pipes *p)
{
    *p = (struct pipes){{-1, -1}, {-1, -1}};
    int open = !pipe2(p->picture, O_CLOEXEC) && !pipe2(p->words, O_CLOEXEC) && !fcntl(p->words[1], F_SETFL, O_NONBLOCK);
    if (!open) close_all(p);
    return open;
}

/* Every two seconds: a process that did nothing in the last four, or worked for 20 s on one figure, waits for ever, as
 * Pango does for a thread that could not be started. */
static void watch(int number)
{
    static clock_t used;
    static int idle;
    clock_t now = clock();
    (void)number;
    idle = now - used < CLOCKS_PER_SEC / 1000 ? idle + 1 : 0;
    used = now;
    if (idle == 2 || now > 20 * CLOCKS_PER_SEC) _exit(NOT_DRAWN);
}

static void watch_begin(void)
{
    struct itimerval two = {{2, 0}, {2, 0}};
    signal(SIGALRM, watch);
    setitimer(ITIMER_REAL, &two, NULL);
}

static _Noreturn void child(const struct pipes *p, const char *svg, size_t n, int pdf)
{
    struct libraries l = {0};
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    watch_begin();
    if (dup2(p->words[1], STDERR_FILENO) < 0) _exit(NOT_DRAWN);
    if (!load(&l)) _exit(NOT_LOADED);
    _exit(draw(&l, svg, n, pdf, p->picture[1]) ? DRAWN : NOT_DRAWN);
}

/* All that the descriptor holds, with a zero byte behind it; NULL: no memory, or nothing could be read. */
static char *read_all(int from, size_t *n)
{
    size_t room = 1 << 16;
    char *text = malloc(room);
    for (*n = 0; text;) {
        ssize_t got = read(from, text + *n, room - *n - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        *n += (size_t)got;
        char *more = room - *n > 1 ? text : realloc(text, room *= 2);
        if (!more) free(text);
        text = more;
    }
    if (text) text[*n] = 0;
    return text;
}

/* How the process ended that printed these words. One that ran out of memory may have drawn without fonts. */
static int outcome(pid_t pid, const char *picture, const char *words)
{
    int status = 0;
    if (!picture || !words) kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (!picture || !words || strstr(words, "out of memory") || !WIFEXITED(status)) return NOT_DRAWN;
    return WEXITSTATUS(status);
}

/* What the process drew; NULL: *how says why. */
static char *collect(struct pipes *p, pid_t pid, size_t *n, int *how)
{
    size_t said;
    char *picture = read_all(p->picture[0], n), *words = picture ? read_all(p->words[0], &said) : NULL;
    *how = outcome(pid, picture, words);
    if (*how == DRAWN) fputs(words, stderr);
    else free(picture), picture = NULL;
    free(words);
    return picture;
}

static char *drawn(const char *svg, size_t length, int pdf, size_t *n, int *how)
{
    struct pipes p;
    *how = NOT_DRAWN;
    if (!open_all(&p)) return NULL;
    pid_t pid = fork();
    if (!pid) child(&p, svg, length, pdf);
    shut(&p.picture[1]), shut(&p.words[1]);
    char *picture = pid > 0 ? collect(&p, pid, n, how) : NULL;
    close_all(&p);
    return picture;
}

int cli_png_available(void) { return 1; }

int cli_png_write(struct cli *c, const char *path, int pdf, const char *svg, size_t n)
{
    size_t length = 0;
    int how, status = TAMIS_SYSTEM;
    char *picture = drawn(svg, n, pdf, &length, &how);
    if (picture && length) status = cli_write(c, path, picture, length);
    else if (how == NOT_LOADED) cli_say("--plot '%s': cannot load librsvg or cairo; use .svg", path);
    else cli_say("--plot '%s': cannot draw the figure; use .svg", path);
    free(picture);
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
