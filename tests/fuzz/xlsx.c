/* Excel's workbooks; format.c reads them. */
#include "fuzz.h"

static const char *const files[] = {"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/sharedStrings.xml",
                                    "xl/styles.xml", "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml", "a"};
static const struct fuzz_words names = {NULL, files, sizeof files / sizeof *files};

static const char *const words[] = {"",
                                    "0",
                                    "1",
                                    "2",
                                    "-1",
                                    "1e9",
                                    "4294967296",
                                    "18446744073709551616",
                                    "1.5",
                                    "44197",
                                    "44198.25",
                                    "0.99999999",
                                    "59",
                                    "60",
                                    "2958465.999999",
                                    "1e-310",
                                    "1e999",
                                    "nan",
                                    "a",
                                    "x1",
                                    "y",
                                    "TRUE",
                                    "#N/A",
                                    "a&amp;b",
                                    "&#10;",
                                    "&#0;",
                                    "&lt;",
                                    " a ",
                                    "A1",
                                    "B2",
                                    "XFD1048576",
                                    "XFE1",
                                    "AAAA1",
                                    "1A",
                                    "C3",
                                    "s",
                                    "n",
                                    "str",
                                    "inlineStr",
                                    "b",
                                    "e",
                                    "d",
                                    "true",
                                    "14",
                                    "22",
                                    "164",
                                    "yyyy\\-mm\\-dd hh:mm",
                                    "[h]:mm:ss",
                                    "0.00E+00",
                                    "[Red]0;\"d\"0",
                                    "Second",
                                    "r1",
                                    "r2",
                                    "worksheets/sheet1.xml",
                                    "/xl/worksheets/sheet2.xml",
                                    "../x",
                                    "row",
                                    "c",
                                    "v",
                                    "is",
                                    "t",
                                    "f",
                                    "r",
                                    "si",
                                    "rPh",
                                    "sst",
                                    "xf",
                                    "cellXfs",
                                    "numFmt",
                                    "numFmts",
                                    "sheet",
                                    "sheets",
                                    "workbookPr",
                                    "Relationship",
                                    "numFmtId",
                                    "formatCode",
                                    "date1904",
                                    "name",
                                    "Id",
                                    "Target",
                                    "r:id",
                                    "x:c",
                                    "xml:space"};
static const struct fuzz_words grammar = {NULL, words, sizeof words / sizeof *words};

static void xml(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    fuzz_mutate_xml(&grammar, data, n, out, r);
}

static void mutate(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    fuzz_mutate_zip(xml, &names, data, n, out, r);
}

FUZZ_MUTATOR(mutate)
