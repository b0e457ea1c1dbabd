/* How well subsets of the inputs separate the classes: the block of a method with a feature evaluation index. */
#include "io/report/report.h"

enum { SUBSETS = 40, INPUTS = 200 };

static void subset_row(struct tamis_page *p, const tamis_value *s)
{
    static const char *const key[] = {"fei", "fei2", "rank", "overall_rank"};
    const tamis_value *names = tamis_value_at(s, "inputs");
    tamis_page_row_set(p, names);
    tamis_page_cell(p, (double)tamis_page_items(names));
    for (size_t k = 0; k < 4; k++) tamis_page_cell(p, tamis_value_number(s, key[k]));
    tamis_page_puts(p, "\n");
}

static void subset_table(struct tamis_page *p, const tamis_value *sets)
{
    static const char *const heads[] = {
        "subset", "#inputs", "#FEI", "#FEI2", "#rank within its size", "#overall rank", NULL};
    size_t n = tamis_page_items(sets);
    if (!n) return;
    tamis_page_table(p, "t-subsets", "sort",
                     "Subsets by feature evaluation index: how well the classes stay apart when all other inputs are "
                     "ignored. Larger is better.",
                     heads);
    for (size_t i = 0; i < n && i < SUBSETS; i++) subset_row(p, tamis_value_item(sets, i));
    tamis_page_table_end(p);
    if (n > SUBSETS) tamis_text_printf(p->t, "<p class=\"note\">The first %d of %zu.</p>\n", SUBSETS, n);
}

static void agreement_rows(struct tamis_page *p, const struct tamis_index *column, size_t columns)
{
    const tamis_value *inputs = tamis_value_at(p->root, "inputs");
    for (size_t i = 0; i < tamis_page_items(inputs) && i < INPUTS; i++) {
        const char *name = tamis_value_text(tamis_value_item(inputs, i), "name");
        tamis_page_row(p, name);
        for (size_t k = 0; k < columns; k++)
            tamis_page_cell(p, tamis_value_number(tamis_index_get(&column[k], name), NULL));
        tamis_page_puts(p, "\n");
    }
}

/* The columns are records keyed by input. */
static void agreement_table(struct tamis_page *p, const tamis_value *own)
{
    static const char *const key[] = {"single_fei", "single_fei2", "mean_rank", "rank_agreement"};
    static const char *const heads[] = {
        "input", "#FEI alone", "#FEI2 alone", "#mean rank", "#starts that agree on the rank", NULL};
    struct tamis_index column[4];
    if (!tamis_page_record(tamis_value_at(own, key[3]))) return;
    for (size_t k = 0; k < 4; k++) column[k] = tamis_index_new(p->cx, tamis_value_at(own, key[k]));
    tamis_page_table(p, "t-agree", "sort", "Each input on its own, in networks grown from different starts.", heads);
    agreement_rows(p, column, 4);
    tamis_page_table_end(p);
    for (size_t k = 0; k < 4; k++) tamis_index_free(&column[k]);
}

static void baseline_words(struct tamis_page *p, const tamis_value *own)
{
    tamis_page_puts(p, "<p>With all inputs, the FEI is ");
    tamis_page_number(p, tamis_value_number(own, "baseline.fei"));
    tamis_page_puts(p, " and the FEI2 is ");
    tamis_page_number(p, tamis_value_number(own, "baseline.fei2"));
    tamis_page_puts(p, ", from a network with ");
    tamis_page_count(p, tamis_value_number(own, "hidden"), "hidden node");
    tamis_page_puts(p, "; a subset with a smaller index has lost some of what keeps the classes apart.</p>\n");
}

static void classes_section(struct tamis_page *p)
{
    static const struct tamis_curve growth = {"hidden",
                                              "cv",
                                              "hidden nodes",
                                              "cross-validated error",
                                              "error by the number of hidden nodes",
                                              .whole = 1};
    const tamis_value *own = tamis_page_own(p->root);
    if (!tamis_page_record(tamis_value_at(own, "baseline"))) return;
    baseline_words(p, own);
    if (tamis_page_items(tamis_value_at(own, "growth")) > 1) {
        tamis_page_figure(p, "");
        tamis_page_curve(p, tamis_value_at(own, "growth"), &growth);
        tamis_page_caption(p, "The size of the network: how many hidden nodes it takes to tell the classes apart.");
    }
    agreement_table(p, own);
    subset_table(p, tamis_value_at(own, "subsets"));
}

const struct tamis_section tamis_section_classes = {
    .id = "classes", .title = "Class separation of subsets", .draw = classes_section};
