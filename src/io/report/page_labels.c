/* What figures call a column or an axis instead of its name: "rm=Rooms per dwelling". A label of a column is that of
 * its lags too: "flow[t-3]" is drawn as "Flow rate[t-3]". */
#include <string.h>
#include "base/nearest.h"
#include "io/report/report.h"

struct tamis_label { char *name, *text; int used; };

static struct tamis_label *label_add(struct tamis_page *p, const char *name, size_t n, const char *text,
                                     const char *rest)
{
    struct tamis_label *more = tamis_grow(p->cx, p->label, p->labels + 1, sizeof *more);
    if (!more) return NULL;
    p->label = more;
    struct tamis_text all = {.cx = p->cx};
    tamis_text_puts(&all, text);
    tamis_text_puts(&all, rest);
    struct tamis_label one = {.name = tamis_strndup(p->cx, name, n)};
    if (!tamis_text_take(&all, &one.text, NULL) && one.name)
        return p->label[p->labels] = one, &p->label[p->labels++];
    tamis_free(one.name);
    tamis_free(one.text);
    return NULL;
}

/* Whether the n characters name an input, or the column of a lagged one, or another column of the table. */
static int is_column(const struct tamis_page *p, const char *name, size_t n)
{
    static const char *const lists[] = {"inputs", "evidence.audit.column"};
    const char *target = tamis_value_text(p->root, "data.target");
    if (target && strlen(target) == n && !strncmp(target, name, n)) return 1;
    for (size_t k = 0; k < 2; k++) {
        const tamis_value *list = tamis_value_at(p->root, lists[k]);
        for (size_t i = 0; i < tamis_page_items(list); i++) {
            const char *s = tamis_value_text(tamis_value_item(list, i), "name");
            if (s && !strncmp(s, name, n) && (!s[n] || !strncmp(s + n, "[t", 2))) return 1;
        }
    }
    return 0;
}

/* The = that ends the name: names may hold others. NULL: there is none. */
static const char *name_end(const struct tamis_page *p, const char *text)
{
    for (const char *s = text; (s = strchr(s, '=')); s++)
        if (is_column(p, text, (size_t)(s - text))) return s;
    return strchr(text, '=');
}

/* "flow (l/min)" for columns whose units the file gives. */
static int labels_of_units(struct tamis_page *p)
{
    const tamis_value *list = tamis_value_at(p->root, "evidence.audit.column");
    for (size_t i = 0; i < tamis_page_items(list); i++) {
        const tamis_value *column = tamis_value_item(list, i);
        const char *name = tamis_value_text(column, "name"), *units = tamis_value_text(column, "units");
        struct tamis_text text = {.cx = p->cx};
        if (!name || !units) continue;
        tamis_text_printf(&text, "%s (%s)", name, units);
        if (!text.failed) label_add(p, name, strlen(name), text.s, "");
        tamis_text_free(&text);
    }
    return tamis_status(p->cx);
}

int tamis_page_labels_read(struct tamis_page *p, const char *const *label, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *end = name_end(p, label[i]);
        if (!end || end == label[i])
            return tamis_fail(p->cx, TAMIS_USAGE, "--label '%.60s': expected NAME=TEXT", label[i]);
        if (!label_add(p, label[i], (size_t)(end - label[i]), end + 1, "")) return tamis_status(p->cx);
    }
    int status = labels_of_units(p);
    p->given = p->labels;
    return status;
}

const char *tamis_page_label(struct tamis_page *p, const char *name)
{
    for (size_t i = 0; name && i < p->labels; i++)
        if (!strcmp(p->label[i].name, name)) return p->label[i].used = 1, p->label[i].text;
    for (size_t i = 0; name && i < p->given; i++) {
        size_t n = strlen(p->label[i].name);
        if (strncmp(p->label[i].name, name, n) || strncmp(name + n, "[t", 2)) continue;
        p->label[i].used = 1;
        struct tamis_label *made = label_add(p, name, strlen(name), p->label[i].text, name + n);
        return made ? made->text : name;
    }
    return name;
}

static const char *input_name(const void *page, size_t i)
{
    const tamis_value *list = tamis_value_at(((const struct tamis_page *)page)->root, "inputs");
    const char *name = tamis_value_text(tamis_value_item(list, i), "name");
    return i >= tamis_page_items(list) ? NULL : name ? name : "";
}

int tamis_page_labels_check(struct tamis_page *p)
{
    for (size_t i = 0; i < p->given; i++) {
        const char *name = p->label[i].name;
        if (p->label[i].used || is_column(p, name, strlen(name)) || !tamis_value_get(p->root, "inputs")) continue;
        return tamis_fail(p->cx, TAMIS_USAGE, "--label %.60s: no column or axis has this name%s", name,
                          tamis_hint(name, input_name, p, "").text);
    }
    return TAMIS_OK;
}

void tamis_page_labels_free(struct tamis_page *p)
{
    for (size_t i = 0; i < p->labels; i++) {
        tamis_free(p->label[i].name);
        tamis_free(p->label[i].text);
    }
    tamis_free(p->label);
}
