/* Requests as Lua tables, and answers: HTTP, mail, processes. lua/orrery/outside/net.lua checks the tables, and knows the
 * defaults. */
#include <string.h>

#include "bindings/net/net_glue.h"
#include "bindings/net/secret.h"
#include "bindings/net/net_request.h"
#include "bindings/net/net_trace.h"
#include "net/http.h"
#include "net/mail.h"
#include "net/process.h"

static void set_text_field(lua_State *L, const char *name, net_text text) {
  lua_pushlstring(L, text.bytes, text.size);
  lua_setfield(L, -2, name);
}

static void set_string(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

/* The texts of the table on top; they stay on the stack, above it. */
static const char *item_field(lua_State *L, int item, const char *name, size_t *size) {
  luaL_checkstack(L, 4, "the request has too many parts");
  lua_getfield(L, item, name);
  return lua_isnil(L, -1) ? NULL : secret_text(L, lua_gettop(L), size, NULL);
}

static net_text item_text(lua_State *L, int item, const char *name) {
  net_text text = {"", 0};
  const char *bytes = item_field(L, item, name, &text.size);
  if (!bytes) luaL_error(L, "a part has no %s", name);
  text.bytes = bytes;
  return text;
}

/* Pushes the array, and each item when asked; *count is 0 when it is not given. */
static int push_array(lua_State *L, const char *name, size_t *count) {
  lua_getfield(L, 2, name);
  *count = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
  return lua_gettop(L);
}

/* ---- HTTP ------------------------------------------------------------------------------------ */

static int push_response(lua_State *L, const void *answer) {
  const net_http_response *r = answer;
  lua_createtable(L, 0, 7);
  lua_pushinteger(L, r->status);
  lua_setfield(L, -2, "status");
  set_string(L, "protocol", r->protocol);
  set_string(L, "reason", r->reason);
  set_text_field(L, "head", r->headers);
  set_text_field(L, "body", r->body);
  set_string(L, "url", r->url);
  if (r->retry_after_ms >= 0) {
    lua_pushnumber(L, (lua_Number)r->retry_after_ms / 1000);
    lua_setfield(L, -2, "retry_after");
  }
  return 1;
}

static void http_done(void *ud, const net_http_response *response, net_error error, const char *message) {
  net_trace_answer(net_glue_span(ud), response ? response->status : 0, response ? NULL : net_error_name(error));
  if (response) net_glue_answer(ud, push_response, response);
  else net_glue_failed(ud, error, message);
}

/* Pushes an item of an array of tables, and returns where it lies: what is read of it stays on the stack, above it. */
static int push_item(lua_State *L, int array, size_t i, const char *too_many) {
  luaL_checkstack(L, 10, too_many);
  lua_rawgeti(L, array, (lua_Integer)i + 1);
  luaL_checktype(L, -1, LUA_TTABLE);
  return lua_gettop(L);
}

static const net_part *read_parts(lua_State *L, size_t *count) {
  int array = push_array(L, "parts", count);
  net_part *parts = lua_newuserdatauv(L, (*count + 1) * sizeof *parts, 0);
  for (size_t i = 0; i < *count; i++) {
    int item = push_item(L, array, i, "the request has too many parts");
    parts[i] = (net_part){.name = item_text(L, item, "name").bytes, .file_name = item_field(L, item, "file", NULL),
                          .type = item_field(L, item, "type", NULL), .data = item_text(L, item, "data")};
  }
  return parts;
}

int net_glue_http(lua_State *L) {
  net_http_request r = {0};
  orr_error err = {0};
  net_client *client = net_glue_client(L);
  lua_settop(L, 3);
  r.method = net_text_field(L, "method", "GET");
  r.url = net_field(L, "url", NULL, &r.secret_url);
  if (!r.url) return luaL_error(L, "a request needs a url");
  r.headers = (const char *const *)net_texts_field(L, "headers", &r.header_count, &r.secret_count);
  r.body.bytes = net_field(L, "body", &r.body.size, NULL);
  r.has_body = r.body.bytes;
  r.parts = read_parts(L, &r.part_count);
  r.user = net_text_field(L, "user", NULL);
  r.password = net_text_field(L, "password", NULL);
  r.connect_ms = net_ms_field(L, "connect_timeout");
  r.stall_ms = net_ms_field(L, "stall_timeout");
  r.total_ms = net_ms_field(L, "timeout");
  r.body_max = net_integer_field(L, "body_max", 0);
  r.redirects_max = (int)net_integer_field(L, "redirects", 0);
  r.retries = (int)net_integer_field(L, "retries", 0);
  net_job *job = net_glue_begin(L, net_flag_field(L, "detached"));
  net_glue_trace(job, net_trace_request(L, &r));
  return net_glue_started(L, job, net_http(client, &r, http_done, job, &err), &err);
}

/* ---- Mail ------------------------------------------------------------------------------------ */

static int push_true(lua_State *L, const void *answer) {
  (void)answer;
  lua_pushboolean(L, 1);
  return 1;
}

static void mail_done(void *ud, net_error error, const char *message) {
  if (error) net_glue_failed(ud, error, message);
  else net_glue_answer(ud, push_true, NULL);
}

static const net_attachment *read_attachments(lua_State *L, size_t *count) {
  int array = push_array(L, "attachments", count);
  net_attachment *out = lua_newuserdatauv(L, (*count + 1) * sizeof *out, 0);
  for (size_t i = 0; i < *count; i++) {
    int item = push_item(L, array, i, "the mail has too many attachments");
    out[i] = (net_attachment){.name = item_text(L, item, "name").bytes, .type = item_field(L, item, "type", NULL),
                              .cid = item_field(L, item, "cid", NULL), .data = item_text(L, item, "data")};
  }
  return out;
}

int net_glue_mail(lua_State *L) {
  static const char *const TLS[] = {"none", "starttls", "implicit", NULL};
  net_mail_message m = {0};
  orr_error err = {0};
  net_client *client = net_glue_client(L);
  lua_settop(L, 3);
  m.host = net_text_field(L, "host", "localhost");
  m.port = (int)net_integer_field(L, "port", 25);
  lua_getfield(L, 2, "tls");
  m.tls = (net_mail_tls)luaL_checkoption(L, -1, "none", TLS);
  m.user = net_text_field(L, "user", NULL);
  m.password = net_text_field(L, "password", NULL);
  m.bearer = net_text_field(L, "bearer", NULL);
  m.from = net_text_field(L, "from", "");
  m.recipients = (const char *const *)net_texts_field(L, "recipients", &m.recipient_count, NULL);
  m.headers = (const char *const *)net_texts_field(L, "headers", &m.header_count, NULL);
  m.charset = net_text_field(L, "charset", "UTF-8");
  m.text.bytes = net_field(L, "text", &m.text.size, NULL);
  m.html.bytes = net_field(L, "html", &m.html.size, NULL);
  m.attachments = read_attachments(L, &m.attachment_count);
  m.connect_ms = net_ms_field(L, "connect_timeout");
  m.total_ms = net_ms_field(L, "timeout");
  net_job *job = net_glue_begin(L, false);
  return net_glue_started(L, job, net_mail(client, &m, mail_done, job, &err), &err);
}

/* ---- Processes ------------------------------------------------------------------------------- */

static int push_exit(lua_State *L, const void *answer) {
  const net_exit *result = answer;
  lua_createtable(L, 0, 3);
  lua_pushinteger(L, result->code);
  lua_setfield(L, -2, "code");
  set_text_field(L, "output", result->output);
  set_text_field(L, "errors", result->errors);
  return 1;
}

static void spawn_done(void *ud, const net_exit *result, net_error error, const char *message) {
  if (result) net_glue_answer(ud, push_exit, result);
  else net_glue_failed(ud, error, message);
}

int net_glue_spawn(lua_State *L) {
  net_process p = {0};
  orr_error err = {0};
  size_t count;
  net_client *client = net_glue_client(L);
  lua_settop(L, 3);
  p.arguments = (const char *const *)net_texts_field(L, "arguments", &count, NULL);
  if (count == 0) return luaL_error(L, "a process needs a program");
  p.directory = net_text_field(L, "directory", NULL);
  p.clean_environment = net_flag_field(L, "clean_environment");
  p.merge_errors = net_flag_field(L, "merge_errors");
  p.detached = net_flag_field(L, "detached");
  p.total_ms = net_ms_field(L, "timeout");
  p.output_max = net_integer_field(L, "output_max", 0);
  net_job *job = net_glue_begin(L, p.detached);
  return net_glue_started(L, job, net_spawn(client, &p, spawn_done, job, &err), &err);
}
