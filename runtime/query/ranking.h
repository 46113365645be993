/* The best of many in an order: what a list with `order_by` and `limit` keeps of the records that
 * fit.
 *
 * A heap of as many rows as are wanted, the worst on top. A row holds the record's key and the
 * values that it is ordered by, not the record. Rows live in an arena of their own, which is copied
 * into another when most of it belongs to dropped rows: where the best records come last, as for
 * the newest of all tasks, each is kept for a while. So memory depends on what is wanted, not on
 * what fits. */
#ifndef ORR_QUERY_RANKING_H
#define ORR_QUERY_RANKING_H

#include "query/filter.h"
#include "uow/find.h"

typedef struct ranking ranking;

/* For the first `wanted` (at least one) by the filter's order. NULL: c->error. */
ranking *ranking_new(context *c, const filter *f, size_t wanted);
/* A record that fits, lent or the unit's own. 0, or a code with c->error. */
int ranking_offer(ranking *r, rec_head *record);
/* The records, best first, as the unit's. */
int ranking_records(ranking *r, unit_found *out);
/* To be called once, whatever happened. What ranking_records gave stays valid. */
void ranking_free(ranking *r);

/* What a filter's order has of a record; the value may live in the record. */
int ranking_value(context *c, const filter_order *order, const rec_head *record, orr_value *out);
/* Compares by all orders. A missing value comes last, in either direction. 0: equal. */
int ranking_compare(const filter *f, const orr_value *a, const orr_value *b);

#endif
