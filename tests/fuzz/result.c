/* Pages and pictures from a damaged result: whatever parses is drawn, and no text escapes its quotes. */
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "io/report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static size_t count(const char *text, const char *word)
{
    size_t k = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) k++;
    return k;
}

static void draw(tamis_context *cx, const tamis_value *result)
{
    char *out = NULL;
    size_t length = 0;
    if (tamis_report_html(cx, result, &out, &length)) {
        if (!*tamis_error(cx) || out) abort();
        return;
    }
    if (strlen(out) != length || count(out, "<script") != 2 || count(out, "</script") != 2 || count(out, "<img") ||
        count(out, "<style") != 1)
        abort();
    tamis_release(out);
    const struct tamis_figure *f;
    for (size_t i = 0; (f = tamis_figure_at(i)); i++) {
        int status = tamis_report_figure(cx, result, f->name, &out, &length);
        if (status ? !!out : !out || strlen(out) != length || count(out, "<script") || count(out, "<img")) abort();
        tamis_release(out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tamis_context *cx = tamis_context_new();
    tamis_value *result = NULL;
    if (!tamis_value_parse(cx, (const char *)data, n, &result)) draw(cx, result);
    else if (!*tamis_error(cx) || result) abort();
    tamis_value_free(result);
    tamis_context_free(cx);
    return 0;
}
