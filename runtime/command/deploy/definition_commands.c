/* Who may start a definition, beyond what its model says. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/null.h"
#include "command/lookup.h"
#include "command/operations.h"

typedef struct starter_call {
  orr_id definition;
  const char *type, *user, *group;
  bool add;
} starter_call;

static int check_starter(context *c, const starter_call *call) {
  if (!call->type || strcmp(call->type, "candidate") != 0)
    return context_error(c, ORR_E_ARGUMENT, "a definition's links are of type \"candidate\": who may start it");
  bool user = call->user && *call->user, group = call->group && *call->group;
  return user != group ? 0 : context_error(c, ORR_E_ARGUMENT, "a link needs a user or a group, and not both");
}

static size_t place_of_name(rec_texts names, const char *name) {
  size_t at = 0;
  while (at < names.count && !rec_text_is(names.items[at], name)) at++;
  return at;
}

/* The list with the name behind it, or without the one at `at`; the record's own is shared with whoever read it. */
static int change_names(context *c, const starter_call *call, const char *name, size_t at, rec_texts *names) {
  if (call->add && names->count == ORR_STARTERS_MAX)
    return context_error(c, ORR_E_LIMIT, "definition %" PRIu64 " names %d who may start it; it can have no more",
                         call->definition, ORR_STARTERS_MAX);
  rec_text *items = ARENA_ARRAY(c->arena, rec_text, names->count + 1);
  if (!items) return context_memory(c);
  size_t kept = 0;
  for (size_t i = 0; i < names->count; i++)
    if (call->add || i != at) items[kept++] = names->items[i];
  if (call->add) items[kept++] = unit_textz(c->u, name);
  *names = (rec_texts){.items = items, .count = kept};
  return 0;
}

static int log_starter(context *c, const rec_definition *d, const starter_call *call, const char *name) {
  static const char *const types[2][2] = {{"DeleteGroupLink", "DeleteUserLink"}, {"AddGroupLink", "AddUserLink"}};
  user_operation what = operation_on_definition(d, types[call->add][call->user && *call->user]);
  what.entity = "IdentityLink";
  return user_operation_texts(c, &what, call->type, call->add ? NULL : name, call->add ? name : NULL);
}

/* Adding what is there, or removing what is not, does nothing. */
static int starter_body(context *c, void *ud) {
  const starter_call *call = ud;
  int rc = check_starter(c, call);
  rec_definition *d = rc ? NULL : lookup_definition(c, call->definition);
  if (!d) return c->error.code;
  bool user = call->user && *call->user;
  const char *name = user ? call->user : call->group;
  rec_texts names = user ? d->starter_users : d->starter_groups;
  size_t at = place_of_name(names, name);
  if (call->add == (at < names.count)) return 0;
  rc = change_names(c, call, name, at, &names);
  if (rc || context_touch(c, d)) return c->error.code;
  if (user) d->starter_users = names;
  else d->starter_groups = names;
  return log_starter(c, d, call, name);
}

int orr_engine_definition_add_link(orr_engine *engine, orr_id id, const char *type, const char *user, const char *group,
                                   orr_error *err) {
  REQUIRE(type);
  return command_run(engine, starter_body, &(starter_call){id, type, user, group, true}, err);
}

int orr_engine_definition_remove_link(orr_engine *engine, orr_id id, const char *type, const char *user,
                                      const char *group, orr_error *err) {
  REQUIRE(type);
  return command_run(engine, starter_body, &(starter_call){id, type, user, group, false}, err);
}
