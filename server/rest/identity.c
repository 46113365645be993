/* Users and groups of the server's file, and what their roles allow: what front ends ask for when somebody logs in. */
#include <string.h>

#include "rest_table.h"
#include "server/auth/auth.h"
#include "server/mapping/operation.h"
#include "server/mapping/records.h"
#include "server/server_internal.h"

/* ---- Groups ----------------------------------------------------------------------------------- */

/* A name within a list of names between commas. */
typedef struct group_name {
  const char *text;
  size_t size;
} group_name;

/* The next group of a list; false: that was the last. */
static bool group_next(const char **at, group_name *out) {
  if (!**at) return false;
  *out = (group_name){*at, strcspn(*at, ",")};
  *at += out->size + ((*at)[out->size] == ',');
  return true;
}

static bool groups_hold(const char *groups, const group_name *wanted) {
  group_name one;
  while (group_next(&groups, &one))
    if (one.size == wanted->size && memcmp(one.text, wanted->text, one.size) == 0) return true;
  return false;
}

/* Has a user before `user` the group, too? Then it is listed already. */
static bool group_listed(const request *q, size_t user, const char *from, const group_name *group) {
  const account *u;
  for (size_t i = 0; i < user && (u = auth_user(q->server->auth, i)); i++)
    if (groups_hold(u->groups, group)) return true;
  const char *at = auth_user(q->server->auth, user)->groups;
  for (group_name one; at < from && group_next(&at, &one);)
    if (one.size == group->size && memcmp(one.text, group->text, one.size) == 0) return true;
  return false;
}

/* What a client asks of groups, in the query string or in a body; NULL: anything. */
typedef struct groups_wanted {
  const char *id, *name, *like, *member;
  bool none; /* it asks for what no group has */
  const json_t *ids;
  const char *id_list;
  int64_t first, most; /* of them are written */
} groups_wanted;

static const char *given_text(request *q, const char *name) {
  const char *text = request_argument(q, name);
  return text ? text : body_text(q, name);
}

static bool name_is(const group_name *group, const char *text) {
  return !text || (strlen(text) == group->size && memcmp(text, group->text, group->size) == 0);
}

/* SQL's LIKE: % any run, _ any one byte. A pattern of NULL is anything. */
static bool name_is_like(const char *text, size_t size, const char *pattern) {
  const char *star = NULL;
  size_t at = 0, mark = 0;
  while (pattern && at < size) {
    if (*pattern == '%') {
      star = ++pattern;
      mark = at;
    } else if (*pattern && (*pattern == '_' || *pattern == text[at])) {
      pattern++, at++;
    } else if (star) { /* let the last % take one more */
      pattern = star;
      at = ++mark;
    } else {
      return false;
    }
  }
  return !pattern || !pattern[strspn(pattern, "%")];
}

static bool identity_group_wanted(const groups_wanted *w, const account *of, const group_name *group) {
  bool listed = json_array_size(w->ids) == 0 && !w->id_list; /* an empty list asks for nothing */
  if (w->id_list) listed = groups_hold(w->id_list, group);
  for (size_t i = 0; !listed && i < json_array_size(w->ids); i++)
    listed = name_is(group, json_string_value(json_array_get(w->ids, i)));
  return !w->none && listed && name_is(group, w->id) && name_is(group, w->name) &&
         name_is_like(group->text, group->size, w->like) &&
         (!w->member || strcmp(w->member, of->name) == 0);
}

static void group_write_names(json_out *out, const group_name *group) {
  out_key(out, "id");
  out_bytes(out, group->text, group->size);
  out_key(out, "name");
  out_bytes(out, group->text, group->size);
}

static void group_write(json_out *out, const group_name *group) {
  out_open(out, '{');
  group_write_names(out, group);
  out_put_null(out, "type");
  out_close(out, '}');
}

/* Counts the groups that are wanted, and writes them where `out` is given. A member's groups are its own, each once. */
static int64_t groups_each(request *q, const groups_wanted *w, json_out *out) {
  const account *u;
  int64_t n = 0;
  for (size_t i = 0; (u = auth_user(q->server->auth, i)); i++) {
    const char *at = u->groups, *from = at;
    for (group_name one; group_next(&at, &one); from = at) {
      if (!identity_group_wanted(w, u, &one) || (!w->member && group_listed(q, i, from, &one))) continue;
      if (out && n >= w->first && n - w->first < w->most) group_write(out, &one);
      n++;
    }
  }
  return n;
}

static bool groups_read(request *q, groups_wanted *out) {
  *out = (groups_wanted){.id = given_text(q, "id"),
                         .name = given_text(q, "name"),
                         .like = given_text(q, "nameLike"),
                         .member = given_text(q, "member"),
                         .ids = body_member(q, "idIn"),
                         .id_list = request_argument(q, "idIn")};
  out->none = given_text(q, "type") || given_text(q, "memberOfTenant");
  return !q->status && rest_page(q, &out->first, &out->most);
}

int rest_groups(request *q) {
  groups_wanted wanted;
  if (!groups_read(q, &wanted)) return q->status;
  out_open(&q->out, '[');
  groups_each(q, &wanted, &q->out);
  out_close(&q->out, ']');
  return request_done(q);
}

int rest_groups_count(request *q) {
  groups_wanted wanted;
  if (!groups_read(q, &wanted)) return q->status;
  out_open(&q->out, '{');
  out_put_int(&q->out, "count", groups_each(q, &wanted, NULL));
  out_close(&q->out, '}');
  return request_done(q);
}

int rest_group_get(request *q) {
  groups_wanted wanted = {.id = q->path[0], .most = 1};
  return groups_each(q, &wanted, &q->out) > 0 ? request_done(q) : rest_missing(q);
}

/* ---- Users ------------------------------------------------------------------------------------ */

static void user_write(request *q, const account *u) {
  out_open(&q->out, '{');
  out_put_text(&q->out, "id", u->name);
  out_put_text(&q->out, "firstName", u->name);
  out_put_text(&q->out, "lastName", "");
  out_put_null(&q->out, "email");
  out_close(&q->out, '}');
}

static bool argument_is(const request *q, const char *name, const char *text) {
  const char *given = request_argument(q, name);
  return !given || strcmp(given, text) == 0;
}

static bool argument_is_like(const request *q, const char *name, const char *text) {
  return name_is_like(text, strlen(text), request_argument(q, name));
}

/* A name within a list of names between commas. */
static bool argument_lists(const request *q, const char *name, const char *text) {
  const char *given = request_argument(q, name);
  return !given || groups_hold(given, &(group_name){text, strlen(text)});
}

static bool text_among(const orr_value *list, const char *text, size_t size) {
  orr_iterator i = orr_iterate(list);
  orr_value one;
  while (orr_next(&i, NULL, &one))
    if (one.type == ORR_STRING && one.size == size && memcmp(one.as.bytes, text, size) == 0)
      return true;
  return false;
}

/* Does the model name the user, or a group of it, as one who may start the process? */
static bool starts_process(request *q, const account *u, const char *id) {
  const orr_records *d = records_definition(q, id_of_text(id));
  if (!d) return false;
  orr_value users = orr_records_get(d, 0, "starter_users"),
            groups = orr_records_get(d, 0, "starter_groups");
  bool found = text_among(&users, u->name, strlen(u->name));
  const char *at = u->groups;
  for (group_name one; !found && group_next(&at, &one);)
    found = text_among(&groups, one.text, one.size);
  return found;
}

/* A user is no more than a name and groups. */
static bool user_wanted(request *q, const account *u) {
  const char *group = request_argument(q, "memberOfGroup"),
             *process = request_argument(q, "potentialStarter");
  bool of_group = !group || groups_hold(u->groups, &(group_name){group, strlen(group)});
  bool none = request_argument(q, "email") || request_argument(q, "emailLike") ||
              request_argument(q, "memberOfTenant");
  return !none && of_group && argument_is(q, "id", u->name) && argument_lists(q, "idIn", u->name) &&
         argument_is(q, "firstName", u->name) && argument_is_like(q, "firstNameLike", u->name) &&
         argument_is(q, "lastName", "") && argument_is_like(q, "lastNameLike", "") &&
         (!process || starts_process(q, u, process));
}

int rest_users(request *q) {
  const account *u;
  int64_t first, most, n = 0;
  if (!rest_page(q, &first, &most)) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; (u = auth_user(q->server->auth, i)); i++)
    if (user_wanted(q, u) && n++ >= first && most-- > 0) user_write(q, u);
  out_close(&q->out, ']');
  return q->status ? q->status : request_done(q);
}

int rest_users_count(request *q) {
  const account *u;
  int64_t n = 0;
  for (size_t i = 0; (u = auth_user(q->server->auth, i)); i++) n += user_wanted(q, u);
  out_open(&q->out, '{');
  out_put_int(&q->out, "count", n);
  out_close(&q->out, '}');
  return q->status ? q->status : request_done(q);
}

static const account *user_named(const request *q, const char *name) {
  const account *u;
  for (size_t i = 0; name && (u = auth_user(q->server->auth, i)); i++)
    if (strcmp(u->name, name) == 0) return u;
  return NULL;
}

int rest_user_profile(request *q) {
  const account *u = user_named(q, q->path[0]);
  if (!u) return rest_missing(q);
  user_write(q, u);
  return request_done(q);
}

/* The groups of a user; NULL: none. */
static void groups_write(request *q, const account *u) {
  const char *at = u ? u->groups : "";
  out_open(&q->out, '[');
  for (group_name one; group_next(&at, &one);) {
    out_open(&q->out, '{');
    group_write_names(&q->out, &one);
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
}

static bool share_group(const account *a, const account *b) {
  const char *at = a->groups;
  for (group_name one; group_next(&at, &one);)
    if (groups_hold(b->groups, &one)) return true;
  return false;
}

/* The groups of a user, and the other users that share one. */
int rest_user_groups(request *q) {
  const char *id = request_argument(q, "userId");
  const account *asked = user_named(q, id), *u;
  if (!id) return request_refuse(q, "No user id was supplied");
  out_open(&q->out, '{');
  out_key(&q->out, "groups");
  groups_write(q, asked);
  out_key(&q->out, "groupUsers");
  out_open(&q->out, '[');
  for (size_t i = 0; asked && (u = auth_user(q->server->auth, i)); i++) {
    if (u == asked || !share_group(asked, u)) continue;
    out_open(&q->out, '{');
    out_put_text(&q->out, "id", u->name);
    out_put_text(&q->out, "firstName", u->name);
    out_put_text(&q->out, "lastName", "");
    out_put_text(&q->out, "displayName", u->name);
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  out_close(&q->out, '}');
  return request_done(q);
}

/* ---- Logging in ------------------------------------------------------------------------------- */

static int identity_verified(request *q, const account *is) {
  out_open(&q->out, '{');
  out_put_text(&q->out, "authenticatedUser", body_text(q, "username"));
  out_put_bool(&q->out, "authenticated", is);
  out_put_null(&q->out, "tenants");
  out_put_null(&q->out, "groups");
  out_close(&q->out, '}');
  return request_done(q);
}

int rest_identity_verify(request *q) {
  const char *name = body_text(q, "username"), *password = body_text(q, "password");
  if (q->status) return q->status;
  if (!name || !password) return request_refuse(q, "Username and password are required");
  return q->server->auth ? auth_login(q, name, password, identity_verified)
                         : identity_verified(q, NULL);
}

int rest_password_policy(request *q) {
  return request_fail(q, 404, "InvalidRequestException",
                      "No password policy available: passwords are kept in the server's file");
}

/* ---- What one may do -------------------------------------------------------------------------- */

/* What a permission of Camunda's needs of our roles: to look, to bring what runs, or to change something. */
static unsigned roles_for(int64_t resource, const char *permission) {
  enum { DEPLOYMENT = 9 };
  bool reads = strncmp(permission, "READ", 4) == 0 || strcmp(permission, "ACCESS") == 0;
  if (reads) return ROLE_READ | ROLE_OPERATE | ROLE_DEPLOY;
  return resource == DEPLOYMENT ? ROLE_DEPLOY : ROLE_OPERATE;
}

int rest_authorization_check(request *q) {
  const char *permission = request_argument(q, "permissionName"), *name = request_argument(q, "resourceName");
  const char *type = request_argument(q, "resourceType"), *id = request_argument(q, "resourceId");
  bool number = type && *type && strlen(type) < 10 && strspn(type, "0123456789") == strlen(type);
  if (!permission || !name || !number)
    return request_refuse(q, "permissionName, resourceName and resourceType (a number) are expected");
  bool may = !q->user || (q->user->roles & roles_for((int64_t)id_of_text(type), permission));
  out_open(&q->out, '{');
  out_put_text(&q->out, "permissionName", permission);
  out_put_text(&q->out, "resourceName", name);
  out_put_text(&q->out, "resourceId", id);
  out_put_bool(&q->out, "authorized", may);
  out_close(&q->out, '}');
  return request_done(q);
}
