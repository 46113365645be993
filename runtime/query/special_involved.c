/* Filter keys about people: who is, or was, linked to tasks and instances. For the past there are
 * the links of tasks in history, which the full level keeps. Below that level there are the
 * assignee and the owner, and the links of open tasks. */
#include <string.h>

#include "query/special.h"
#include "uow/find.h"

/* What a key asks of one link. */
typedef struct tie {
  bool candidate; /* of that type alone */
  bool group;     /* a group's name instead of a user's */
  bool any;       /* whatever name */
} tie;

static bool is_named(rec_text have, const filter_special *s) { return have.size && special_text_is(have, &s->value); }

static bool tie_fits(const tie *t, const filter_special *s, rec_text type, rec_text user, rec_text group) {
  rec_text name = t->group ? group : user;
  if (!name.size || (t->candidate && !rec_text_is(type, "candidate"))) return false;
  return t->any || special_text_is(name, &s->value);
}

/* Of an open task. */
static int tied_now(context *c, const filter_special *s, const tie *t, orr_id task, bool *out) {
  unit_found found;
  rec_key key = {.id = task};
  int rc = unit_find_keys(c->u, &rec_link_type, &key, 1, &found, &c->error);
  for (size_t i = 0; !rc && !*out && i < found.count; i++) {
    const rec_link *l = (const rec_link *)found.items[i];
    *out = tie_fits(t, s, l->type, l->user, l->group);
  }
  return rc;
}

/* Of one task of an instance in history; 0: of any. */
static int tied_ever(context *c, const filter_special *s, const tie *t, orr_id instance, orr_id task, bool *out) {
  unit_found found;
  rec_key keys[2] = {{.id = instance}, {.id = task}};
  int rc = unit_find_keys(c->u, &rec_history_link_type, keys, task ? 2 : 1, &found, &c->error);
  for (size_t i = 0; !rc && !*out && i < found.count; i++) {
    const rec_history_link *l = (const rec_history_link *)found.items[i];
    *out = tie_fits(t, s, l->type, l->user, l->group);
  }
  return rc;
}

/* ---- Tasks in history ------------------------------------------------------------------------ */

static int past_task_tied(context *c, const filter_special *s, const tie *t, const rec_head *r, bool *out) {
  const rec_history_task *row = (const rec_history_task *)r;
  *out = false;
  int rc = row->ended_at ? 0 : tied_now(c, s, t, row->id, out);
  return rc || *out ? rc : tied_ever(c, s, t, row->instance_id, row->id, out);
}

static int past_task_involved_user(context *c, const filter_special *s, const rec_head *r, bool *out) {
  const rec_history_task *row = (const rec_history_task *)r;
  *out = is_named(row->assignee, s) || is_named(row->owner, s);
  return *out ? 0 : past_task_tied(c, s, &(tie){0}, r, out);
}

static int past_task_involved_group(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return past_task_tied(c, s, &(tie){.group = true}, r, out);
}

static int past_task_had_candidate_user(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return past_task_tied(c, s, &(tie){.candidate = true}, r, out);
}

static int past_task_had_candidate_group(context *c, const filter_special *s, const rec_head *r, bool *out) {
  return past_task_tied(c, s, &(tie){.candidate = true, .group = true}, r, out);
}

static int past_task_with_candidate_groups(context *c, const filter_special *s, const rec_head *r, bool *out) {
  int rc = past_task_tied(c, s, &(tie){.candidate = true, .group = true, .any = true}, r, out);
  *out = *out == special_switch(s);
  return rc;
}

/* ---- Instances ------------------------------------------------------------------------------- */

static int has_task_of(context *c, const filter_special *s, uint64_t group, bool *out) {
  unit_found tasks;
  int rc = unit_find_group(c->u, &rec_task_type, group, &tasks, &c->error);
  for (size_t i = 0; !rc && !*out && i < tasks.count; i++) {
    const rec_task *t = (const rec_task *)tasks.items[i];
    *out = is_named(t->assignee, s) || is_named(t->owner, s);
    if (!*out) rc = tied_now(c, s, &(tie){0}, t->id, out);
  }
  return rc;
}

static int had_task_of(context *c, const filter_special *s, uint64_t group, bool *out) {
  unit_found tasks;
  int rc = unit_find_group(c->u, &rec_history_task_type, group, &tasks, &c->error);
  for (size_t i = 0; !rc && !*out && i < tasks.count; i++) {
    const rec_history_task *t = (const rec_history_task *)tasks.items[i];
    *out = is_named(t->assignee, s) || is_named(t->owner, s);
  }
  return rc;
}

/* Who started it, and who takes or took part in it. */
static int instance_involves(context *c, const filter_special *s, orr_id id, rec_text initiator, bool *out) {
  uint64_t group = orr_id_group(id);
  *out = is_named(initiator, s);
  int rc = *out ? 0 : has_task_of(c, s, group, out);
  if (!rc && !*out) rc = had_task_of(c, s, group, out);
  return rc || *out ? rc : tied_ever(c, s, &(tie){0}, id, 0, out);
}

static int instance_involved_user(context *c, const filter_special *s, const rec_head *r, bool *out) {
  const rec_instance *i = (const rec_instance *)r;
  return instance_involves(c, s, i->id, i->initiator, out);
}

static int past_instance_involved_user(context *c, const filter_special *s, const rec_head *r, bool *out) {
  const rec_history_instance *i = (const rec_history_instance *)r;
  return instance_involves(c, s, i->id, i->initiator, out);
}

const special specials_of_involvement[] = {
    {&rec_instance_type, "involved_user", TAKES_TEXT, instance_involved_user, NULL, NULL},
    {&rec_history_instance_type, "involved_user", TAKES_TEXT, past_instance_involved_user, NULL, NULL},
    {&rec_history_task_type, "involved_user", TAKES_TEXT, past_task_involved_user, NULL, NULL},
    {&rec_history_task_type, "involved_group", TAKES_TEXT, past_task_involved_group, NULL, NULL},
    {&rec_history_task_type, "had_candidate_user", TAKES_TEXT, past_task_had_candidate_user, NULL, NULL},
    {&rec_history_task_type, "had_candidate_group", TAKES_TEXT, past_task_had_candidate_group, NULL, NULL},
    {&rec_history_task_type, "with_candidate_groups", TAKES_SWITCH, past_task_with_candidate_groups, NULL, NULL},
    {0},
};
