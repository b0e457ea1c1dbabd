/* The reader of checkpoints of searches: whatever it accepts must be a state from which the search can continue. The
 * first byte chooses the search and the version of the format; the fingerprint is right. */
#include "fuzz.h"
#include "search/searches.h"

enum { INPUTS = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static uint8_t fields[1 << 20] = {7};               /* the fingerprint, 8 bytes */
    static struct tamis_walk *walk[2];
    static struct tamis_feature input[INPUTS];
    static struct tamis_encoder e = {.inputs = INPUTS, .columns = INPUTS, .input = input};
    static struct tamis_design d = {.rows = 5, .inputs = INPUTS, .columns = INPUTS, .encoder = &e};
    if (!n || n > sizeof fields - 8) return 0;
    tamis_context *cx = fuzz_context();
    struct tamis_walk **r = &walk[data[0] % 2];
    size_t length;
    unsigned char set[INPUTS];
    memcpy(fields + 8, data + 1, n - 1);
    unsigned char *whole = fuzz_packed("CKPT", data[0] / 2 % 4, fields, n + 7, &length);
    if (!*r) *r = tamis_walk_new(cx, &d, NULL, NULL, data[0] % 2 ? &tamis_forward : &tamis_eliminate, NULL);
    struct tamis_checkpoint c = tamis_walk_checkpoint(*r, NULL, 7);
    if (tamis_checkpoint_restore(&c, whole, length)) check(*tamis_error(cx));
    else if (tamis_walk_size(*r) <= INPUTS)
        for (size_t k = 0; k < (*r)->moves && k < 100; k++) tamis_walk_set_at(*r, k, set);
    return 0;
}

FUZZ_MUTATOR(fuzz_mutate_fields)
