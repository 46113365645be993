--- Makes of the table of the interface (server/table/*.lua): C tables for router and mapping, docs/rest.md, and our OpenAPI document.
---   lua5.4 server/generate.lua ROOT --c FOLDER | --docs | --check
local root, mode, folder = arg[1], arg[2], arg[3]
package.path = root .. "/?.lua;" .. package.path

local subjects = require "server.subjects"

local dtos, queries, operations = {}, {}, {}
for _, subject in ipairs(subjects) do
  local room = subject[1]
  local t = require("server.table." .. room)
  for name, d in pairs(t.dtos) do dtos[name] = d end
  for name, q in pairs(t.queries) do queries[name] = q end
  for _, op in ipairs(t.operations) do
    op.method, op.path, op.handler, op.summary, op.room = op[1], op[2], op[3], op[4], room
    operations[#operations + 1] = op
  end
end

local function sorted(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- What is wrong in the table stops the build --------------------------------------------------------------------------------

local param_kinds = { text = 1, texts = 1, id = 1, ids = 1, int = 1, time = 1, like = 1, flag = 1, ["not"] = 1, bool = 1, word = 1,
  none = 1, variables = 1, value = 1, times = 1, switch = 1, unbuilt = 1, lower = 1, any = 1, beside = 1, some = 1, before_or_none = 1,
  row = 1, rows = 1, permitted = 1, own = 1, cased = 1, idle = 1, types = 1, log = 1, task = 1, tasks = 1 }
local field_kinds = { text = 1, id = 1, int = 1, bool = 1, time = 1, value = 1, null = 1, ["false"] = 1, zero = 1, empty = 1,
  computed = 1, asked = 1 }
local member_kinds = { text = 1, id = 1, bool = 1, int = 1, time = 1, texts = 1, ids = 1, array = 1, map = 1, any = 1, variables = 1,
  query = 1, unbuilt = 1 }
local roles = { read = "ROLE_READ", worker = "ROLE_WORKER", operate = "ROLE_OPERATE", deploy = "ROLE_DEPLOY", any = "ROLE_NONE",
  worker_read = "(role)(ROLE_READ | ROLE_WORKER)" }
local people = { all = 1, tasks = 1, task = 1, own = 1, claim = 1, dates = 1, task_of = 1, done = 1, starts = 1, start = 1,
  model = 1, self = 1 }

--- The version as the public header has it.
local function version()
  local file <close> = assert(io.open(root .. "/runtime/include/orrery.h"))
  return file:read "a":match 'define ORR_VERSION "([%d.]+)"'
end

local function refuse(...) error(string.format(...), 0) end

local function fields_of(d)
  local fields = {}
  if d.extends then table.move(fields_of(dtos[d.extends]), 1, 1000, 1, fields) end
  table.move(d, 1, #d, #fields + 1, fields)
  return fields
end

local function check()
  local seen = {}
  for name, d in pairs(dtos) do
    for _, f in ipairs(fields_of(d)) do
      if not d.written and not field_kinds[f[2]] then refuse("%s.%s: no kind of field is \"%s\"", name, f[1], tostring(f[2])) end
    end
  end
  for name, q in pairs(queries) do
    if not dtos[q.dto] then refuse("query %s: there is no %s", name, q.dto) end
    local names = {}
    for _, p in ipairs(q.params) do
      if not param_kinds[p[2]] then refuse("%s.%s: no kind of parameter is \"%s\"", name, p[1], tostring(p[2])) end
      if names[p[1]] then refuse("%s.%s stands twice", name, p[1]) end
      names[p[1]] = true
    end
  end
  for _, op in ipairs(operations) do
    local key = op.method .. " " .. op.path
    if seen[key] then refuse("%s stands twice", key) end
    seen[key] = true
    if op.query and not queries[op.query] then refuse("%s: there is no query %s", key, op.query) end
    op.role = op.role or ((op.method == "GET" or op.handler == "list" or op.handler == "count" or op.query) and "read")
      or (op.command == false and "read")
    if not roles[op.role or ""] then refuse("%s: which role?", key) end
    if op.people and not people[op.people] then refuse("%s: which people?", key) end
    if op.people and op.people ~= "all" and op.engineless then refuse("%s: nobody would look who it is", key) end
    if op.body then
      for _, m in ipairs(op.body) do
        if not member_kinds[m[2]] then refuse("%s: no kind of member is \"%s\"", key, tostring(m[2])) end
      end
    end
  end
end

check()
table.sort(operations, function(a, b)
  if a.path ~= b.path then return a.path < b.path end
  return a.method < b.method
end)

-- C --------------------------------------------------------------------------------------------------------------------------

local function quoted(text) return text and ("%q"):format(text):gsub("\\\n", "\\n") or "NULL" end

local function c_identifier(path) return (path:gsub("[^%w]", "_")) end

local function c_params(out, name, params)
  out("static const param %s[] = {\n", name)
  for _, p in ipairs(params) do
    out("  {%s, PARAM_%s, %s, %s},\n", quoted(p[1]), p[2]:upper(), quoted(p[3]), quoted(p.word))
  end
  out("};\n")
end

-- Of what is ignored the type is looked at, as Camunda looks at it.
local function members_of(op)
  local out, known = {}, {}
  for _, list in ipairs { op.body or {}, op.body and op.ignored or {} } do
    for _, m in ipairs(list) do
      if not known[m[1]] then out[#out + 1] = m end
      known[m[1]] = true
    end
  end
  return out
end

local function c_members(out, name, members)
  out("static const body_field %s[] = {\n", name)
  for _, m in ipairs(members) do
    out("  {%s, MEMBER_%s, %s},\n", quoted(m[1]), m[2]:upper(), quoted(m[2] == "unbuilt" and m[3] or nil))
  end
  out("};\n")
end

local function c_dtos(out)
  for _, name in ipairs(sorted(dtos)) do
    local d = dtos[name]
    if not d.written then
      out("static const dto_field fields_of_%s[] = {\n", name)
      for _, f in ipairs(fields_of(d)) do
        local computed = f[2] == "computed" or f[2] == "asked"
        out("  {%s, FIELD_%s, %s, %s, %s},\n", quoted(f[1]), f[2]:upper(), quoted(f.switch or not computed and f[3] or nil),
          computed and f[3] or "NULL", quoted(f.other))
      end
      out("};\nconst dto dto_%s = {%s, fields_of_%s, %d};\n\n", name, quoted(name), name, #fields_of(d))
    end
  end
end

local function c_queries(out)
  for _, name in ipairs(sorted(queries)) do
    local q = queries[name]
    c_params(out, "params_of_" .. name, q.params)
    out("static const sort_key sorts_of_%s[] = {\n", name)
    for _, sort in ipairs(sorted(q.sorts)) do out("  {%s, %s},\n", quoted(sort), quoted(q.sorts[sort] or nil)) end
    out("};\n")
    if q.more then
      out("static const listing_more more_of_%s[] = {\n", name)
      for _, more in ipairs(q.more) do out("  {%s, %s},\n", quoted(more[1]), quoted(more[2])) end
      out "};\n"
    end
    local shape = dtos[q.dto].written and "NULL" or "&dto_" .. q.dto
    out("const listing query_%s = {%s, %s, %s, params_of_%s, %d, sorts_of_%s, %d, %s, %s, \z
      %s, %d};\n\n", name, quoted(name), quoted(q.verb), shape, name, #q.params, name,
      #sorted(q.sorts), quoted(q.unset), quoted(q.on), q.more and "more_of_" .. name or "NULL",
      q.more and #q.more or 0)
  end
end

local function is_command(op)
  if op.command ~= nil then return op.command end
  return op.method ~= "GET" and op.handler ~= "list" and op.handler ~= "count" and not op.query
end

-- What HTTP itself calls idempotent, and what a worker says of a task that it holds.
local function is_repeated(op) return op.again or op.method == "PUT" or op.method == "DELETE" end

-- Handlers that end with one command, and ask the engine for nothing behind it; those with `withVariablesInReturn` see to it themselves.
local deferred = {}
for name in ([[definition_start definition_submit
  task_assign task_claim task_unclaim task_delegate task_resolve task_complete task_bpmn_error task_escalation
  external_complete external_failure external_bpmn_error external_extend external_lock external_unlock
  signal variable_put variable_delete]]):gmatch "%S+" do deferred[name] = true end
local function is_of_task(op) return op.path:find "^/task/{id}" end
local function is_deferred(op) return is_command(op) and not op.unbuilt and deferred[op.handler] end

local function c_operation(out, op, n)
  local args = type(op.args) == "table" and ("args_%d"):format(n) or "NULL"
  local members = op.body and ("members_%d"):format(n) or "NULL"
  out("  {%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, false, %s, %s, %s, %d, %s, %s, %d, %s, %d, %s},\n",
    quoted(op.method), quoted(op.path), roles[op.role], "PEOPLE_" .. (op.people or "none"):upper(),
    is_command(op) and "true" or "false", op.slow and "true" or "false",
    op.needs_body and "true" or "false",
    op.multipart and "true" or "false", is_repeated(op) and "true" or "false", is_deferred(op) and "true" or "false",
    op.engineless and "true" or "false",
    is_of_task(op) and "rest_prepare_task" or "NULL",
    op.unbuilt and "rest_unbuilt" or "rest_" .. op.handler,
    op.query and "&query_" .. op.query or "NULL", op.missing_status or 404, quoted(op.missing), quoted(op.unbuilt),
    type(op.args) == "table" and #op.args or 0, args, #members_of(op), members)
end

local function c_operations(out)
  for n, op in ipairs(operations) do
    if type(op.args) == "table" and #op.args > 0 then c_params(out, ("args_%d"):format(n), op.args) end
    if type(op.args) == "table" and #op.args == 0 then op.args = nil end
    if op.body then c_members(out, ("members_%d"):format(n), members_of(op)) end
  end
  out("const operation operations[] = {\n")
  for n, op in ipairs(operations) do c_operation(out, op, n) end
  out("};\nconst size_t n_operations = %d;\n", #operations)
end

local function c_header(out)
  out "/* Made by server/generate.lua from server/table/. */\n#ifndef REST_TABLE_H\n#define REST_TABLE_H\n\n"
  out '#include "server/transport/request.h"\n\n'
  local handlers, computed = {}, {}
  for _, op in ipairs(operations) do handlers[op.unbuilt and "unbuilt" or op.handler] = true end
  for _, d in pairs(dtos) do
    for _, f in ipairs(d) do
      if f[2] == "computed" or f[2] == "asked" then computed[f[3]] = true end
    end
  end
  for _, name in ipairs(sorted(handlers)) do out("int rest_%s(request *q);\n", name) end
  out "bool rest_prepare_task(request *q);\n"
  for _, name in ipairs(sorted(computed)) do out("void %s(const row *r, json_out *out);\n", name) end
  for _, name in ipairs(sorted(dtos)) do
    if not dtos[name].written then out("extern const dto dto_%s;\n", name) end
  end
  for _, name in ipairs(sorted(queries)) do out("extern const listing query_%s;\n", name) end
  out("\n#endif\n")
end

local function file(path, write)
  local text = {}
  write(function(format, ...) text[#text + 1] = select("#", ...) > 0 and format:format(...) or format end)
  text = table.concat(text)
  local f = assert(io.open(path, "w"))
  f:write(text)
  f:close()
end

-- The manual's chapter, and OpenAPI -----------------------------------------------------------------------------------------------

local types = { text = { type = "string" }, lower = { type = "string" }, like = { type = "string" }, id = { type = "string" },
  int = { type = "integer" }, idle = { type = "boolean" }, own = { type = "string" },
  cased = { type = "string" }, log = { type = "string" }, types = { type = "array",
    items = { type = "string" } },
  bool = { type = "boolean" }, flag = { type = "boolean" }, switch = { type = "boolean" }, time = { type = "string",
    format = "date-time" }, texts = { type = "array", items = { type = "string" } }, ids = { type = "array",
    items = { type = "string" } }, map = { type = "object" }, variables = { type = "object" }, query = { type = "object" },
  array = { type = "array", items = {} }, empty = { type = "array", items = {} }, any = {}, value = {}, null = {},
  ["false"] = { type = "boolean" }, zero = { type = "integer" }, times = { type = "string" }, word = { type = "boolean" },
  none = { type = "boolean" }, some = { type = "boolean" }, beside = { type = "boolean" }, row = { type = "string" },
  permitted = { type = "boolean" },
  rows = { type = "string" }, task = { type = "string" },
  tasks = { type = "array", items = { type = "string" } }, before_or_none = { type = "string",
    format = "date-time" }, ["not"] = { type = "boolean" } }

local keyword_order = { "openapi", "info", "title", "version", "description", "servers", "url", "paths", "components" }
local rank = {}
for i, name in ipairs(keyword_order) do rank[name] = i end

-- Plain JSON with sorted keys, so that the document is the same each time.
local function json(value, indent)
  if type(value) == "string" then
    return '"' .. value:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
  end
  if type(value) ~= "table" then return tostring(value) end
  local inner, parts = indent .. " ", {}
  if #value > 0 or value.list then
    for _, item in ipairs(value) do parts[#parts + 1] = json(item, inner) end
    return "[" .. table.concat(parts, ", ") .. "]"
  end
  local names = sorted(value)
  table.sort(names, function(a, b)
    if (rank[a] or 99) ~= (rank[b] or 99) then return (rank[a] or 99) < (rank[b] or 99) end
    return a < b
  end)
  for _, name in ipairs(names) do parts[#parts + 1] = json(name, inner) .. ": " .. json(value[name], inner) end
  if #parts == 0 then return "{}" end
  return "{\n" .. inner .. table.concat(parts, ",\n" .. inner) .. "\n" .. indent .. "}"
end

local function schema_of(returns)
  if not returns then return nil end
  local item, map = returns:match "^%[(.*)%]$", returns:match "^{(.*)}$"
  if item then return { type = "array", items = schema_of(item) } end
  if map then return { type = "object", additionalProperties = schema_of(map) } end
  return dtos[returns] and { ["$ref"] = "#/components/schemas/" .. returns } or types[returns] or { type = "string" }
end

local function returns_of(op)
  if op.returns then return op.returns end
  if op.handler == "count" then return "CountResultDto" end
  if op.handler == "list" then return "[" .. queries[op.query].dto .. "]" end
  return op.handler == "find" and queries[op.query].dto or nil
end

local function openapi_parameters(op)
  local out = { list = true }
  for name in op.path:gmatch "{([^}]+)}" do
    out[#out + 1] = { name = name, ["in"] = "path", required = true, schema = { type = "string" } }
  end
  local given = op.query and op.method == "GET" and op.handler ~= "find" and queries[op.query].params
    or (type(op.args) == "table" and op.args) or {}
  for _, p in ipairs(given) do
    if p[2] ~= "unbuilt" then
      local csv = p[2] == "ids" or p[2] == "tasks" or p[2] == "texts" or p[2] == "types" or p[2] == "variables"
      out[#out + 1] = { name = p[1], ["in"] = "query", schema = csv and { type = "string" } or types[p[2]] }
    end
  end
  if op.handler == "list" and op.method == "GET" then
    local keys = { list = true }
    for _, sort in ipairs(sorted(queries[op.query].sorts)) do
      if queries[op.query].sorts[sort] then keys[#keys + 1] = sort end
    end
    if #keys > 0 then
      local by = { type = "string", enum = keys }
      local order = { type = "string", enum = { "asc", "desc" } }
      out[#out + 1] = { name = "sortBy", ["in"] = "query", schema = by }
      out[#out + 1] = { name = "sortOrder", ["in"] = "query", schema = order }
    end
  end
  if op.handler == "list" then
    for _, name in ipairs { "firstResult", "maxResults" } do
      out[#out + 1] = { name = name, ["in"] = "query", schema = { type = "integer" } }
    end
  end
  return out
end

local function openapi_body(op)
  local members = op.body
  if op.query and op.method == "POST" then members = queries[op.query].params end
  if op.multipart then
    return { content = { ["multipart/form-data"] = { schema = { type = "object" } } } }
  end
  if not members then return nil end
  local properties = {}
  for _, m in ipairs(members) do
    if m[2] ~= "unbuilt" then properties[m[1]] = types[m[2]] end
  end
  return { content = { ["application/json"] = { schema = { type = "object", properties = properties } } } }
end

local function openapi()
  local paths, schemas = {}, {}
  for _, op in ipairs(operations) do
    if not op.unbuilt then
      paths[op.path] = paths[op.path] or {}
      local schema = schema_of(returns_of(op))
      local media = (op.returns == "bytes" and "application/octet-stream") or (op.returns == "text" and "text/plain")
        or "application/json"
      paths[op.path][op.method:lower()] = {
        summary = op.summary, parameters = openapi_parameters(op), requestBody = openapi_body(op), tags = { op.room, list = true },
        responses = schema and { ["200"] = { description = "Done.", content = { [media] = { schema = schema } } } }
          or { ["204"] = { description = "Done." } },
        ["x-role"] = op.role, ["x-task"] = op.people and true or nil,
      }
    end
  end
  for name, d in pairs(dtos) do
    local properties = {}
    for _, f in ipairs(fields_of(d)) do properties[f[1]] = types[f.type or f[2]] or {} end
    schemas[name] = { type = "object", properties = properties }
  end
  return json({ openapi = "3.0.2", info = { title = "Orrery", version = version(), description = "What orrery serve answers, in the \z
    shapes of Camunda 7's REST interface. Made from server/table/." }, servers = { { url = "/engine-rest" } }, paths = paths,
    components = { schemas = schemas } }, "") .. "\n"
end

local function docs_params(line, op)
  local params = op.query and queries[op.query].params or (type(op.args) == "table" and op.args) or {}
  local built, missing = {}, {}
  for _, p in ipairs(params) do
    if p[2] == "unbuilt" then missing[#missing + 1] = p[1] else built[#built + 1] = "`" .. p[1] .. "`" end
  end
  if #built > 0 then line("Parameters: %s.", table.concat(built, ", ")) end
  if #missing > 0 then line("Answer 400: %s.", table.concat(missing, ", ")) end
end

-- Breaks a line where the manuals do.
local function wrapped(text, width)
  local out, line = {}, ""
  for word in text:gmatch "%S+" do
    if #line + #word + 1 > width then
      out[#out + 1] = line
      line = ""
    end
    line = line == "" and word or line .. " " .. word
  end
  out[#out + 1] = line
  return table.concat(out, "\n")
end

local function docs_operation(write, op)
  write("| `%s %s` | %s | %s |\n", op.method, op.path, op.role == "any" and "anybody"
    or op.role:gsub("_", " or ") .. (op.people and ", task" or ""),
    op.unbuilt and ("**501**: " .. op.unbuilt) or op.summary)
end

--- The parameters of what is no list, a line for each operation.
local function docs_arguments(write, room)
  local lines = {}
  for _, op in ipairs(operations) do
    local own = op.room == room and not op.query and not op.unbuilt and type(op.args) == "table"
    if own and #op.args > 0 then
      docs_params(function(format, params)
        local text = ("- `%s %s`. %s"):format(op.method, op.path, format:format(params))
        lines[#lines + 1] = wrapped(text, 118):gsub("\n", "\n  ")
      end, op)
    end
  end
  if #lines > 0 then write("\n%s\n", table.concat(lines, "\n")) end
end

local function docs(write)
  write("# REST: every operation\n\nMade from `server/table/` by `server/generate.lua`; `docs/server.md` is the manual, \z
    [rest-each.md](rest-each.md)\n\z
    calls each of them by curl. Paths stand below `/engine-rest`, or below `/engine-rest/engine/NAME` for an engine of that\n\z
    name.\n")
  local function line(format, ...) write("%s\n", wrapped(format:format(...), 118)) end
  for _, subject in ipairs(subjects) do
    local room, title = subject[1], subject[2]
    write("\n## %s\n\n| operation | role | |\n|---|---|---|\n", title)
    for _, op in ipairs(operations) do
      if op.room == room then docs_operation(write, op) end
    end
    docs_arguments(write, room)
    local told = {}
    for _, op in ipairs(operations) do
      if op.room == room and op.query and not told[op.query] then
        told[op.query] = true
        write("\n**%s %s**\n\n", op.method, op.path)
        docs_params(line, op)
        local keys = {}
        for _, sort in ipairs(sorted(queries[op.query].sorts)) do
          if queries[op.query].sorts[sort] then keys[#keys + 1] = "`" .. sort .. "`" end
        end
        if #keys == 0 then write "Takes no `sortBy`.\n"
        else write("%s\n", wrapped("Sorted by: " .. table.concat(keys, ", ") .. ".", 118)) end
      end
    end
  end
end

-- Emitting -------------------------------------------------------------------------------------------------------------------------

local function rendered(write_body)
  local text = {}
  write_body(function(format, ...) text[#text + 1] = select("#", ...) > 0 and format:format(...) or format end)
  return table.concat(text)
end

local committed = { { root .. "/docs/rest.md", function() return rendered(docs) end }, { root .. "/docs/openapi.json", openapi } }

if mode == "--c" then
  file(folder .. "/rest_table.h", c_header)
  file(folder .. "/rest_table.c", function(out)
    out '/* Made by server/generate.lua from server/table/. */\n#include "rest_table.h"\n\n'
    c_dtos(out)
    c_queries(out)
    c_operations(out)
  end)
elseif mode == "--docs" then
  for _, f in ipairs(committed) do
    local out = assert(io.open(f[1], "w"))
    out:write(f[2]())
    out:close()
  end
elseif mode == "--check" then
  for _, f in ipairs(committed) do
    local have = io.open(f[1])
    local text = have and have:read "a"
    if have then have:close() end
    if text ~= f[2]() then refuse("%s is not what server/table/ gives: run make generate", f[1]) end
  end
else
  refuse "generate.lua ROOT --c FOLDER | --docs | --check"
end
