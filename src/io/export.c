/* tamis_model_export: a model as C source or as JSON. */
#include <ctype.h>
#include <string.h>
#include "io/export_c.h"
#include "io/model_file.h"

enum { LONGEST = 60 };

static int name_check(tamis_context *cx, const char *name)
{
    size_t n = strlen(name), good = 0;
    while (good < n &&
           (isalpha((unsigned char)name[good]) || name[good] == '_' || (good && isdigit((unsigned char)name[good]))))
        good++;
    if (n && good == n && n <= LONGEST) return TAMIS_OK;
    return tamis_fail(cx, TAMIS_USAGE, "--name '%.60s': expected at most %d letters, digits and _, with no digit first",
                      name, LONGEST);
}

int tamis_model_export(tamis_context *cx, const tamis_model *m, const tamis_options *o, char **text, size_t *length)
{
    TAMIS_CALL(cx);
    struct tamis_export set;
    struct tamis_code c = {.t = {.cx = cx}};
    *text = NULL;
    *length = 0;
    int status = tamis_options_read(cx, o, tamis_export_options, &set);
    if (!status) status = name_check(cx, c.name = set.name);
    if (!status && strcmp(set.to, "c") && o && tamis_options_get(o, "name"))
        status = tamis_fail(cx, TAMIS_USAGE, "--name is for C source; add --to c, or leave it out");
    if (status || strcmp(set.to, "c")) return status ? status : tamis_model_json(cx, m, text, length);
    status = tamis_export_c(cx, m, &c);
    if (!status) return tamis_text_take(&c.t, text, length);
    tamis_text_free(&c.t);
    return status;
}
