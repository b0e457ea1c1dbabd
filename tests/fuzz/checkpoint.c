/* The reader of checkpoints: whatever it accepts must be a state from which the search can continue. */
#include "packed.h"
#include "search/searches.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tamis_context *cx = tamis_context_new();
    struct tamis_design d = {.rows = 5, .inputs = 6, .columns = 6};
    struct tamis_walk *r = tamis_walk_new(cx, &d, NULL, NULL, n % 2 ? &tamis_forward : &tamis_eliminate, NULL);
    size_t length;
    unsigned char *whole = packed(cx, "CKPT", data, n, &length), set[6];
    struct tamis_checkpoint c = {0};
    if (r) c = tamis_walk_checkpoint(r, NULL, 7);
    if (r && !tamis_checkpoint_restore(&c, whole, length) && tamis_walk_size(r) <= 6)
        for (size_t k = 0; k < r->moves && k < 100; k++) tamis_walk_set_at(r, k, set);
    free(whole);
    tamis_walk_free(r);
    tamis_context_free(cx);
    return 0;
}
