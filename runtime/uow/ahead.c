/* Which records of a group a step mostly reads. */
#include "uow/ahead.h"

#include "uow/uow_internal.h"

#define SPANS (sizeof types / sizeof *types)

static const rec_type *const types[] = {&rec_instance_type, &rec_execution_type, &rec_variable_type,
                                        &rec_job_type, &rec_exclusive_type, &rec_history_instance_type};

void unit_read_ahead(unit *u, orr_id id) {
  uint64_t group = id >> ORR_LOCAL_BITS;
  store_span spans[SPANS];
  uint8_t bounds[SPANS][2][KEY_ID_SIZE];
  store_snapshot *snapshot = unit_snapshot(u, NULL);
  if (!snapshot || !store_is_far(snapshot) || group == 0 || group >= ORR_GROUP_MAX) return;
  for (size_t i = 0; i < SPANS; i++) {
    key_of_id(types[i]->tag, orr_id_make(group, 0), bounds[i][0]);
    key_of_id(types[i]->tag, orr_id_make(group + 1, 0), bounds[i][1]);
    spans[i] = (store_span){{bounds[i][0], KEY_ID_SIZE}, {bounds[i][1], KEY_ID_SIZE}};
  }
  store_read_ahead(snapshot, spans, SPANS);
}
