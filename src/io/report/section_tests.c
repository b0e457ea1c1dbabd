/* p-values of single inputs. */
#include "io/report/report.h"

static void test_row(struct tamis_page *p, const tamis_value *one)
{
    static const char *const keys[] = {"p", "holm", "bh", "statistic", "draws"};
    tamis_page_row(p, tamis_value_text(one, "name"));
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) tamis_page_cell(p, tamis_value_number(one, keys[k]));
    tamis_page_puts(p, "\n");
}

static void tests_section(struct tamis_page *p)
{
    static const char *const heads[] = {"input", "#p", "#Holm", "#BH", "#statistic", "#draws", NULL};
    const tamis_value *list = tamis_value_at(p->root, "tests.inputs");
    if (!tamis_page_items(list)) return;
    tamis_page_table(p, "t-tests", "sort",
                     "Whether an input says anything about the target that the others do not: p is the share of "
                     "columns drawn from its law given the other inputs that explain the target at least as well. Holm "
                     "bounds the probability of any false rejection, BH the share of false ones.",
                     heads);
    for (size_t k = 0; k < tamis_page_items(list); k++) test_row(p, tamis_value_item(list, k));
    tamis_page_table_end(p);
}

const struct tamis_section tamis_section_tests = {
    .id = "tests", .title = "Tests of single inputs", .draw = tests_section};
