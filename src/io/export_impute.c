/* The imputation of a model as C: medians, or the nearest training rows (data/impute.c). */
#include "io/export_c.h"

static const char median_source[] =
    "\nstatic void @impute(double *z)\n"
    "{\n"
    "    int j;\n"
    "    for (j = 0; j < @COLUMNS; j++)\n"
    "        if (z[j] != z[j]) z[j] = @fill[j];\n"
    "}\n\n";

static const char distance_source[] =
    "\n/* Mean squared difference over the columns known in both. */\n"
    "static double @distance(const double *z, const double *donor)\n"
    "{\n"
    "    double sum = 0;\n"
    "    int j, both = 0;\n"
    "    for (j = 0; j < @COLUMNS; j++) {\n"
    "        if (z[j] != z[j] || donor[j] != donor[j]) continue;\n"
    "        sum += (z[j] - donor[j]) * (z[j] - donor[j]);\n"
    "        both++;\n"
    "    }\n"
    "    return both ? sum / both : HUGE_VAL;\n"
    "}\n\n"
    "/* The level of a donor: its largest indicator. */\n"
    "static int @level(const double *donor, int first, int levels)\n"
    "{\n"
    "    int k, best = 0;\n"
    "    for (k = 1; k < levels; k++)\n"
    "        if (@mean[first + k] + @scale[first + k] * donor[first + k] > "
    "@mean[first + best] + @scale[first + best] * donor[first + best]) best = k;\n"
    "    return best;\n"
    "}\n\n";

static const char nearest_source[] =
    "/* The nearest training rows with a value in column `first`: who[]; returns how many. */\n"
    "static int @nearest(const double *z, int first, int *who)\n"
    "{\n"
    "    double near[@NEIGHBOURS];\n"
    "    int d, k, count = 0;\n"
    "    for (d = 0; d < @DONORS; d++) {\n"
    "        const double *donor = @donor + d * @COLUMNS;\n"
    "        double distance = @distance(z, donor);\n"
    "        if (donor[first] != donor[first] || !(distance < HUGE_VAL)) continue;\n"
    "        if (count == @NEIGHBOURS && !(distance < near[count - 1])) continue;\n"
    "        for (k = count < @NEIGHBOURS ? count++ : count - 1; k > 0 && near[k - 1] > distance; k--) "
    "near[k] = near[k - 1], who[k] = who[k - 1];\n"
    "        near[k] = distance;\n"
    "        who[k] = d;\n"
    "    }\n"
    "    return count;\n"
    "}\n\n";

static const char knn_source[] =
    "static void @impute(double *z)\n"
    "{\n"
    "    double own[@COLUMNS + 1];\n"
    "    int who[@NEIGHBOURS], votes[@COLUMNS + 1], i, j, k;\n"
    "    for (j = 0; j < @COLUMNS; j++) own[j] = z[j];\n"
    "    for (i = 0; i < @INPUTS; i++) {\n"
    "        int first = @first[i], levels = @levels[i], count, best = 0;\n"
    "        double sum = 0;\n"
    "        if (own[first] == own[first]) continue;\n"
    "        count = @nearest(own, first, who);\n"
    "        for (k = 0; k < levels; k++) votes[k] = 0;\n"
    "        for (j = 0; j < count; j++) {\n"
    "            if (levels) votes[@level(@donor + who[j] * @COLUMNS, first, levels)]++;\n"
    "            sum += @donor[who[j] * @COLUMNS + first];\n"
    "        }\n"
    "        for (k = 1; k < levels; k++) best = votes[k] > votes[best] ? k : best;\n"
    "        for (k = 0; k < (levels ? levels : 1); k++)\n"
    "            z[first + k] = !count ? @fill[first + k] : !levels ? sum / count : "
    "((k == best ? 1.0 : 0.0) - @mean[first + k]) / @scale[first + k];\n"
    "    }\n"
    "}\n\n";

void tamis_export_impute(const struct tamis_encoder *e, struct tamis_code *c)
{
    if (!e->impute) return;
    tamis_code_numbers(c, "fill", e->fill, e->columns, 0);
    if (e->impute == TAMIS_IMPUTE_MEDIAN) {
        tamis_code_put(c, median_source);
        return;
    }
    tamis_code_count(c, "NEIGHBOURS", e->neighbours);
    tamis_code_count(c, "DONORS", e->donors);
    tamis_code_numbers(c, "donor", e->donor, e->donors * e->columns, e->donors);
    tamis_code_put(c, distance_source);
    tamis_code_put(c, nearest_source);
    tamis_code_put(c, knn_source);
}
