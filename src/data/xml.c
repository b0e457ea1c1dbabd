/* Expat's own limits on amplification stay on; a document type declaration, where entities come from, is refused. */
#include <string.h>
#include "data/xml.h"

#ifdef TAMIS_EXPAT
#include <expat.h>

enum { DEEPEST = 100, STEP = 1 << 20 };

struct parse {
    const struct tamis_xml *x;
    void *user;
    XML_Parser parser;
    int depth, status, refused;
};

static const char *past_prefix(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

static void give_up(struct parse *p, int status)
{
    p->status = status;
    XML_StopParser(p->parser, XML_FALSE);
}

static void on_start(void *user, const char *name, const char **attribute)
{
    struct parse *p = user;
    if (p->status || p->refused) return;
    p->refused = ++p->depth > DEEPEST;
    if (p->refused) XML_StopParser(p->parser, XML_FALSE);
    else if ((p->status = p->x->start(p->user, past_prefix(name), attribute))) give_up(p, p->status);
}

static void on_end(void *user, const char *name)
{
    struct parse *p = user;
    if (p->status || p->refused) return;
    p->depth--;
    if ((p->status = p->x->end(p->user, past_prefix(name)))) give_up(p, p->status);
}

static void on_text(void *user, const char *s, int n)
{
    struct parse *p = user;
    if (p->status || p->refused || !p->x->text) return;
    if ((p->status = p->x->text(p->user, s, (size_t)n))) give_up(p, p->status);
}

static void on_doctype(void *user, const char *name, const char *system, const char *public, int internal)
{
    struct parse *p = user;
    (void)name, (void)system, (void)public, (void)internal;
    p->refused = 1;
    XML_StopParser(p->parser, XML_FALSE);
}

static int feed(tamis_context *cx, const char *where, const unsigned char *bytes, size_t n, struct parse *p)
{
    int status = TAMIS_OK;
    for (size_t at = 0, k; !status && (at < n || at == 0); at += k) {
        k = n - at < STEP ? n - at : STEP;
        enum XML_Status code = XML_Parse(p->parser, (const char *)bytes + at, (int)k, at + k == n);
        status = p->status ? p->status : tamis_check_cancel(cx);
        if (status || code == XML_STATUS_OK) {
            if (at + k == n) break;
            continue;
        }
        if (XML_GetErrorCode(p->parser) == XML_ERROR_NO_MEMORY)
            return tamis_fail(cx, TAMIS_MEMORY, "%s: out of memory while parsing XML", where);
        return tamis_fail(cx, TAMIS_DATA, "%s:%lu: the XML is damaged (%s); save the file again", where,
                          XML_GetCurrentLineNumber(p->parser),
                          p->refused ? "a document type or too many levels"
                                     : XML_ErrorString(XML_GetErrorCode(p->parser)));
    }
    return status;
}

int tamis_xml_parse(tamis_context *cx, const char *where, const unsigned char *bytes, size_t n,
                    const struct tamis_xml *x, void *user)
{
    struct parse p = {.x = x, .user = user, .parser = XML_ParserCreate(NULL)};
    if (!p.parser) return tamis_fail(cx, TAMIS_MEMORY, "%s: out of memory while parsing XML", where);
    XML_SetUserData(p.parser, &p);
    XML_SetElementHandler(p.parser, on_start, on_end);
    XML_SetCharacterDataHandler(p.parser, on_text);
    XML_SetStartDoctypeDeclHandler(p.parser, on_doctype);
    int status = feed(cx, where, bytes, n, &p);
    XML_ParserFree(p.parser);
    return status;
}

const char *tamis_xml_attribute(const char **attribute, const char *name)
{
    for (; *attribute; attribute += 2)
        if (!strcmp(past_prefix(attribute[0]), name)) return attribute[1];
    return NULL;
}
#endif
