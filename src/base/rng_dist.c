/* Random draws by rejection.
 *
 * Normal: the ziggurat of [1]; the layer and the position in it come from different bits of one draw, as [2] demands.
 * Gamma: [3]. Gamma above a point far in its tail: an exponential envelope with the rate of highest acceptance [4].
 *
 * [1] G. Marsaglia, W. W. Tsang, The ziggurat method for generating random variables, J. Stat. Softw. 5(8), 2000.
 * [2] J. A. Doornik, An improved ziggurat method to generate normal random samples, 2005.
 * [3] G. Marsaglia, W. W. Tsang, A simple method for generating gamma variables, ACM TOMS 26, 2000.
 * [4] J. S. Dagpunar, Sampling of variates from a truncated gamma distribution, J. Statist. Comput. Simul. 8, 1978. */
#include <float.h>
#include <math.h>
#include "base/rng_dist.h"

/* Right ends of the layers, from the top: x_(i+1) (exp(-x_i^2 / 2) - exp(-x_(i+1)^2 / 2)) is the same for all layers,
 * and equals the area below the last but one including the tail; the last end makes a rectangle of that area. */
const double tamis_ziggurat_edge[TAMIS_ZIGGURAT_LAYERS + 1] = {
    0, 0.27232086470466382, 0.36287143102841829, 0.42654798630330515, 0.47743783725378786, 0.52065603872514488,
    0.55869217837551799, 0.592962942441978, 0.62435859730908827, 0.65347863871504241, 0.68074791864590423,
    0.70647961131360804, 0.73091191062188132, 0.75423066443451003, 0.77658398787614835, 0.7980920606262748,
    0.8188539066833177, 0.83895221428120748, 0.85845684317805082, 0.87742742909771565, 0.89591535256623855,
    0.91396525100880177, 0.93161619660135386, 0.94890262549791193, 0.96585507938813064, 0.98250080350276037,
    0.99886423348064346, 1.0149673952392995, 1.0308302360564556, 1.0464709007525803, 1.0619059636836194,
    1.0771506248819376, 1.0922188768965537, 1.1071236475235353, 1.121876922572254, 1.1364898520030755,
    1.150972842138976, 1.1653356361550469, 1.1795873846544607, 1.1937367078237722, 1.2077917504067577,
    1.2217602305309625, 1.2356494832544811, 1.2494664995643336, 1.2632179614460282, 1.2769102735516997,
    1.2905495919178731, 1.3041418501204216, 1.317692783201343, 1.3312079496576765, 1.344692751745713,
    1.3581524543224228, 1.3715922024197322, 1.3850170377251487, 1.3984319141236063, 1.4118417124397602,
    1.4252512545068616, 1.4386653166774612, 1.4520886428822164, 1.4655259573357946, 1.4789819769830979,
    1.4924614237746154, 1.5059690368565504, 1.5195095847593707, 1.5330878776675561, 1.5467087798535035,
    1.5603772223598407, 1.5740982160167498, 1.5878768648844006, 1.601718380215277, 1.6156280950371329,
    1.6296114794646783, 1.6436741568569826, 1.6578219209482075, 1.6720607540918522, 1.6863968467734862,
    1.7008366185643009, 1.7153867407081165, 1.7300541605582436, 1.7448461281083765, 1.759770224894232,
    1.7748343955807693, 1.790046982594619, 1.8054167642140488, 1.8209529965910052, 1.8366654602533841,
    1.8525645117230871, 1.8686611409895419, 1.8849670357028692, 1.9014946531003176, 1.9182573008597321,
    1.9352692282919002, 1.9525457295488888, 1.9701032608497133, 1.9879595741230607, 2.0061338699589668,
    2.024646973372934, 2.0435215366506694, 2.0627822745039635, 2.0824562379877247, 2.1025731351849988,
    2.1231657086697902, 2.1442701823562613, 2.1659267937448408, 2.1881804320720204, 2.2110814088747279,
    2.2346863955870568, 2.2590595738653296, 2.2842740596736566, 2.310413683695002, 2.3375752413355309,
    2.3658713701139877, 2.3954342780074676, 2.4264206455302118, 2.4590181774083502, 2.4934545220919508,
    2.5300096723854666, 2.5690336259216391, 2.6109722484286131, 2.6564064112581924, 2.7061135731187225,
    2.7611693723841539, 2.8231253505459666, 2.8943440070186708, 2.9786962526450171, 3.0832288582142136,
    3.2230849845786187, 3.4426198558966523, 3.7130862467403634};

static const double *const edge = tamis_ziggurat_edge;
enum { LAYERS = TAMIS_ZIGGURAT_LAYERS };

/* Beyond the last layer */
static double normal_tail(struct tamis_rng *r)
{
    double x, y, from = edge[LAYERS - 1];
    do {
        x = tamis_rng_exponential(r) / from;
        y = tamis_rng_exponential(r);
    } while (2 * y < x * x);
    return from + x;
}

/* x of layer i where it is not certain to be below the curve: one draw in eighty. */
static __attribute__((noinline)) double normal_edge(struct tamis_rng *r, size_t i, double x)
{
    if (i == LAYERS - 1) return copysign(normal_tail(r), x);
    double low = exp(-0.5 * edge[i + 1] * edge[i + 1]), top = exp(-0.5 * edge[i] * edge[i]);
    return low + tamis_rng_uniform(r) * (top - low) < exp(-0.5 * x * x) ? x : tamis_rng_ziggurat(r);
}

double tamis_rng_ziggurat(struct tamis_rng *r)
{
    uint64_t bits = tamis_rng_words(r);
    size_t i = bits % LAYERS;
    double x = ((double)((int64_t)bits >> 11) + 0.5) * 0x1p-52 * edge[i + 1];
    return fabs(x) < edge[i] ? x : normal_edge(r, i, x);
}

double tamis_rng_exponential(struct tamis_rng *r) { return -log(tamis_rng_uniform(r)); }

double tamis_rng_gamma(struct tamis_rng *r, double shape)
{
    double boost = shape < 1 ? pow(tamis_rng_uniform(r), 1 / shape) : 1;        /* Ga(a) = Ga(a + 1) U^(1/a) */
    double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = tamis_rng_ziggurat(r), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        double u = tamis_rng_uniform(r), x2 = x * x;
        if (u < 1 - 0.0331 * x2 * x2 || log(u) < 0.5 * x2 + d * (1 - v + log(v))) return d * v * boost;
    }
}

/* x^(a-1) exp(-x) on x > c under the envelope exp(-rate x); the ratio peaks at x = (a - 1) / (1 - rate) or at c. */
static double gamma_tail(struct tamis_rng *r, double a, double c)
{
    double rate = a > 1 ? (c - a + sqrt((c - a) * (c - a) + 4 * c)) / (2 * c) : 1;
    double top = a > 1 && rate < 1 ? fmax(c, (a - 1) / (1 - rate)) : c;
    for (;;) {
        double x = c + tamis_rng_exponential(r) / rate;
        if (log(tamis_rng_uniform(r)) <= (a - 1) * log(x / top) - (1 - rate) * (x - top)) return x;
    }
}

double tamis_rng_gamma_above(struct tamis_rng *r, double shape, double least)
{
    double x;
    if (least > shape) return gamma_tail(r, shape, least);
    do x = tamis_rng_gamma(r, shape);
    while (x < least);
    return x;
}

double tamis_rng_beta(struct tamis_rng *r, double a, double b)
{
    double x = tamis_rng_gamma(r, a), y = tamis_rng_gamma(r, b);
    return x / (x + y);
}

void tamis_rng_dirichlet(struct tamis_rng *r, size_t n, double prior, const double *count, double *out)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += out[i] = fmax(tamis_rng_gamma(r, prior + (count ? count[i] : 0)), DBL_MIN);
    for (size_t i = 0; i < n; i++) out[i] = fmax(out[i] / sum, DBL_MIN);
}

size_t tamis_rng_categorical(struct tamis_rng *r, size_t n, const double *weight)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += weight[i];
    double u = sum * tamis_rng_uniform(r);
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (weight[i] <= 0) continue;
        last = i;
        if (u < weight[i]) return i;
        u -= weight[i];
    }
    return last;
}
