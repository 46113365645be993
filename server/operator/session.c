/* Logging in and out of the page, and what changes meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "rest_table.h"
#include "server/auth/auth.h"
#include "server/auth/session.h"
#include "server/server_internal.h"

static void roles_write(json_out *out, unsigned roles) {
  static const struct {
    unsigned is;
    const char *name;
  } names[] = {{ROLE_READ, "read"}, {ROLE_WORKER, "worker"}, {ROLE_OPERATE, "operate"}, {ROLE_DEPLOY, "deploy"},
               {ROLE_TASK, "task"}};
  out_key(out, "roles");
  out_open(out, '[');
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (roles & names[i].is) out_text(out, names[i].name);
  out_close(out, ']');
}

/* Names with commas between. */
static void session_groups(json_out *out, const char *groups) {
  out_key(out, "groups");
  out_open(out, '[');
  for (size_t size; *groups; groups += size + (groups[size] == ',')) {
    size = strcspn(groups, ",");
    if (size > 0) out_bytes(out, groups, size);
  }
  out_close(out, ']');
}

static int session_write(request *q, const account *is, const char *xsrf) {
  out_open(&q->out, '{');
  out_put_bool(&q->out, "authentication", q->server->auth);
  out_put_text(&q->out, "user", is ? is->name : NULL);
  roles_write(&q->out, is ? is->roles : ROLE_READ | ROLE_WORKER | ROLE_OPERATE | ROLE_DEPLOY | ROLE_TASK);
  session_groups(&q->out, is ? is->groups : "");
  out_put_text(&q->out, "xsrfToken", xsrf && *xsrf ? xsrf : NULL);
  out_close(&q->out, '}');
  return request_done(q);
}

/* Who is it? Without authentication: anybody, who may do everything. */
int rest_session_get(request *q) { return session_write(q, q->user, q->xsrf); }

static int session_logged_in(request *q, const account *is) {
  char id[SESSION_TOKEN], xsrf[SESSION_TOKEN];
  if (!is) return request_fail(q, 401, "AuthenticationException", "The user's name or password is wrong");
  if (!session_begin(q->server->sessions, is, id, xsrf)) return request_fail(q, 503, "RestException", "no randomness");
  if (asprintf(&q->cookie, "orrery_session=%s; Path=/; HttpOnly; SameSite=Strict%s", id,
               q->server->config.certificate ? "; Secure" : "") < 0)
    q->cookie = NULL;
  return q->cookie ? session_write(q, is, xsrf) : request_fail_memory(q);
}

int rest_session_begin(request *q) {
  const char *name = body_text(q, "username"), *password = body_text(q, "password");
  if (q->status) return q->status;
  if (!q->server->auth) return session_write(q, NULL, NULL);
  if (!name || !password) return session_logged_in(q, NULL);
  return auth_login(q, name, password, session_logged_in);
}

int rest_session_end(request *q) {
  if (q->cookies) session_end(q->server->sessions, q->cookies);
  q->cookie = strdup("orrery_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
  return request_no_content(q);
}

/* all, or instance:ID */
int rest_events(request *q) {
  static const char one[] = "instance:";
  const char *scope = request_argument(q, "scope");
  bool all = !scope || strcmp(scope, "all") == 0;
  if (!all && strncmp(scope, one, strlen(one)) == 0) q->followed = id_of_text(scope + strlen(one));
  if (q->limited && q->followed)
    return request_fail(q, 403, "AuthorizationException", "The role \"task\" hears of the scope all, and no other");
  if (!all && !q->followed)
    return request_refuse(q, "Cannot set query parameter 'scope' to value '%s': all or instance:ID", scope);
  q->stream = true;
  q->type = "text/event-stream";
  return request_done(q);
}
