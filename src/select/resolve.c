/* Resolves options to method, criterion and search: once per run, before its rows are known. */
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "data/csv.h"
#include "select/method.h"

int tamis_task_fits(const struct tamis_encoder *e, const char *task)
{
    return !task || !strcmp(task, "both") || !strcmp(task, e->classes ? "classification" : "regression");
}

void tamis_run_tables(const struct tamis_run *run, struct tamis_option_table used[TAMIS_TABLES])
{
    size_t n = TAMIS_FIRST_OWN;
    memset(used, 0, TAMIS_TABLES * sizeof *used);
    used[0] = (struct tamis_option_table){"data", tamis_read_options};
    used[1] = (struct tamis_option_table){"common", tamis_common_options};
    used[n++] = (struct tamis_option_table){"method", run->method->options};
    if (run->more) used[n++] = (struct tamis_option_table){"more", run->more};
    if (run->criterion) used[n++] = (struct tamis_option_table){"criterion", run->criterion->options};
    if (run->search) used[n++] = (struct tamis_option_table){"search", run->search->options};
    if (run->criterion && run->search) used[n++] = (struct tamis_option_table){"path", tamis_path_options};
}

static int task_check(const struct tamis_run *run)
{
    const struct tamis_method *m = run->method;
    int mine = tamis_task_fits(run->encoder, m->task);
    if (mine && (!run->criterion || tamis_task_fits(run->encoder, run->criterion->task))) return TAMIS_OK;
    return tamis_fail(run->cx, TAMIS_USAGE, "%s %s is for %s, but the target '%s' calls for %s",
                      mine ? "criterion" : "method", mine ? run->criterion->name : m->name,
                      mine ? run->criterion->task : m->task, run->encoder->target,
                      run->encoder->classes ? "classification" : "regression");
}

/* The methods that take several targets, as "a, b". */
static void several_list(char *list, size_t room)
{
    const struct tamis_method *m;
    size_t used = 0;
    *list = 0;
    for (size_t i = 0; (m = tamis_method_at(i)) && used < room; i++)
        if (m->several_targets) used += (size_t)snprintf(list + used, room - used, "%s%s", used ? ", " : "", m->name);
}

static int targets_check(const struct tamis_run *run)
{
    char list[128];
    if (!run->encoder->more || run->method->several_targets) return TAMIS_OK;
    several_list(list, sizeof list);
    return tamis_fail(run->cx, TAMIS_USAGE,
                      "method %s predicts one target, but --target names %zu; these take several: %s",
                      run->method->name, 1 + run->encoder->more, list);
}

int tamis_resolve_as(struct tamis_run *run, const struct tamis_method *m)
{
    struct tamis_option_table used[TAMIS_TABLES];
    run->method = m;
    run->criterion = NULL;
    run->search = NULL;
    run->more = NULL;
    run->keep_start = run->scaling = run->unlabelled = 0;
    int status = m->resolve ? m->resolve(run) : TAMIS_OK;
    if (!status) status = task_check(run);
    if (!status) status = targets_check(run);
    if (status) return status;
    tamis_run_tables(run, used);
    return tamis_options_unused(run->cx, run->options, used, m->name);
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
