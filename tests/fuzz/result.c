/* Pages and pictures from a damaged result: whatever parses is drawn, and no text escapes its quotes. */
#include "fuzz.h"
#include "base/pack.h"
#include "io/report/report.h"

static size_t count(const char *text, const char *word)
{
    size_t k = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) k++;
    return k;
}

/* The whole page, or one figure, which is faster: the text decides. */
static void draw(tamis_context *cx, const tamis_value *result, size_t which)
{
    const struct tamis_figure *f = which ? tamis_figure_at(which - 1) : NULL;
    char *out = NULL;
    size_t length = 0;
    int status = f ? tamis_report_figure(cx, result, f->name, &out, &length) :
                     tamis_report_html(cx, result, &out, &length);
    check(status ? *tamis_error(cx) && !out : out && strlen(out) == length);
    if (!status)
        check(count(out, "<script") == (f ? 0 : 2) && count(out, "</script") == (f ? 0 : 2) && !count(out, "<img") &&
              (f || count(out, "<style") == 1));
    tamis_release(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tamis_context *cx = fuzz_context();
    tamis_value *result = NULL;
    size_t which = tamis_checksum(data, n, 0) % 64;
    if (!tamis_value_parse(cx, (const char *)data, n, &result)) draw(cx, result, which < 48 ? which % 24 : 0);
    else check(*tamis_error(cx) && !result);
    tamis_value_free(result);
    return 0;
}

FUZZ_MUTATOR(fuzz_mutate_json)
