/* Records that a unit has made or changed and not deleted, by type, for finds. Once there are many
 * of a type, the records of a group (an instance, a definition) lie side by side, and a table says
 * where. So a unit that works through thousands of instances does not look at all of them to find
 * what belongs to one. The key of a record contains its group, which therefore never changes. */
#include "uow/uow_internal.h"

#define LIVE_FEW 32 /* so many are searched one by one */
#define RUNS_FIRST 64 /* slots, a power of two */

/* The records of a group, one behind the other in the list of their type. */
typedef struct live_run {
  uint64_t group;
  rec_head *first; /* NULL: none is left */
  bool taken;
} live_run;

struct live_runs {
  live_run *slots;
  uint32_t mask, used;
};

/* What belongs to no instance, such as the log of jobs of start timers, is grouped by the second
 * id. */
static uint64_t live_group(const rec_head *head) {
  orr_id id = key_read_id(head->key + 1);
  const rec_type *type = head->type;
  if (id == 0 && type->n_key > 1 && type->fields[1].type == REC_ID)
    id = key_read_id(head->key + KEY_ID_SIZE);
  return orr_id_group(id);
}

static live_run *find_run(const live_runs *runs, uint64_t group) {
  uint32_t at = (uint32_t)(group * UINT64_C(0x9E3779B97F4A7C15) >> 32) & runs->mask;
  while (runs->slots[at].taken && runs->slots[at].group != group) at = (at + 1) & runs->mask;
  return &runs->slots[at];
}

/* Keeps the table at most half full. False: out of memory. */
static bool grow_runs(unit *u, live_runs *runs) {
  if (runs->used * 2 <= runs->mask) return true;
  live_runs grown = {.mask = runs->mask * 2 + 1, .used = runs->used};
  grown.slots = ARENA_ARRAY(u->arena, live_run, (size_t)grown.mask + 1);
  if (!grown.slots) return false;
  for (uint32_t i = 0; i <= runs->mask; i++)
    if (runs->slots[i].taken) *find_run(&grown, runs->slots[i].group) = runs->slots[i];
  *runs = grown;
  return true;
}

/* The run of a record's group, which may be empty. NULL: this type has no table, or there is no
 * memory for it. */
static live_run *run_for(unit *u, const rec_head *head) {
  live_runs **runs = &u->runs[head->type->number];
  if (*runs && !grow_runs(u, *runs)) *runs = NULL;
  if (!*runs) return NULL;
  live_run *run = find_run(*runs, live_group(head));
  if (!run->taken) (*runs)->used++;
  run->taken = true;
  run->group = live_group(head);
  return run;
}

void live_add(unit *u, rec_head *head) {
  rec_head **first = &u->live[head->type->number];
  live_run *run = run_for(u, head);
  rec_head *next = run && run->first ? run->first : *first;
  head->next_live = next;
  head->prev_live = next ? next->prev_live : NULL;
  if (next) next->prev_live = head;
  if (head->prev_live) head->prev_live->next_live = head;
  else *first = head;
  if (run) run->first = head;
}

void live_remove(unit *u, rec_head *head) {
  rec_head *next = head->next_live;
  live_runs *runs = u->runs[head->type->number];
  live_run *run = runs ? find_run(runs, live_group(head)) : NULL;
  if (run && run->first == head) run->first = next && live_group(next) == run->group ? next : NULL;
  if (head->prev_live) head->prev_live->next_live = next;
  else u->live[head->type->number] = next;
  if (next) next->prev_live = head->prev_live;
}

static bool are_few(const rec_head *head) {
  for (int i = 0; i < LIVE_FEW && head; i++) head = head->next_live;
  return !head;
}

static void make_runs(unit *u, const rec_type *type) {
  live_runs *runs = ARENA_NEW(u->arena, live_runs);
  live_run *slots = ARENA_ARRAY(u->arena, live_run, RUNS_FIRST);
  if (!runs || !slots) return; /* all are searched one by one */
  *runs = (live_runs){.slots = slots, .mask = RUNS_FIRST - 1};
  rec_head *next, *head = u->live[type->number];
  u->live[type->number] = NULL;
  u->runs[type->number] = runs;
  for (; head; head = next) {
    next = head->next_live;
    live_add(u, head);
  }
}

live_walk live_all(const unit *u, const rec_type *type) {
  return (live_walk){.next = u->live[type->number]};
}

live_walk live_of_group(unit *u, const rec_type *type, uint64_t group) {
  if (!u->runs[type->number] && !are_few(u->live[type->number])) make_runs(u, type);
  const live_runs *runs = u->runs[type->number];
  if (!runs) return live_all(u, type);
  return (live_walk){.next = find_run(runs, group)->first, .group = group, .within = true};
}

rec_head *live_next(live_walk *walk) {
  rec_head *head = walk->next;
  if (!head || (walk->within && live_group(head) != walk->group)) return NULL;
  walk->next = head->next_live;
  return head;
}
