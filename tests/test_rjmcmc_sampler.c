/* The reversible-jump sampler against its target: posteriors of sets by enumeration; Geweke's joint distribution test;
 * evidence that both detect a wrong ratio. TAMIS_LONG=1 runs the long versions. */
#include "base/pack.h"
#include "base/rng_dist.h"
#include "cases_rjmcmc.h"
#include "method/rjmcmc/mixture_target.h"
#include "num/density.h"
#include "unit.h"

static int is_long(void) { return getenv("TAMIS_LONG") != NULL; }

/* Sanitizers are slow, and their faults do not need long chains. */
#ifdef TAMIS_SANITIZED
enum { SHORTER = 4 };
#else
enum { SHORTER = 1 };
#endif

/* ---- subset posteriors by enumeration ---- */

static struct tamis_mixture *brute_mixture(tamis_context *cx, int mode, int weights)
{
    static const size_t width[3] = {1, 1, 1};
    struct tamis_mixture_settings set = {mode, weights, 2, 0, 2, 0.5, 1.5, 0};
    struct tamis_mixture *m = tamis_mixture_sized(cx, 8, 3, 2, width, &set);
    double x[24], y[8];
    assert_non_null(m);
    for (size_t c = 0; c < 3; c++) {
        m->h[c] = brute_h[c], m->xi[c] = brute_xi[c], m->kappa[c] = brute_kappa[c], m->beta_min[c] = 0.005;
        for (size_t n = 0; n < 8; n++) x[n + 8 * c] = brute_x[n * 3 + c];
    }
    for (size_t n = 0; n < 8; n++)
        y[n] = mode == TAMIS_CONDITIONAL   ? brute_y_conditional[n]
               : brute_y_background[n] < 0 ? 2
                                           : brute_y_background[n];
    tamis_mixture_prior(m);
    tamis_mixture_rows(m, x, y, NULL);
    return m;
}

/* The move table without the moves `without` (names separated by blanks). */
static void moves_without(const char *without, struct tamis_mcmc_move *out)
{
    size_t n = 0;
    for (const struct tamis_mcmc_move *v = tamis_mixture_moves; v->name; v++)
        if (!strstr(without, v->name)) out[n++] = *v;
    out[n] = (struct tamis_mcmc_move){0};
}

/* Arithmetic differs in the last bits between processors, and then all draws do: a chain that exceeds a limit by chance
 * is repeated, CHANCE times as long. A wrong ratio only shows more clearly then. */
enum { CHANCE = 8 };

/* Total variation between the subsets visited and the known posterior. */
static double brute_distance(tamis_context *cx, int mode, int weights, const char *without, size_t heats,
                             size_t samples)
{
    struct tamis_mcmc_move moves[TAMIS_MCMC_MOVES];
    struct tamis_mixture *m = brute_mixture(cx, mode, weights);
    struct tamis_mcmc_target target = tamis_mixture_target;
    struct tamis_mcmc_settings set = {4, heats, 2000, samples, 1, 4, 100, 7};
    const double *want = mode == TAMIS_CONDITIONAL ? brute_conditional : brute_background;
    double seen[8] = {0}, distance = 0;
    moves_without(without, moves);
    target.move = moves;
    target.model = m;
    assert_int_equal(tamis_mixture_records_new(cx, m, 4, samples, samples), TAMIS_OK);
    struct tamis_mcmc *run = tamis_mcmc_new(cx, &target, &set);
    assert_int_equal(tamis_mcmc_run(run, NULL, 0), TAMIS_OK);
    for (size_t i = 0; i < heats; i++)
        assert_true(i ? run->heat[i] < run->heat[i - 1] && run->heat[i] >= 0 : run->heat[0] == 1);
    for (size_t i = 0; i < 4 * samples; i++) seen[m->records->set[i]] += 1.0 / (double)(4 * samples);
    for (size_t i = 0; i < 8; i++) {
        distance += 0.5 * fabs(seen[i] - want[i]);
        if (weights == TAMIS_WEIGHTS_KEEP && is_long()) assert_near(seen[i], want[i], 0.01);
    }
    tamis_mcmc_free(run);
    tamis_mixture_free(m);
    return distance;
}

static void subset_posteriors_are_those_of_enumeration(void **state)
{
    static const char *const names[] = {"conditional", "background"};
    static const struct { const char *without; size_t heats; int weights;
    } way[] = {{"", 4, TAMIS_WEIGHTS_KEEP},
               {"renew exchange carry", 1, TAMIS_WEIGHTS_KEEP},
               {"carry", 1, TAMIS_WEIGHTS_SHIFT},
               {"drift exchange", 1, TAMIS_WEIGHTS_KEEP},
               {"renew inherit", 1, TAMIS_WEIGHTS_KEEP}};
    size_t samples = is_long() ? 100000 : 6000 / SHORTER;
    for (int mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
            if (i == 3 && mode == TAMIS_CONDITIONAL) continue; /* without drift nothing moves the weights there */
            double distance = brute_distance(*state, mode, way[i].weights, way[i].without, way[i].heats, samples);
            double allowed = is_long() ? 0.01 : 0.03 * SHORTER;
            if (distance >= allowed)
                distance = brute_distance(*state, mode, way[i].weights, way[i].without, way[i].heats, CHANCE * samples);
            printf("%s, without '%s', %zu heats: total variation %.4f\n", names[mode], way[i].without, way[i].heats,
                   distance);
            assert_below(distance, allowed);
        }
}

/* The moves that --moves published leaves, with births from the prior and the weights of eq. 4. */
static double published_distance(tamis_context *cx, int mode, size_t samples)
{
    struct tamis_mixture *m = brute_mixture(cx, mode, TAMIS_WEIGHTS_SHIFT);
    struct tamis_mcmc_target target = tamis_mixture_target;
    struct tamis_mcmc_settings set = {4, 1, 2000, samples, 1, 1, 100, 7};
    const double *want = mode == TAMIS_CONDITIONAL ? brute_conditional : brute_background;
    double seen[8] = {0}, distance = 0;
    m->set.prior_births = 1;
    target.move = tamis_mixture_published_moves;
    target.adapt = NULL;
    target.model = m;
    assert_int_equal(tamis_mixture_records_new(cx, m, 4, samples, samples), TAMIS_OK);
    struct tamis_mcmc *run = tamis_mcmc_new(cx, &target, &set);
    assert_int_equal(tamis_mcmc_run(run, NULL, 0), TAMIS_OK);
    for (size_t i = 0; i < 4 * samples; i++) seen[m->records->set[i]] += 1.0 / (double)(4 * samples);
    for (size_t i = 0; i < 8; i++) distance += 0.5 * fabs(seen[i] - want[i]);
    tamis_mcmc_free(run);
    tamis_mixture_free(m);
    return distance;
}

/* One jump per sweep and births from the prior mix more slowly: longer chains. */
static void published_moves_have_the_same_posterior(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        size_t samples = is_long() ? 200000 : 24000 / SHORTER;
        double distance = published_distance(*state, mode, samples), allowed = is_long() ? 0.01 : 0.03 * SHORTER;
        if (distance >= allowed) distance = published_distance(*state, mode, CHANCE * samples);
        printf("published moves: total variation %.4f\n", distance);
        assert_below(distance, allowed);
    }
}

static void enumeration_tells_the_printed_weights_apart(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        double distance = brute_distance(*state, mode, TAMIS_WEIGHTS_AS_PRINTED, "renew exchange carry inherit", 1,
                                         6000 / SHORTER);
        printf("eq. 4 as printed: total variation %.4f\n", distance);
        assert_above(distance, 0.04);
    }
}

/* ---- Geweke: the joint distribution of parameters and data ----
 * [1] J. Geweke, Getting it right: joint distribution tests of posterior simulators, JASA 99, 2004.
 * Parameters drawn from the prior have known moments. A chain that draws data given parameters and then moves the
 * parameters given the data, in turn, must have the same: any wrong factor in a ratio shows. */

enum { GN = 6, GM = 3, GK = 2, GD = 2, STATISTICS = 25 };

static void statistics_of(const struct tamis_mixture_state *s, double *g)
{
    size_t n = 0, a = 0;
    double mu = 0, mu2 = 0, tau = 0, beta = 0, cross = 0, between = 0;
    for (size_t i = 0; i < GM; i++) g[n++] = tamis_mixture_has(s, i);
    g[n++] = (double)s->size;
    g[n++] = (double)(s->size * s->size);
    g[n++] = s->size == 0;
    g[n++] = tamis_mixture_has(s, 0) && tamis_mixture_has(s, 1);
    for (size_t i = 0; i < GM; i++)
        for (size_t d = 0; tamis_mixture_has(s, i) && d < GD; d++) {
            double m = s->mu[d + GD * i], t = log(s->tau[d + GD * i]);
            mu += m, mu2 += fmin(m * m, 50), tau += t, cross += m * s->w[d], between += m * (d ? -t : t), a++;
            beta += d ? 0 : log(s->beta[i]);
        }
    g[n++] = mu;
    g[n++] = mu2;
    g[n++] = tau;
    g[n++] = tau * tau;
    g[n++] = beta;
    g[n++] = cross;
    g[n++] = between;
    for (size_t k = 0; k < GK; k++) {
        g[n++] = s->w[GD * k];
        g[n++] = s->w[GD * k] * s->w[GD * k];
        g[n++] = log(s->w[GD * k]);
    }
    g[n++] = s->p[0];
    g[n++] = s->p[0] * s->p[0];
    g[n++] = s->w[0] * s->w[GD];
    g[n++] = s->p[0] * s->w[0];
    g[n++] = s->w[0] * (double)s->size;
    assert_int_equal(n, STATISTICS);
}

static double class_weight(const struct tamis_mixture_state *s, const double *x, size_t k, size_t row)
{
    double sum = 0, top = -INFINITY, l[GD];
    for (size_t d = 0; d < GD; d++) {
        l[d] = 0;
        for (size_t i = 0; i < GM; i++)
            if (tamis_mixture_has(s, i))
                l[d] += tamis_log_normal(x[row + GN * i], s->mu[d + GD * i], s->tau[d + GD * i]);
        top = fmax(top, l[d]);
    }
    for (size_t d = 0; d < GD; d++) sum += s->w[d + GD * k] * exp(l[d] - top);
    return s->p[k] * sum;
}

/* Data given the parameters. Conditional: the classes of fixed rows. Background: classes (the last row's is lost),
 * rows, and the columns outside. */
static void data_draw(const struct tamis_mixture_state *s, double *x, double *y, struct tamis_rng *rng)
{
    const struct tamis_mixture *m = s->mix;
    double mu[GD], tau[GD], weight[GK];
    if (m->set.mode == TAMIS_CONDITIONAL) {
        for (size_t n = 0; n < GN; n++) {
            for (size_t k = 0; k < GK; k++) weight[k] = class_weight(s, x, k, n);
            y[n] = (double)tamis_rng_categorical(rng, GK, weight);
        }
        return;
    }
    for (size_t n = 0; n < GN; n++) {
        size_t k = tamis_rng_categorical(rng, GK, s->p), z = tamis_rng_categorical(rng, GD, s->w + GD * k);
        y[n] = n == GN - 1 ? GK : (double)k;
        for (size_t i = 0; i < GM; i++)
            if (tamis_mixture_has(s, i))
                x[n + GN * i] = s->mu[z + GD * i] + tamis_rng_normal(rng) / sqrt(s->tau[z + GD * i]);
    }
    for (size_t i = 0; i < GM; i++) {
        if (tamis_mixture_has(s, i)) continue;
        tamis_mixture_propose(m, i, NULL, 0, mu, tau, rng);
        for (size_t n = 0; n < GN; n++) x[n + GN * i] = mu[0] + tamis_rng_normal(rng) / sqrt(tau[0]);
    }
}

static struct tamis_mixture *geweke_mixture(tamis_context *cx, int mode, int weights)
{
    static const size_t width[GM] = {1, 1, 1};
    static const double h[GM] = {0.5, 0.7, 0.4}, xi[GM] = {0.1, -0.2, 0}, kappa[GM] = {0.3, 0.4, 0.25},
                        least[GM] = {0.05, 0, 0.1};
    struct tamis_mixture_settings set = {mode, weights, GD, 0, 2, 1.5, 1.5, 0};
    struct tamis_mixture *m = tamis_mixture_sized(cx, GN, GM, GK, width, &set);
    assert_non_null(m);
    m->choice[0] = 2.5, m->choice[2] = 0.4;
    for (size_t c = 0; c < GM; c++) m->h[c] = h[c], m->xi[c] = xi[c], m->kappa[c] = kappa[c], m->beta_min[c] = least[c];
    tamis_mixture_prior(m);
    return m;
}

/* Mean of the series and its standard error by batches. */
static void batch_mean(size_t n, const double *x, size_t stride, double *mean, double *error)
{
    enum { BATCHES = 50 };
    double b[BATCHES] = {0}, all = 0, squares = 0;
    size_t each = n / BATCHES;
    for (size_t i = 0; i < each * BATCHES; i++) b[i / each] += x[i * stride] / (double)each;
    for (size_t i = 0; i < BATCHES; i++) all += b[i] / BATCHES;
    for (size_t i = 0; i < BATCHES; i++) squares += (b[i] - all) * (b[i] - all);
    *mean = all;
    *error = sqrt(squares / (BATCHES - 1) / BATCHES);
}

/* The largest |z| of the statistics; heat 0: the sampler alone, which must return the prior. */
static double geweke(tamis_context *cx, int mode, int weights, double heat, const char *without, size_t rounds,
                     int loud)
{
    struct tamis_mcmc_move moves[TAMIS_MCMC_MOVES];
    struct tamis_mcmc_target target = tamis_mixture_target;
    struct tamis_mixture *m = geweke_mixture(cx, mode, weights);
    struct tamis_mixture_state *s = tamis_mixture_state_new(cx, m);
    struct tamis_rng rng;
    double *prior = malloc(2 * rounds * STATISTICS * sizeof *prior), *chain = prior + rounds * STATISTICS, x[GN * GM],
           y[GN] = {0}, worst = 0, scale[TAMIS_MCMC_MOVES];
    tamis_rng_init(&rng, 11, TAMIS_RNG_TEST, (uint32_t)mode);
    moves_without(without, moves);
    target.move = moves;
    for (size_t j = 0; j < TAMIS_MCMC_MOVES; j++) scale[j] = 0.5;
    for (size_t i = 0; i < GN * GM; i++) x[i] = 1.5 * tamis_rng_normal(&rng);
    tamis_mixture_rows(m, x, y, NULL);
    for (size_t i = 0; i < rounds; i++) {
        tamis_mixture_state_prior(s, &rng);
        statistics_of(s, prior + i * STATISTICS);
    }
    for (size_t i = 0; i < rounds; i++) {
        if (heat > 0) {
            data_draw(s, x, y, &rng);
            tamis_mixture_rows(m, x, y, NULL);
            tamis_mixture_state_settle(s);
        }
        tamis_mcmc_sweep(&target, 4, s, heat, scale, &rng, NULL);
        statistics_of(s, chain + i * STATISTICS);
    }
    for (size_t j = 0; j < STATISTICS; j++) {
        double a, b, ea, eb;
        batch_mean(rounds, prior + j, STATISTICS, &a, &ea);
        batch_mean(rounds, chain + j, STATISTICS, &b, &eb);
        double z = (a - b) / sqrt(ea * ea + eb * eb);
        if (loud) printf("  statistic %zu: prior %.4f chain %.4f z %.2f\n", j, a, b, z);
        worst = fmax(worst, fabs(z));
    }
    tamis_mixture_state_free(s);
    tamis_mixture_free(m);
    free(prior);
    return worst;
}

static void joint_distribution_is_kept(void **state)
{
    static const char *const names[] = {"conditional", "background"};
    static const char *const without[] = {"renew", "renew exchange carry", "renew drift",
                                          "renew exchange carry redraw rescale stretch kernel cross trade"};
    size_t rounds = is_long() ? 400000 : 12000 / SHORTER;
    for (int mode = 0; mode < 2; mode++)
        for (int on = 0; on < 2; on++)
            for (size_t i = 0; i < 4; i++) {
                if (i == 2 && (mode == TAMIS_CONDITIONAL || !on)) continue;
                int weights = i == 1 ? TAMIS_WEIGHTS_SHIFT : TAMIS_WEIGHTS_KEEP;
                double z = geweke(*state, mode, weights, on, without[i], rounds, 0);
                if (z >= 4) z = geweke(*state, mode, weights, on, without[i], CHANCE * rounds, 1);
                printf("%s, likelihood %s, without '%s': largest |z| of %d statistics %.2f\n", names[mode],
                       on ? "on" : "off", without[i], STATISTICS, z);
                assert_below(z, 4);
            }
}

static void joint_distribution_tells_the_printed_weights_apart(void **state)
{
    for (int mode = 0; mode < 2; mode++)
        for (int on = 0; on < 2; on++) {
            double z = geweke(*state, mode, TAMIS_WEIGHTS_AS_PRINTED, on, "renew exchange carry inherit",
                              24000 / SHORTER, 0);
            printf("eq. 4 as printed, likelihood %s: largest |z| %.2f\n", on ? "on" : "off", z);
            assert_above(z, (SHORTER > 1 ? 3 : 6));
        }
}

/* ---- checkpoints ---- */

static int restored(struct tamis_mcmc *m, const void *bytes, size_t n, uint64_t fingerprint)
{
    struct tamis_checkpoint c = tamis_mcmc_checkpoint(m, NULL, fingerprint);
    return tamis_checkpoint_restore(&c, bytes, n);
}

struct sampler { struct tamis_mixture *m; struct tamis_mcmc *run; };

static struct sampler sampler_new(tamis_context *cx)
{
    struct tamis_mcmc_settings set = {2, 3, 256, 300, 1, 3, 64, 5};
    struct tamis_mcmc_target target = tamis_mixture_target;
    struct sampler s = {brute_mixture(cx, TAMIS_BACKGROUND, TAMIS_WEIGHTS_KEEP), NULL};
    target.model = s.m;
    assert_int_equal(tamis_mixture_records_new(cx, s.m, 2, 300, 10), TAMIS_OK);
    s.run = tamis_mcmc_new(cx, &target, &set);
    assert_non_null(s.run);
    return s;
}

static void sampler_free(struct sampler *s)
{
    tamis_mcmc_free(s->run);
    tamis_mixture_free(s->m);
}

/* Ends early, at the end of a block, and saves. */
static void run_until(struct tamis_mcmc *run, size_t stop, const char *path, uint64_t fingerprint)
{
    size_t total = run->total;
    unlink(path);
    run->total = stop;
    assert_int_equal(tamis_mcmc_run(run, path, fingerprint), TAMIS_OK);
    run->total = total;
}

static void only_the_whole_state_is_restored(tamis_context *cx, struct tamis_mcmc *run, const char *path,
                                             uint64_t print)
{
    unsigned char *bytes = NULL;
    size_t n = 0;
    assert_int_equal(tamis_file_read(cx, path, &bytes, &n), TAMIS_OK);
    for (size_t k = 0; k < n; k += 1 + n / 100) {
        bytes[k] ^= 8;
        assert_int_not_equal(restored(run, bytes, n, print), TAMIS_OK);
        bytes[k] ^= 8;
        forget(cx);
    }
    assert_int_equal(restored(run, bytes, n, print + 1), TAMIS_USAGE);
    forget(cx);
    assert_int_equal(restored(run, bytes, n, print), TAMIS_OK);
    tamis_free(bytes);
}

static void same_records(const struct sampler *a, const struct sampler *b)
{
    const struct tamis_mixture_records *x = a->m->records, *y = b->m->records;
    assert_memory_equal(x->set, y->set, 600 * sizeof(uint64_t));
    assert_memory_equal(x->energy, y->energy, 600 * sizeof(double));
    assert_memory_equal(x->body, y->body, 2 * x->kept * x->length * sizeof(double));
    assert_memory_equal(a->run->heat, b->run->heat, 3 * sizeof(double));
}

/* A sampler saved in the middle of burn-in and in the middle of sampling continues with the same bits; damage is
 * refused. */
static void checkpoints_hold_the_whole_state(void **state)
{
    static const char path[] = "test_rjmcmc2.ckpt";
    for (size_t stop = 128; stop <= 384; stop += 256) {
        struct sampler s[2] = {sampler_new(*state), sampler_new(*state)};
        run_until(s[0].run, stop, path, 77);
        only_the_whole_state_is_restored(*state, s[1].run, path, 77);
        assert_int_equal(s[1].run->sweep, stop);
        unlink(path);
        for (int i = 0; i < 2; i++) assert_int_equal(tamis_mcmc_run(s[i].run, NULL, 0), TAMIS_OK);
        same_records(&s[0], &s[1]);
        for (int i = 0; i < 2; i++) sampler_free(&s[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(subset_posteriors_are_those_of_enumeration),
        TEST(published_moves_have_the_same_posterior),
        TEST(enumeration_tells_the_printed_weights_apart),
        TEST(joint_distribution_is_kept),
        TEST(joint_distribution_tells_the_printed_weights_apart),
        TEST(checkpoints_hold_the_whole_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
