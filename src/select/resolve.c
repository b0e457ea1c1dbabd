/* Resolves options to method, criterion and search: once per run, before its rows are known. */
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "data/formats.h"
#include "select/method.h"

void tamis_run_tables(const struct tamis_run *run, struct tamis_option_table used[TAMIS_TABLES])
{
    size_t n = TAMIS_FIRST_OWN;
    memset(used, 0, TAMIS_TABLES * sizeof *used);
    used[0] = (struct tamis_option_table){"data", tamis_read_options};
    used[1] = (struct tamis_option_table){"common", tamis_common_options};
    used[2] = (struct tamis_option_table){"data", tamis_format_options};
    used[n++] = (struct tamis_option_table){"method", run->method->options};
    if (run->more) used[n++] = (struct tamis_option_table){"more", run->more};
    if (run->criterion) used[n++] = (struct tamis_option_table){"criterion", run->criterion->options};
    if (run->search) used[n++] = (struct tamis_option_table){"search", run->search->options};
    if (run->criterion && run->search) used[n++] = (struct tamis_option_table){"path", tamis_path_options};
}

int tamis_resolve_method(struct tamis_run *run, const struct tamis_method *m)
{
    run->method = m;
    run->criterion = NULL;
    run->search = NULL;
    run->more = NULL;
    run->keep_start = run->scaling = run->unlabelled = 0;
    return m->resolve ? m->resolve(run) : TAMIS_OK;
}

int tamis_resolve_as(struct tamis_run *run, const struct tamis_method *m)
{
    int status = tamis_resolve_method(run, m);
    if (!status) status = tamis_target_check(run);
    return status ? status : tamis_options_check(run);
}

int tamis_resolve_criterion(struct tamis_run *run, const char *name)
{
    run->criterion = tamis_criterion_find(name);
    if (run->criterion) return TAMIS_OK;
    return tamis_fail(run->cx, TAMIS_USAGE, "--criterion %s: unknown criterion%s", name,
                      tamis_hint(name, tamis_criterion_name, NULL, "; 'tamis methods' lists them").text);
}

int tamis_resolve_search(struct tamis_run *run, const char *name)
{
    run->search = tamis_search_find(name);
    if (run->search) return TAMIS_OK;
    return tamis_fail(run->cx, TAMIS_USAGE, "--search %s: unknown search%s", name,
                      tamis_hint(name, tamis_search_name, NULL, "; 'tamis methods' lists them").text);
}

int tamis_resolve_scaling(struct tamis_run *run, int scaling)
{
    run->scaling = scaling;
    return scaling ? tamis_scaling_check(run->cx, run->criterion) : TAMIS_OK;
}

int tamis_resolve(struct tamis_run *run, size_t rows)
{
    if (!strcmp(run->common.method, "auto")) return tamis_auto_pick(run, rows);
    return tamis_resolve_as(run, tamis_method_find(run->common.method));
}
