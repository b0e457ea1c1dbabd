/* Runs in parts (base/shard.h): what the parts of a selection or comparison have in common. */
#ifndef TAMIS_PARTS_H
#define TAMIS_PARTS_H

#include "select/run.h"

/* At the beginning of a call, which `what` names; test may be NULL. Without parts it does nothing. In a part: notes
 * what it is of, and resumes from the checkpoint. Where parts are joined: TAMIS_DATA or TAMIS_USAGE if they are of
 * another call, or some are missing. */
int tamis_parts_begin(tamis_context *cx, const char *what, const tamis_table *data, const tamis_table *test,
                      const tamis_options *o);
/* Whether the call computes items of its part and has no result; then, at its end. */
int tamis_parts_only(const tamis_context *cx);
void tamis_parts_end(tamis_context *cx);

/* Whether the selection itself, of a prepared run, consists of items that processes can share. */
int tamis_parts_selection(struct tamis_run *run);
/* The loops over items of a prepared run, and nothing else; TAMIS_USAGE if it has none. */
int tamis_parts_run(struct tamis_run *run);

#endif
