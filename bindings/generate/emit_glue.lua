-- Writes build/gen/orrl_api.c: one Lua function for each bound function of the header, and the tables that describe option structs.
local lua_names = require "lua_names"

local emit = {}

local function method_name(fn)
  if lua_names[fn.name] then return lua_names[fn.name] end
  local class = fn.receiver and fn.receiver.handle.short
  return class and (fn.name:gsub("^orr_" .. class .. "_", "")) or (fn.name:gsub("^orr_", ""))
end
emit.method_name = method_name

-- What records and lists pass on by themselves: the record's id, the list's name. Messages count arguments as Lua's callers wrote them.
local given = {
  task = { "task_", "external_" }, job = { "job_" }, job_definition = { "job_definition_" }, incident = { "incident_" },
  scope = { "" }, verb = { "list", "find" },
}

-- What Lua's caller writes before the options that the core takes it among.
local among_options = { start = 1 } -- the key, the definition's id or the message

-- What Lua calls otherwise than the core. (Where several functions of Lua share one of the core, `called` tells which: orrl.h.)
local in_lua = {
  active = "engine:instance:active", tree = "engine:instance:tree", modify = "engine:instance:modify",
  delete_instance = "engine:instance:delete", modify_instances = "engine:modify", trigger_later = "engine:trigger",
  definition_add_link = "engine:definition:add_link", definition_remove_link = "engine:definition:remove_link",
  batch_cancel = "engine:batch:cancel", batch_suspend = "engine:batch:suspend", batch_activate = "engine:batch:activate",
  delete_batch = "engine:batch:delete", task_create = "engine:create_task", decision = "engine:decide", check_migration = "engine:validate",
  get_variable = "engine:scope:get", get_variables = "engine:scope:variables", get_variable_typed = "engine:scope:get_typed",
  get_variables_typed = "engine:scope:typed_variables", remove_variable = "engine:scope:remove", set_user = "engine:as",
}

--- What errors call it: "engine:signal", "engine:task:claim" when the task is given, "engine:start+1" when Lua has one argument more, or
--- "time_parse" without a receiver.
local function shown_name(fn)
  local name, first = method_name(fn), fn.arguments[1]
  if not fn.receiver then return name end
  if fn.receiver.handle.short == "engine" and in_lua[name] then return in_lua[name] end
  for _, prefix in ipairs(first and given[first.name] or {}) do
    if name:sub(1, #prefix) == prefix then
      local short = prefix:sub(-1) == "_" and name:sub(#prefix + 1) or name
      return ("%s:%s:%s"):format(fn.receiver.handle.short, first.name, short)
    end
  end
  local more = among_options[name]
  return ("%s:%s%s"):format(fn.receiver.handle.short, name, more and "+" .. more or "")
end

local function types_of(fn)
  local list = {}
  for i, p in ipairs(fn.params) do list[i] = p.type:gsub("%s+%*", " *") end
  return #list > 0 and table.concat(list, ", ") or "void"
end

--- The static copies that make any drift between header and glue a compile error.
local function emit_copy(fn, out)
  out('static %s (*const check_%s)(%s) = %s;', fn.result, fn.name:gsub("^orr_", ""), types_of(fn), fn.name)
end

local function read_argument(p, index, out)
  if p.handle then
    out('  %s *%s = orrl_object(&c, %d, &orrl_%s_class);', p.handle.name, p.name, index, p.handle.short)
  elseif p.options then
    out('  %s %s;', p.options.name, p.name)
    out('  orrl_read_options(&c, %d, &orrl_%s, &%s);', index, p.options.name:gsub("^orr_", ""), p.name)
  else
    local read = p.argument.read:format(index, tostring(p.optional))
    out('  %s%s = %s%s;', p.argument.c, p.name, read, p.milliseconds and " * 1000" or "") -- Lua has seconds
  end
end

local function passed(p)
  if p.type == "orr_error *" then return "&err" end
  if p.result then return p.result.pass:format(p.name) end
  return p.options and "&" .. p.name or p.name
end

local function emit_function(fn, types, out)
  local name = fn.name:gsub("^orr_", "")
  out('\nstatic int l_%s(lua_State *L) {', name)
  out '  orrl_call c;'
  if fn.fallible then out '  orr_error err = {0};' end
  out('  orrl_begin(&c, L, "%s", %d);', shown_name(fn), #fn.arguments)
  if fn.receiver then read_argument(fn.receiver, 1, out) end
  for i, p in ipairs(fn.arguments) do read_argument(p, i + (fn.receiver and 1 or 0), out) end
  for _, p in ipairs(fn.results) do out('  ' .. p.result.declare, p.name) end
  local call = {}
  for i, p in ipairs(fn.params) do call[i] = passed(p) end
  local text = ('check_%s(%s)'):format(name, table.concat(call, ", "))
  local count = #fn.results
  if fn.fallible then
    out('  if (%s != 0) return orrl_raise(&c, &err);', text)
  elseif types.returns[fn.result].push then
    out('  ' .. types.returns[fn.result].push, text)
    count = count + 1
  else
    out('  %s;', text)
  end
  for _, p in ipairs(fn.results) do out('  ' .. p.result.push, p.name) end
  out '  orrl_end(&c);'
  out('  return %d;\n}', count)
end

local function emit_options(options, out)
  local short = options.name:gsub("^orr_", "")
  out('\nstatic const orrl_option %s_items[] = {', short)
  local count = 0
  for _, member in ipairs(options.members) do
    if not member.skip then
      count = count + 1
      local kind, details = member.rule and member.rule.option, "NULL"
      if member.enum then kind, details = "ENUM", member.type .. "_names" end
      if member.nested then kind, details = "NESTED", "&orrl_" .. member.nested.name:gsub("^orr_", "") end
      out('  {"%s", offsetof(%s, %s), ORRL_%s, %s},', member.lua_name, options.name, member.name, kind, details)
    end
  end
  out '};'
  out('const orrl_options orrl_%s = {"%s", %s_items, %d, sizeof(%s)};', short, short:gsub("_", " "), short, count, options.name)
end

local function emit_class(handle, functions, out)
  out('\nstatic const luaL_Reg %s_methods[] = {', handle.short)
  for _, fn in ipairs(functions) do
    if not fn.c_only and fn.receiver and fn.receiver.handle == handle then
      out('  {"%s", l_%s},', method_name(fn), fn.name:gsub("^orr_", ""))
    end
  end
  out '  {NULL, NULL},\n};'
  if handle.destroy then
    out('static void destroy_%s(void *object) { %s(object); }', handle.short, handle.destroy)
  end
  out('const orrl_class orrl_%s_class = {"%s", %s};', handle.short, handle.title, handle.destroy and "destroy_" .. handle.short or "NULL")
end

--- @return string the C source
function emit.source(api, types)
  local lines = {}
  local function out(format, ...) lines[#lines + 1] = select("#", ...) > 0 and format:format(...) or format end
  out '/* Generated by bindings/generate.lua from runtime/include/orrery.h. */'
  out '#include "bindings/api.h"\n\n#include <stddef.h>\n'
  local bound = {}
  for _, fn in ipairs(api.functions) do
    if not fn.c_only then bound[#bound + 1] = fn end
  end
  for _, fn in ipairs(bound) do emit_copy(fn, out) end
  for _, enum in ipairs(api.enums) do
    local texts = types.enums[enum.name]
    if texts then out('\nstatic const char *const %s_names[] = {"%s", NULL};', enum.name, table.concat(texts, '", "')) end
  end
  for _, options in ipairs(api.options) do emit_options(options, out) end
  for _, handle in ipairs(api.handles) do
    if handle.class then out('extern const orrl_class orrl_%s_class;', handle.short) end
  end
  for _, fn in ipairs(bound) do emit_function(fn, types, out) end
  for _, handle in ipairs(api.handles) do
    if handle.class then emit_class(handle, api.functions, out) end
  end
  out '\nconst luaL_Reg orrl_functions[] = {'
  for _, fn in ipairs(bound) do
    if not fn.receiver then out('  {"%s", l_%s},', method_name(fn), fn.name:gsub("^orr_", "")) end
  end
  out '  {NULL, NULL},\n};'
  out '\nvoid orrl_open_classes(lua_State *L, orrl_state *state) {'
  for _, handle in ipairs(api.handles) do
    if handle.class then out('  orrl_class_new(L, &orrl_%s_class, %s_methods, state);', handle.short, handle.short) end
  end
  out '}'
  return table.concat(lines, "\n") .. "\n"
end

return emit
