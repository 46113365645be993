/* Regions as a pure function. */
#include "executor/region.h"

#define SPREAD_LEVEL_MAX 5 /* pages that losers spread over, at most: 2 to this power */

uint32_t region_next(region *r, const region_outcome *outcome, uint32_t rounds_max, uint64_t random) {
  if (r->away && (++r->rounds > rounds_max || (!outcome->filled && !outcome->lost))) {
    *r = (region){0};
    return 0;
  }
  if (!outcome->lost) return 0;
  r->away = true;
  uint32_t level = outcome->level < SPREAD_LEVEL_MAX ? outcome->level : SPREAD_LEVEL_MAX;
  return (uint32_t)(random % (UINT64_C(1) << level));
}
