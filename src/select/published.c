/* --as-published: the method as its paper prints it. A method's row lists what the paper says of its options
 * (struct tamis_published); here they are set where the user gave none, before anything reads the options, so that the
 * rest of a run knows options only. What the method at hand does not have (the ties of a criterion that the user
 * replaced) is left out again. */
#include <string.h>
#include "base/format.h"
#include "select/method.h"

enum { MOST = 32 };             /* settings of one paper */

static int asked(const tamis_options *o)
{
    int yes = 0;
    const struct tamis_option flag = {.type = TAMIS_FLAG};
    const char *text = o ? tamis_options_get(o, "as-published") : NULL;
    return text && tamis_option_value(&flag, text, NULL, &yes) && yes;
}

/* The methods that have a published form, joined by commas. */
static const char *methods_list(char *text, size_t room)
{
    const struct tamis_method *m;
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; (m = tamis_method_at(i)); i++)
        if (m->published && used < room)
            used += (size_t)tamis_snprintf(text + used, room - used, "%s%s", used ? ", " : "", m->name);
    return text;
}

static int refuse(const struct tamis_run *run, const char *name)
{
    char list[192];
    return tamis_fail(run->cx, TAMIS_USAGE,
                      "--as-published: method %s is not from a paper's tables; name one of %s with --method", name,
                      methods_list(list, sizeof list));
}

int tamis_published_fits(const tamis_options *o, const struct tamis_method *m) { return m->published || !asked(o); }

/* Drops what was set here and the method does not have. */
static int surplus_drop(struct tamis_run *run, const struct tamis_method *m, const unsigned char *set)
{
    struct tamis_option_table used[TAMIS_TABLES];
    int status = tamis_resolve_method(run, m);
    if (status) return status;
    tamis_run_tables(run, used);
    for (size_t i = 0; m->published[i].option; i++)
        if (set[i] && !tamis_options_known(used, m->published[i].option))
            tamis_options_unset(run->options, m->published[i].option);
    return TAMIS_OK;
}

int tamis_published_set(struct tamis_run *run)
{
    const char *name = tamis_options_get(run->options, "method");
    const struct tamis_method *m = name ? tamis_method_find(name) : NULL;
    unsigned char set[MOST] = {0};
    if (!asked(run->options) || (name && !m && strcmp(name, "auto"))) return TAMIS_OK;  /* unknown: said elsewhere */
    if (!m || !m->published) return refuse(run, m ? m->name : "auto");
    for (size_t i = 0; i < MOST && m->published[i].option; i++) {
        const struct tamis_published *p = &m->published[i];
        if (tamis_options_get(run->options, p->option)) continue;
        if (tamis_options_set(run->options, p->option, p->value)) return tamis_status(run->cx);
        set[i] = 1;
    }
    return surplus_drop(run, m, set);
}

void tamis_published_add(tamis_value *to, const struct tamis_run *run)
{
    if (!asked(run->options)) return;
    tamis_value *v = tamis_add_record(to, "as_published");
    for (const struct tamis_published *p = run->method->published; p && p->option; p++) {
        const char *text = tamis_options_get(run->options, p->option);
        if (text) tamis_add_text(v, p->option, text);
    }
}
