/* Small XML documents through expat: elements and their text, without entities of their own and bounded in depth. */
#ifndef TAMIS_XML_H
#define TAMIS_XML_H

#include "base/text.h"

/* name: without its namespace prefix. attribute: name, value, ..., NULL. A status other than 0 ends the parsing. */
struct tamis_xml {
    int (*start)(void *user, const char *name, const char **attribute);
    int (*end)(void *user, const char *name);
    int (*text)(void *user, const char *s, size_t n);           /* may come in pieces; NULL: not wanted */
};

/* where: the file and member, for messages. TAMIS_DATA: not well formed, a document type, or nested too deeply. */
int tamis_xml_parse(tamis_context *cx, const char *where, const unsigned char *bytes, size_t n,
                    const struct tamis_xml *x, void *user);
/* The value of the attribute, whatever its prefix; NULL: there is none. */
const char *tamis_xml_attribute(const char **attribute, const char *name);

#endif
