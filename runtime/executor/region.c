/* Regions as a pure function. */
#include "executor/region.h"

/* Pages that losers spread over, 2 to these powers. After a first loss already many: who goes on but a page behind another
 * has caught up with it a round later, and then both take the same jobs again. */
#define SPREAD_LEVEL_MIN 4
#define SPREAD_LEVEL_MAX 5

uint32_t region_next(region *r, const region_outcome *outcome, uint32_t rounds_max, uint64_t random) {
  if (r->away && (++r->rounds > rounds_max || (!outcome->filled && !outcome->lost))) {
    *r = (region){0};
    return 0;
  }
  if (!outcome->lost) return 0;
  r->away = true;
  uint32_t level = outcome->level <= 1 ? SPREAD_LEVEL_MIN : SPREAD_LEVEL_MAX;
  return (uint32_t)(random % (UINT64_C(1) << level));
}
