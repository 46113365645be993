/* The vendors of a model: counting their marks, and choosing a dialect. */
#include "model/parse/vendors.h"

#include <orrery.h>

enum { VENDORS = VENDOR_ORRERY + 1 };

typedef struct vendor_marks {
  uint32_t used[VENDORS];   /* attributes and elements */
  bool declared[VENDORS];
  const char *ns[VENDORS];  /* the first namespace of the vendor's that is used or else declared */
} vendor_marks;

/* ---- The dialect ----------------------------------------------------------------------------- */

static void count_use(vendor_marks *marks, const char *ns) {
  vendor v = vendor_of(ns);
  if (!marks->used[v]++) marks->ns[v] = ns;
}

/* ORR_XML_DEPTH_MAX deep at most. */
static void count_marks(vendor_marks *marks, const xml_element *e) {
  count_use(marks, e->ns);
  for (uint32_t i = 0; i < e->n_attributes; i++) count_use(marks, e->attributes[i].ns);
  for (uint32_t i = 0; i < e->n_prefixes; i++) {
    vendor v = vendor_of(e->prefixes[i].value);
    marks->declared[v] = true;
    if (!marks->ns[v]) marks->ns[v] = e->prefixes[i].value;
  }
  for (const xml_element *child = e->first; child; child = child->next) count_marks(marks, child);
}

static const dialect *dialect_of(vendor v) {
  return v == VENDOR_CAMUNDA ? &dialect_camunda : v == VENDOR_FLOWABLE ? &dialect_flowable : &dialect_orrery;
}

static vendor most_used(const vendor_marks *marks) {
  uint32_t camunda = marks->used[VENDOR_CAMUNDA], flowable = marks->used[VENDOR_FLOWABLE];
  if (camunda && camunda >= flowable) return VENDOR_CAMUNDA;
  if (flowable) return VENDOR_FLOWABLE;
  return marks->used[VENDOR_ORRERY] ? VENDOR_ORRERY : VENDOR_NONE;
}

/* The only vendor that is declared; `*several` when there are more. */
static vendor declared_alone(const vendor_marks *marks, bool *several) {
  vendor found = VENDOR_NONE;
  *several = false;
  for (int v = VENDOR_NONE + 1; v < VENDORS; v++) {
    if (!marks->declared[v]) continue;
    if (found) *several = true;
    found = (vendor)v;
  }
  return *several ? VENDOR_NONE : found;
}

static const char *say_both(orr_arena *arena, const vendor_marks *marks, vendor chosen) {
  unsigned camunda = marks->used[VENDOR_CAMUNDA], flowable = marks->used[VENDOR_FLOWABLE];
  if (chosen == VENDOR_CAMUNDA)
    return arena_printf(arena, "it uses Camunda's attributes and elements as much as Flowable's, or more (%u, %u)", camunda,
                        flowable);
  return arena_printf(arena, "it uses more of Flowable's attributes and elements than of Camunda's (%u, %u)", flowable,
                      camunda);
}

static dialect_choice choose_by_marks(const vendor_marks *marks, orr_arena *arena) {
  vendor used = most_used(marks);
  if (used && marks->used[VENDOR_CAMUNDA] && marks->used[VENDOR_FLOWABLE])
    return (dialect_choice){dialect_of(used), say_both(arena, marks, used)};
  if (used) return (dialect_choice){dialect_of(used), arena_printf(arena, "it uses %s", marks->ns[used])};
  bool several;
  vendor declared = declared_alone(marks, &several);
  if (declared)
    return (dialect_choice){
        dialect_of(declared),
        arena_printf(arena, "of all vendors it declares %s alone, though it uses nothing of it", marks->ns[declared])};
  return (dialect_choice){&dialect_orrery, several ? "it declares several vendors, and uses none of them"
                                                   : "it names no vendor"};
}

dialect_choice dialect_choose(int wanted, const xml_element *root, orr_arena *arena) {
  static const dialect *const BY_OPTION[] = {
    [ORR_DIALECT_CAMUNDA] = &dialect_camunda,
    [ORR_DIALECT_FLOWABLE] = &dialect_flowable,
    [ORR_DIALECT_ORRERY] = &dialect_orrery,
  };
  if (wanted != ORR_DIALECT_AUTO) return (dialect_choice){BY_OPTION[wanted], "the option `dialect` says so"};
  vendor_marks marks = {0};
  count_marks(&marks, root);
  return choose_by_marks(&marks, arena);
}
