/* Inside the XLSX reader: xlsx_book.c reads the workbook (which sheets, texts, styles), xlsx.c a sheet. */
#ifndef TAMIS_XLSX_H
#define TAMIS_XLSX_H

#include "data/formats.h"
#include "data/xml.h"
#include "data/zip.h"

enum { TAMIS_XLSX_DATE = 1, TAMIS_XLSX_TIME = 2 };      /* what a number format shows */

struct tamis_xlsx_sheet { char *name, *id, *path; };    /* id: of its relation; path: the member of the archive */

struct tamis_xlsx {
    tamis_context *cx;
    const char *file;
    struct tamis_zip zip;
    unsigned char *bytes;
    size_t sheets, styles;
    struct tamis_xlsx_sheet *sheet;
    unsigned char *style;               /* of each cell format: which of DATE and TIME */
    int from_1904;                      /* days count from there */
    struct tamis_text strings;          /* shared texts, one after another */
    size_t *string, count;              /* where each begins; string[count] is the end */
};

int tamis_xlsx_open(tamis_context *cx, struct tamis_stream *s, struct tamis_xlsx *x);
void tamis_xlsx_close(struct tamis_xlsx *x);
/* The member `path` through the parser; needed 0: it may be missing. */
int tamis_xlsx_parse(struct tamis_xlsx *x, const char *path, int needed, const struct tamis_xml *xml, void *user);

#endif
