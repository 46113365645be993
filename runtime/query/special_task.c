/* Filter keys of user tasks. */
#include "query/special.h"

#include "base/value.h"
#include "engine/engine.h"
#include "uow/find.h"
#include "uow/rows.h"

static int task_assigned(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  *out = special_switch(s) == (((const rec_task *)r)->assignee.size > 0);
  return 0;
}

static int task_unassigned(context *c, const filter_special *s, const rec_head *r, bool *out) {
  (void)c;
  *out = special_switch(s) == (((const rec_task *)r)->assignee.size == 0);
  return 0;
}

/* ---- Links ----------------------------------------------------------------------------------- */

static int links_of(context *c, const rec_head *task, unit_found *out) {
  rec_key key = {.id = ((const rec_task *)task)->id};
  return unit_find_keys(c->u, &rec_link_type, &key, 1, out, &c->error);
}

static bool is_candidate(const rec_link *l) { return rec_text_is(l->type, "candidate"); }

/* Candidates are offered a task, so a task that somebody has taken is hidden, unless
 * include_assigned is set. */
static bool hidden_as_assigned(const filter_special *s, const rec_head *task) {
  return ((const rec_task *)task)->assignee.size > 0 && !filter_switched_on(s->group, "include_assigned");
}

/* Does a link of a task that shows to candidates fit? */
static int candidates_fit(context *c, const filter_special *s, const rec_head *r,
                          bool (*fits)(const filter_special *s, const rec_link *l), bool *out) {
  unit_found found;
  *out = false;
  if (hidden_as_assigned(s, r)) return 0;
  int rc = links_of(c, r, &found);
  for (size_t i = 0; i < found.count && !rc && !*out; i++) {
    const rec_link *l = (const rec_link *)found.items[i];
    *out = is_candidate(l) && fits(s, l);
  }
  return rc;
}

static bool is_user_or_in_group(const filter_special *s, const rec_link *l) {
  if (l->user.size) return special_text_is(l->user, &s->value);
  return l->group.size && special_text_among(l->group, &s->prepared);
}

static bool is_group(const filter_special *s, const rec_link *l) {
  return l->group.size && special_text_is(l->group, &s->value);
}
static bool is_among_groups(const filter_special *s, const rec_link *l) {
  return l->group.size && special_text_among(l->group, &s->value);
}
static bool is_like_group(const filter_special *s, const rec_link *l) {
  return l->group.size && like_matches(l->group.data, l->group.size, s->value.as.bytes, s->value.size);
}

static int task_candidate_user(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return candidates_fit(c, s, r, is_user_or_in_group, out);
}

static int task_candidate_group(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return candidates_fit(c, s, r, is_group, out);
}

static int task_candidate_groups(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return candidates_fit(c, s, r, is_among_groups, out);
}

static int task_candidate_group_like(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return candidates_fit(c, s, r, is_like_group, out);
}

static int has_candidates(context *c, const filter_special *s, const rec_head *r, bool groups, bool *out) {
  unit_found found;
  int rc = links_of(c, r, &found);
  bool any = false;
  for (size_t i = 0; i < found.count && !rc && !any; i++) {
    const rec_link *l = (const rec_link *)found.items[i];
    any = is_candidate(l) && (groups ? l->group.size : l->user.size) > 0;
  }
  *out = any == special_switch(s);
  return rc;
}

static int task_with_candidate_groups(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return has_candidates(c, s, r, true, out);
}

static int task_with_candidate_users(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return has_candidates(c, s, r, false, out);
}

static int task_involved_user(context *c, const filter_special *s, const rec_head *r, bool *out) {
  const rec_task *t = (const rec_task *)r;
  unit_found found;
  *out = s->value.size && (special_text_is(t->assignee, &s->value) || special_text_is(t->owner, &s->value));
  int rc = *out ? 0 : links_of(c, r, &found);
  for (size_t i = 0; !*out && !rc && i < found.count; i++) {
    const rec_link *l = (const rec_link *)found.items[i];
    *out = l->user.size && special_text_is(l->user, &s->value);
  }
  return rc;
}

/* ---- Narrowing ------------------------------------------------------------------------------- */

static int add_task(context *c, orr_id id, unit_found *out, size_t *capacity) {
  rec_task *t = unit_task(c->u, id, &c->error);
  if (!t) return c->error.code;
  if (!ARENA_ROOM(c->arena, out->items, out->count, *capacity, 16)) return context_memory(c);
  out->items[out->count++] = &t->head;
  return 0;
}

static int add_linked(context *c, enum rec_index index, const orr_value *name, unit_found *out, size_t *capacity) {
  unit_found found = {0};
  unit_rows rows;
  rec_key key = {.text = special_text(name)};
  if (!key.text.size) return 0; /* no link has an empty name */
  int rc = unit_find_index(c->u, index, &key, 1, 0, &found, &c->error);
  unit_rows_of(&rows, c->u, &found);
  for (size_t i = 0; !rc && i < found.count; i++) {
    unit_rows_at(&rows, i);
    rc = add_task(c, ((const rec_link *)found.items[i])->task_id, out, capacity);
  }
  unit_rows_end(&rows);
  return rc;
}

static int add_linked_groups(context *c, const orr_value *groups, unit_found *out, size_t *capacity) {
  orr_iterator i = orr_iterate(groups);
  orr_value group;
  int rc = 0;
  while (!rc && orr_next(&i, NULL, &group)) rc = add_linked(c, REC_INDEX_LINK_GROUP, &group, out, capacity);
  return rc;
}

static int find_by_group(context *c, const filter_special *s, unit_found *out) {
  size_t capacity = 0;
  *out = (unit_found){0};
  return add_linked(c, REC_INDEX_LINK_GROUP, &s->value, out, &capacity);
}

static int find_by_groups(context *c, const filter_special *s, unit_found *out) {
  size_t capacity = 0;
  *out = (unit_found){0};
  return add_linked_groups(c, &s->value, out, &capacity);
}

static int find_by_candidate(context *c, const filter_special *s, unit_found *out) {
  size_t capacity = 0;
  *out = (unit_found){0};
  int rc = add_linked(c, REC_INDEX_LINK_USER, &s->value, out, &capacity);
  return rc ? rc : add_linked_groups(c, &s->prepared, out, &capacity);
}

const special specials_of_tasks[] = {
    {&rec_task_type, "active", TAKES_SWITCH, special_active, NULL, NULL},
    {&rec_task_type, "assigned", TAKES_SWITCH, task_assigned, NULL, NULL},
    {&rec_task_type, "unassigned", TAKES_SWITCH, task_unassigned, NULL, NULL},
    {&rec_task_type, "candidate_user", TAKES_TEXT, task_candidate_user, find_by_candidate, special_prepare_groups},
    {&rec_task_type, "candidate_group", TAKES_TEXT, task_candidate_group, find_by_group, NULL},
    {&rec_task_type, "candidate_groups", TAKES_TEXTS, task_candidate_groups, find_by_groups, NULL},
    {&rec_task_type, "candidate_group_like", TAKES_TEXT, task_candidate_group_like, NULL, NULL},
    {&rec_task_type, "with_candidate_groups", TAKES_SWITCH, task_with_candidate_groups, NULL, NULL},
    {&rec_task_type, "with_candidate_users", TAKES_SWITCH, task_with_candidate_users, NULL, NULL},
    {&rec_task_type, "include_assigned", TAKES_SWITCH, special_fits_always, NULL, NULL},
    {&rec_task_type, "involved_user", TAKES_TEXT, task_involved_user, NULL, NULL},
    {0},
};
