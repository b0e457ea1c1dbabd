/* tamis report, and the files of --report and --plot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"

/* ---- pages and figures of a result ---- */

static int ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && !strcasecmp(s + n - m, end);
}

static const char *figure_name(const void *list, size_t i)
{
    tamis_part_info p = {.size = sizeof p};
    (void)list;
    return tamis_part_at(i, &p) ? strcmp(p.kind, "figure") ? "" : p.name : NULL;
}

static int figure_unknown(struct cli *c, const char *name)
{
    const char *near = tamis_nearest(name, figure_name, NULL);
    if (near) return cli_usage(c, "--plot-what '%s': no such figure; did you mean '%s'?", name, near);
    return cli_usage(c, "--plot-what '%s': no such figure; 'tamis methods' lists them", name);
}

/* Before a run: whether the figure can come of it, as far as the options tell. */
static int figure_check(struct cli *c, const char *name)
{
    tamis_part_info p = {.size = sizeof p};
    size_t i = 0;
    int compare = !strcmp(c->command->name, "compare");
    if (!strcmp(name, "auto") || !strcmp(c->command->name, "report")) return TAMIS_OK;
    while (tamis_part_at(i, &p) && (strcmp(p.kind, "figure") || strcmp(p.name, name))) i++;
    if (!tamis_part_at(i, &p)) return figure_unknown(c, name);
    const char *needs = p.needs ? p.needs : "", *evidence = cli_option(c, "evidence");
    if (!strstr(needs, "compare") != !compare)
        return cli_usage(c, "--plot-what %s: a figure of 'tamis %s'; use auto or another figure", name,
                         compare ? "select" : "compare");
    if (strstr(needs, "lags") && !cli_option(c, "lags"))
        return cli_usage(c, "--plot-what %s is for time series; add --lags, or draw another figure", name);
    if (strstr(needs, "evidence") && evidence && !strcmp(evidence, "no"))
        return cli_usage(c, "--plot-what %s needs what --no-evidence leaves out", name);
    return TAMIS_OK;
}

int cli_report_check(struct cli *c)
{
    const char *plot = cli_option(c, "plot"), *what = cli_option(c, "plot-what");
    if (!plot && what) return cli_usage(c, "--plot-what needs --plot");
    if (what && figure_check(c, what)) return TAMIS_USAGE;
    if (!plot || ends_in(plot, ".svg")) return TAMIS_OK;
    if (!ends_in(plot, ".png") && !ends_in(plot, ".pdf"))
        return cli_usage(c, "--plot '%s': the name must end in .svg, .png or .pdf", plot);
    if (cli_png_available()) return TAMIS_OK;
    return cli_usage(c, "--plot '%s': this build has no librsvg, needed for PNG and PDF; use .svg", plot);
}

/* The labels of all --label, each NAME=TEXT: a value may hold several, and a comma in a text that is not followed by
 * another NAME= belongs to it. */
struct labels { char *text; const char **at; size_t n; };

static int labels_read(const struct cli *c, struct labels *l)
{
    size_t room = 1, commas = c->labels;
    for (size_t i = 0; i < c->labels; i++) {
        room += strlen(c->label[i]) + 1;
        for (const char *s = c->label[i]; *s; s++) commas += *s == ',';
    }
    *l = (struct labels){calloc(room, 1), calloc(commas + 1, sizeof *l->at), 0};
    char *to = l->text;
    for (size_t i = 0; to && l->at && i < c->labels; i++) {
        l->at[l->n++] = strcpy(to, c->label[i]);
        for (char *s = to; (s = strchr(s, ',')); s++)
            if (memchr(s + 1, '=', strcspn(s + 1, ","))) *s = 0, l->at[l->n++] = s + 1;
        to += strlen(c->label[i]) + 1;
    }
    return l->text && l->at ? TAMIS_OK : TAMIS_MEMORY;
}

/* figure NULL: the page. */
static int draw(struct cli *c, const tamis_value *result, const char *figure, char **text, size_t *length)
{
    struct labels l;
    int status = labels_read(c, &l);
    tamis_report_form form = {.size = sizeof form, .figure = figure, .label = l.at, .labels = l.n};
    *text = NULL;
    if (!status) status = tamis_report(c->cx, result, &form, text, length);
    if (status) cli_fail(c, status);
    free(l.text);
    free(l.at);
    return status;
}

static int write_page(struct cli *c, const char *path, const tamis_value *result)
{
    char *html;
    size_t length = 0;
    int status = draw(c, result, NULL, &html, &length);
    if (!status) status = cli_write(c, path, html, length);
    tamis_release(html);
    return status;
}

static int write_figure(struct cli *c, const char *path, const tamis_value *result)
{
    const char *what = cli_option(c, "plot-what");
    char *svg;
    size_t length = 0;
    int status = draw(c, result, what ? what : "auto", &svg, &length), pdf = ends_in(path, ".pdf");
    if (!status && (pdf || ends_in(path, ".png"))) status = cli_png_write(c, path, pdf, svg, length);
    else if (!status) status = cli_write(c, path, svg, length);
    tamis_release(svg);
    return status;
}

int cli_report(struct cli *c, const tamis_value *result)
{
    const char *page = cli_option(c, "report"), *plot = cli_option(c, "plot");
    int status = page ? write_page(c, page, result) : TAMIS_OK;
    return status || !plot ? status : write_figure(c, plot, result);
}

/* ---- the command ---- */

/* The figure of --plot; the page if --output names a file or there is no --plot. */
static int write_all(struct cli *c, const tamis_value *result)
{
    const char *page = cli_option(c, "output"), *plot = cli_option(c, "plot");
    int status = plot ? write_figure(c, plot, result) : TAMIS_OK;
    return status || (plot && !page) ? status : write_page(c, page, result);
}

static int run(struct cli *c)
{
    char *json = NULL;
    size_t n;
    tamis_value *result = NULL;
    int status = cli_report_check(c);
    if (!status && (status = tamis_read_file(c->cx, c->word[0], &json, &n))) cli_fail(c, status);
    if (!status && (status = tamis_value_parse(c->cx, json, n, &result))) cli_fail(c, status);
    tamis_release(json);
    if (!status) status = write_all(c, result);
    tamis_value_free(result);
    return status;
}

const struct command cli_report_command = {
    .name = "report",
    .arguments = "RESULT.json",
    .summary = "turn a stored result into a self-contained page, or one figure",
    .accepts = "output plot plot-what label quiet",
    .least = 1,
    .most = 1,
    .about = "RESULT.json is what 'tamis select -o' or 'tamis compare -o' wrote; '-' is standard input. The page is "
             "one HTML file, readable without network or JavaScript, on a light or dark screen and in print. It is "
             "written to -o FILE, or to standard output. --plot writes one figure instead, for a paper.",
    .examples = "tamis report result.json -o report.html\n"
                "tamis report result.json --plot relevance.svg\n"
                "tamis report result.json --plot fit.pdf --plot-what fit --label medv=\"Price (1000 $)\"",
    .run = run,
};
