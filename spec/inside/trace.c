/* Traces for the specs: the grammar of their headers, and spans of a tracer whose clocks and ids are numbers in a row. */
#include <string.h>

#include "base/trace.h"
#include "inside.h"
#include "net/otlp_json.h"

/* trace_read(traceparent, tracestate...): as a record keeps it; nil: there is no trace. */
static int inside_trace_read(lua_State *L) {
  trace_context context;
  char text[TRACE_TEXT_BYTES];
  size_t size;
  const char *parent = luaL_checklstring(L, 1, &size);
  if (!trace_read_parent(parent, size, &context)) return 0;
  for (int i = 2; i <= lua_gettop(L); i++) {
    const char *state = luaL_checklstring(L, i, &size);
    if (!trace_read_state(state, size, &context)) break;
  }
  trace_context again;
  char twice[TRACE_TEXT_BYTES];
  size = trace_write(&context, text);
  bool kept = trace_read(text, size, &again) && trace_write(&again, twice) == size;
  if (!kept || memcmp(text, twice, size) != 0)
    return luaL_error(L, "what was written is read as something else: %s", text);
  lua_pushlstring(L, text, size);
  return 1;
}

typedef struct counting {
  uint64_t ids;
  int64_t wall_ms, mono_ns;
  trace_span *ended;
} counting;

static uint64_t next_number(void *ud) { return ++((counting *)ud)->ids; }
static int64_t counted_wall(void *ud) { return ((counting *)ud)->wall_ms; }
static int64_t counted_mono(void *ud) { return ((counting *)ud)->mono_ns; }
static void keep_ended(void *ud, trace_span *s) { ((counting *)ud)->ended = s; }

static tracer counting_tracer(counting *with, sampler s) {
  orr_env env;
  env_system(&env);
  env.random = next_number;
  env.wall_ms = counted_wall;
  env.mono_ns = counted_mono;
  env.ud = with;
  return (tracer){.env = env, .sampler = s, .ended = keep_ended, .ud = with};
}

static bool argument_context(lua_State *L, int index, trace_context *out) {
  size_t size;
  const char *text = luaL_optlstring(L, index, NULL, &size);
  return text && trace_read(text, size, out);
}

/* trace_sampled(parent_based, share, times [, parent]): how many of so many traces are recorded, and what the last one's
 * children are told (nil: of no trace). */
static int inside_trace_sampled(lua_State *L) {
  counting with = {.wall_ms = 1000};
  tracer t = counting_tracer(&with, (sampler){lua_toboolean(L, 1), sampler_share(luaL_checknumber(L, 2))});
  lua_Integer times = luaL_checkinteger(L, 3), recorded = 0;
  trace_context parent, own = {.flags = 0};
  char text[TRACE_TEXT_BYTES];
  bool given = argument_context(L, 4, &parent);
  for (lua_Integer i = 0; i < times; i++) {
    with.ids = with.ids * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* spread over all numbers */
    trace_span *s = span_begin(&t, SPAN_INTERNAL, given ? &parent : NULL, &own);
    recorded += s ? 1 : 0;
    span_free(s);
  }
  lua_pushinteger(L, recorded);
  if (!trace_given(&own)) return 1;
  lua_pushlstring(L, text, trace_write(&own, text));
  return 2;
}

/* trace_json(name, attribute, times, wall_jump_ms): the request with one span that has the attribute so many times, and was
 * under way while the wall clock was set by so much. */
static int inside_trace_json(lua_State *L) {
  counting with = {.wall_ms = 1000};
  tracer t = counting_tracer(&with, (sampler){true, UINT64_MAX});
  trace_context own;
  size_t size;
  const char *text = luaL_checklstring(L, 2, &size), *resource[] = {"service.name", "spec"};
  trace_span *s = span_begin(&t, SPAN_INTERNAL, NULL, &own);
  if (!s) return luaL_error(L, "out of memory");
  span_name(s, "%s", luaL_checkstring(L, 1));
  for (lua_Integer i = luaL_checkinteger(L, 3); i > 0; i--) span_bytes(s, "text", text, size);
  with.wall_ms += luaL_checkinteger(L, 4);
  with.mono_ns += 500;
  span_end(s);
  buffer out = {0};
  bool written = otlp_json_begin(NULL, &out, resource, 2) && otlp_json_spans(NULL, &out, with.ended);
  lua_pushlstring(L, buffer_text(&out).bytes, written ? out.size : 0);
  buffer_free(NULL, &out);
  span_free(s);
  return 1;
}

void inside_trace(lua_State *L) {
  static const luaL_Reg functions[] = {{"trace_read", inside_trace_read},
                                       {"trace_sampled", inside_trace_sampled},
                                       {"trace_json", inside_trace_json},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
