/* Fills the evidence of a result, part by part. */
#include "evidence/evidence.h"

int tamis_evidence_fill(struct tamis_run *run)
{
    tamis_value *v = run->result->evidence = tamis_record_new(run->cx);
    int status = tamis_evidence_table(run->cx, run->data, run->test_table, v);
    if (!status) status = tamis_evidence_unseen(run, v);
    if (!status && run->result->model && run->result->selected) status = tamis_evidence_shapes(run, v);
    if (!status) status = tamis_evidence_likeness(run, v);
    return status ? status : tamis_status(run->cx);
}
