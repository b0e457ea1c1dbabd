/* What methods can do: which targets, which options; and which others could instead. */
#include <string.h>
#include "base/format.h"
#include "select/method.h"

int tamis_task_fits(const struct tamis_encoder *e, const char *task)
{
    return !task || !strcmp(task, "both") || !strcmp(task, e->classes ? "classification" : "regression");
}

/* ---- the target ---- */

/* Whether method and criterion take several targets. */
static int several_fit(const struct tamis_run *run)
{
    return run->method->several_targets && (!run->criterion || run->criterion->several_targets);
}

int tamis_target_unfit(const struct tamis_run *run, char why[TAMIS_UNFIT])
{
    const struct tamis_encoder *e = run->encoder;
    const struct tamis_method *m = run->method;
    *why = 0;
    if (!tamis_task_fits(e, m->task) || (run->criterion && !tamis_task_fits(e, run->criterion->task)))
        tamis_snprintf(why, TAMIS_UNFIT, "not for %s", e->classes ? "classification" : "regression");
    else if (m->two_classes && e->classes > 2) tamis_snprintf(why, TAMIS_UNFIT, "not for %zu classes", e->classes);
    else if (e->more && !several_fit(run)) tamis_snprintf(why, TAMIS_UNFIT, "not for %zu targets", 1 + e->more);
    else if (!tamis_published_fits(run->options, m)) tamis_snprintf(why, TAMIS_UNFIT, "without a published form");
    else if (run->weigh && !tamis_run_weighs(run)) tamis_snprintf(why, TAMIS_UNFIT, "not for row weights");
    return *why != 0;
}

/* Names joined by commas into list[]. */
struct list { char text[160]; size_t used; };

static void list_add(struct list *l, const char *name)
{
    if (l->used >= sizeof l->text) return;
    l->used += (size_t)tamis_snprintf(l->text + l->used, sizeof l->text - l->used, "%s%s", l->used ? ", " : "", name);
}

/* A method with its own defaults, for the same target. */
static int scratch_resolve(const struct tamis_run *like, const struct tamis_method *m, struct tamis_run *scratch)
{
    *scratch = (struct tamis_run){.cx = like->cx, .encoder = like->encoder, .weigh = like->weigh};
    return tamis_resolve_method(scratch, m);
}

/* The methods that can learn the target. */
static void able_list(const struct tamis_run *run, struct list *l)
{
    const struct tamis_method *m;
    struct tamis_run scratch;
    char why[TAMIS_UNFIT];
    for (size_t i = 0; (m = tamis_method_at(i)); i++)
        if (!scratch_resolve(run, m, &scratch) && !tamis_target_unfit(&scratch, why)) list_add(l, m->name);
}

static int task_fail(const struct tamis_run *run, const char *can)
{
    const struct tamis_encoder *e = run->encoder;
    int mine = !tamis_task_fits(e, run->method->task);
    return tamis_fail(run->cx, TAMIS_USAGE, "%s %s is for %s, but the target '%s' calls for %s; for it: %s",
                      mine ? "method" : "criterion", mine ? run->method->name : run->criterion->name,
                      mine ? run->method->task : run->criterion->task, e->target,
                      e->classes ? "classification" : "regression", can);
}

static int criterion_fail(const struct tamis_run *run)
{
    const struct tamis_criterion *c;
    struct list can = {.used = 0};
    for (size_t i = 0; (c = tamis_criterion_at(i)); i++)
        if (c->several_targets) list_add(&can, c->name);
    return tamis_fail(run->cx, TAMIS_USAGE,
                      "criterion %s scores one target, but --target names %zu; these criteria take several: %s",
                      run->criterion->name, 1 + run->encoder->more, can.text);
}

int tamis_target_check(const struct tamis_run *run)
{
    const struct tamis_encoder *e = run->encoder;
    const char *name = run->method->name;
    char why[TAMIS_UNFIT];
    struct list can = {.used = 0};
    if (!tamis_target_unfit(run, why)) return TAMIS_OK;
    able_list(run, &can);
    if (run->method->two_classes && e->classes > 2)
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "method %s takes two classes, but the target '%s' has %zu; use one of %s", name, e->target,
                          e->classes, can.text);
    if (e->more && run->method->several_targets && !several_fit(run)) return criterion_fail(run);
    if (e->more && !run->method->several_targets)
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "method %s predicts one target, but --target names %zu; these take several: %s", name,
                          1 + e->more, can.text);
    if (!tamis_task_fits(e, run->method->task) || (run->criterion && !tamis_task_fits(e, run->criterion->task)))
        return task_fail(run, can.text);
    return tamis_fail(run->cx, TAMIS_USAGE, "%s %s does not take --row-weights; these methods do: %s",
                      run->method->weights ? "criterion" : "method", run->method->weights ? run->criterion->name : name,
                      can.text);
}

/* ---- options ---- */

static int has_option(const struct tamis_run *run, const char *name)
{
    struct tamis_option_table used[TAMIS_TABLES];
    tamis_run_tables(run, used);
    return tamis_options_known(used, name);
}

/* The methods that have the option: those that can learn the target, or else the others, and why the first of these
 * cannot. */
static void owners_list(const struct tamis_run *run, const char *name, int fitting, struct list *l, char *reason)
{
    const struct tamis_method *m;
    struct tamis_run scratch;
    char why[TAMIS_UNFIT];
    for (size_t i = 0; (m = tamis_method_at(i)); i++)
        if (!scratch_resolve(run, m, &scratch) && has_option(&scratch, name) &&
            tamis_target_unfit(&scratch, why) != fitting) {
            if (!l->used) memcpy(reason, why, TAMIS_UNFIT);
            list_add(l, m->name);
        }
}

int tamis_options_check(const struct tamis_run *run)
{
    struct tamis_option_table used[TAMIS_TABLES];
    struct list can = {.used = 0}, others = {.used = 0};
    tamis_run_tables(run, used);
    const char *name = tamis_options_unused(run->options, used);
    char why[TAMIS_UNFIT];
    if (!name) return TAMIS_OK;
    owners_list(run, name, 1, &can, why);
    owners_list(run, name, 0, &others, why);
    if (can.used)
        return tamis_fail(run->cx, TAMIS_USAGE, "--%s does not belong to method %s; these methods have it: %s", name,
                          run->method->name, can.text);
    if (others.used)
        return tamis_fail(run->cx, TAMIS_USAGE, "--%s does not belong to method %s, but to %s, which %s %s", name,
                          run->method->name, others.text, strchr(others.text, ',') ? "are" : "is", why);
    return tamis_fail(run->cx, TAMIS_USAGE,
                      "--%s does not belong to method %s; 'tamis methods' lists each method's options", name,
                      run->method->name);
}
