-- NULL in C: for the engine or what a call needs it is refused, and for what is not wanted it is
-- fine. A value of a type that there is not is refused everywhere. The calls are written from the
-- public header, so that no function is forgotten.
package.path = "bindings/generate/?.lua;" .. package.path
local command = require "spec.cli.command"
local api = require "reader".read(require "header".parts ".")

local model = [[
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn"
  targetNamespace="spec">
<message id="m" name="m"/>%s</definitions>]]

local function process(key, element)
  local text = [[<process id="KEY" isExecutable="true"><startEvent id="KEY_s"/>
    <sequenceFlow id="KEY_a" sourceRef="KEY_s" targetRef="KEY_t"/>ELEMENT
    <sequenceFlow id="KEY_b" sourceRef="KEY_t" targetRef="KEY_e"/><endEvent id="KEY_e"/></process>]]
  return (text:gsub("ELEMENT", element):gsub("KEY", key))
end

local processes = process("people", '<userTask id="KEY_t"/>')
  .. process("waits", '<receiveTask id="KEY_t" messageRef="m"/>')
  .. process("jobs", '<serviceTask id="KEY_t" o:asyncBefore="true" o:class="nothing"/>')
  .. process("outside", '<serviceTask id="KEY_t" o:type="external" o:topic="x"/>')
  .. process("inside", '<serviceTask id="KEY_t" o:class="delegate"/>')

local decision = [[
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="s" name="s" namespace="spec">
  <decision id="d" name="d"><decisionTable id="t">
    <input id="i"><inputExpression id="e" typeRef="number"><text>n</text></inputExpression></input>
    <output id="o" name="out" typeRef="number"/>
    <rule id="r"><inputEntry id="ie"><text>1</text></inputEntry>
      <outputEntry id="oe"><text>2</text></outputEntry></rule>
  </decisionTable></decision></definitions>]]

-- What may be NULL though no annotation says so: a caller's own pointer, and a builder, which then
-- keeps nothing.
local function may_be_null(p) return p.optional or p.out or p.type == "void *"
  or p.type == "orr_builder *" end

local function is_pointer(p) return p.type:find("*", 1, true) or p.type:find "_fn$" end

-- A compiler knows that a text in printf's way is none.
local function is_format(fn, p)
  return p.name == "format" and fn.params[#fn.params].type == "..."
end

local function is_fallible(fn)
  local last = fn.params[#fn.params]
  return last and last.type == "orr_error *" and fn.result == "int"
end

-- What is passed for a parameter, by its type.
local by_type = {
  ["const char *"] = '"x"', ["const orr_value *"] = "&value", orr_value = "value",
    ["orr_engine *"] = "engine", ["orr_executor *"] = "executor",
  ["orr_feed *"] = "feed", ["orr_builder *"] = "fresh()", ["orr_execution *"] = "execution",
    ["orr_error *"] = "to",
  ["orr_records *"] = "some", ["const orr_records *"] = "some", ["orr_value *"] = "&none",
    ["orr_engine **"] = "&(orr_engine *){0}",
  ["orr_executor **"] = "&(orr_executor *){0}", ["orr_feed **"] = "&(orr_feed *){0}",
    ["orr_commit_fn"] = "done",
  ["orr_iterator *"] = "&(orr_iterator){0}", ["orr_config *"] = "&(orr_config){0}",
    ["const void *"] = '"x"',
  ["const char **"] = "&(const char *){0}", ["orr_time *"] = "&(orr_time){0}",
    ["orr_duration *"] = "&(orr_duration){0}",
  ["int64_t *"] = "&(int64_t){0}", ["bool *"] = "&(bool){0}", ["orr_records **"] = "&records",
}

local function given(p)
  local options = p.type:match "^const (orr_[%w_]+) %*$"
  if by_type[p.type] then return by_type[p.type] end
  if options then return ("&(%s){.size = sizeof(%s)}"):format(options, options) end
  if p.type == "void *" or p.type:find "_fn$" then return "NULL" end
  assert(not is_pointer(p), p.type)
  return p.type == "double" and "0.0" or "1"
end

-- What calls that shall succeed are given, by the parameter's name or by the function.
local by_name = {
  task = "the_task()", instance = "the_instance()", execution = "the_execution()",
    job = "the_job()", definition = "the_definition()",
  deployment = "the_deployment()", decision = "the_decision()", scope = "the_instance()",
    to = "the_instance()", of = "the_instance()",
  incident = "the_incident()", attachment_id = "the_attachment()", verb = '"tasks"',
    resources = "&files",
}
local function options(name, fields)
  return ("&(orr_%s_options){.size = sizeof(orr_%s_options), %s}"):format(name, name, fields)
end
local function instances(name, of)
  return options(name, (".instances = one(NULL, orr_int((int64_t)%s))"):format(of))
end
local before_people = 'one(NULL, *one("start_before", orr_string("people_t")))'
local by_function = {
  orr_cron_next = { expression = '"0 0 8 ? * MON-FRI"' },
    orr_time_parse = { text = '"2026-01-01"' },
  orr_duration_parse = { text = '"PT1S"' }, orr_time_format_local = { zone = '"Europe/Berlin"' },
  orr_builder_json = { json = '"{}"' },
  orr_builder_resources = { path = "folder" }, orr_builder_typed = { type = '"Integer"' },
    orr_builder_value = { builder = "full()" },
  orr_engine_copy_to = { path = 'below("copy")' }, orr_store_upgrade = { path = 'below("copy")' },
  orr_engine_definition_add_link = { type = '"candidate"', user = '"kermit"' },
  orr_engine_definition_remove_link = { type = '"candidate"', user = '"kermit"' },
  orr_engine_message = {
    name = '"m"', options = options("message", ".execution = the_execution()") },
  orr_engine_task_add_link = { type = '"candidate"', user = '"kermit"' },
    orr_engine_task_delete = { task = "the_own_task()" },
  orr_engine_task_remove_link = { type = '"candidate"', user = '"kermit"' },
  orr_engine_model_dialect = { model = "&text" },
      orr_engine_deployment_resource = { name = '"p.bpmn"' },
  orr_engine_decision_find = { options = options("decision", '.key = "d"') },
  orr_engine_decision_evaluate = { options = options("decision", '.key = "d"') },
  orr_engine_decision_code = { resource = '"d.dmn"' }, orr_decision_compile = { resources = "&dmn",
    resource = '"d.dmn"' },
  orr_engine_instance_start = { options = options("start", '.key = "people"') },
  orr_engine_instance_modify = { instructions = before_people },
  orr_engine_instances_modify = { instructions = before_people,
    options = instances("modify_instances", "the_instance()") },
  orr_engine_migration_plan = {
    options = options("migration", ".source = the_definition(), .target = the_definition()") },
  orr_engine_migration_check = { plan = "plan()" },
  orr_engine_instances_migrate = { plan = "plan()", options = instances("migrate",
      "the_instance()") },
  orr_engine_instances_restart = { options = instances("restart", "the_ended()") },
  orr_engine_task_create = { fields = 'one("name", orr_string("n"))' },
  orr_engine_attachment_add = {
    attachment = 'two("name", orr_string("n"), "url", orr_string("u"))' },
  orr_engine_attachment_content = { attachment = "the_attachment()" },
  orr_engine_external_complete = { task = "the_external()" },
  orr_engine_external_bpmn_error = { task = "the_external()" },
  orr_engine_external_fail = { task = "the_external()" },
  orr_engine_externals_fetch_and_lock = { request = "the_request()" },
  orr_engine_externals_unlock = { worker = '"x"' },
  orr_engine_batch_create = {
    options = options("batch", '.action = "suspend", .list = "instances"') },
  orr_engine_find = { id = "the_task()" },
  orr_engine_history_statistics = {
    request = 'one("definition", orr_int((int64_t)the_definition()))' },
  orr_engine_history_durations = { verb = '"history_tasks"', period = '"month"' },
}

-- What answers otherwise than with 0 when all is NULL that may be, and why.
local others = {
  orr_execution_bpmn_error = { "-6", "x" }, orr_engine_task_bpmn_error = { "-6",
    "caught by nobody" },
  orr_engine_task_escalation = { "-10", "caught by nobody" }, orr_engine_task_claim = { "-1",
    "needs a user" },
  orr_store_make_schema = { "-1", "PostgreSQL" },
  orr_engine_external_bpmn_error = { "-6", "caught by nobody" },
    orr_engine_operation_annotate = { "-2", "no user's operation" },
  orr_engine_conditions_evaluate = { "-2", "conditional start event" },
  orr_engine_start_form_submit = { "-1", "give its key or its id" },
}

local function call(fn, pass)
  local words = {}
  for i, p in ipairs(fn.params) do words[i] = p.type ~= "..." and pass(p) or nil end
  return ("%s(%s)"):format(fn.name, table.concat(words, ", "))
end

local function without(fn, missing)
  return call(fn, function(p) return p == missing and "NULL" or given(p) end)
end

-- `other`, by the parameter's name, is passed in place of what would succeed.
local function succeeding(fn, other)
  return call(fn, function(p)
    local own = by_function[fn.name]
    if other and other[p.name] then return other[p.name] end
    if own and own[p.name] then return own[p.name] end
    return is_pointer(p) and may_be_null(p) and "NULL" or by_type[p.type] ~= "execution"
      and by_name[p.name] or given(p)
  end)
end

local formats = { bool = "%d", int = "%d", int64_t = "%jd", orr_time = "%jd", orr_id = "%jd",
  size_t = "%zu", ["const char *"] = "%s",
  ["orr_engine *"] = "%s", orr_value = "%d" }
local casts = { int64_t = "(intmax_t)%s", orr_time = "(intmax_t)%s", orr_id = "(intmax_t)%s",
  ["const char *"] = "shown(%s)",
  ["orr_engine *"] = '%s ? "one" : "NULL"', orr_value = "%s.type" }
local odd_values
local walks = { ["orr_next.key"] = "0", ["orr_next.value"] = "0", ["orr_records_field.name"] = "1",
  ["orr_records_field.value"] = "1" } -- what may be NULL in functions that then do their work
local answers = { orr_error_set = "-5", orr_engine_changes = "-1", orr_feed_changes = "-1",
  orr_feed_descriptor = "-1", orr_milliseconds = tostring(math.mininteger) } -- ORR_TIME_NONE

local function neutral_line(fn, p)
  local what = without(fn, p)
  if formats[fn.result] then
    return ('  ANSWER("%s", "%s", "%s", %s);'):format(fn.name, p.name, formats[fn.result],
      (casts[fn.result] or "%s"):format(what))
  end
  return ('  ANSWER("%s", "%s", "%%s", (%s, "-"));'):format(fn.name, p.name, what)
end

local structs = {}
for _, entry in ipairs(api.options) do structs[entry.name] = entry end

-- A struct of options as a call takes it that succeeds, with one member that is no value.
local function odd_member(fn, p, member)
  local type = p.type:match "orr_[%w_]+"
  local own = by_function[fn.name] and by_function[fn.name][p.name] or given(p)
  if own:find("." .. member.name .. " =", 1, true) then return nil end
  return ("&(%s){%s, .%s = &odd}"):format(type, own:match "{(.*)}$", member.name)
end

-- To these, what is no map or no list has no entries, or belongs to another action than the one that
-- succeeds; nothing of it is stored.
local empty = {
  orr_engine_batch_create = { ["options.instructions"] = true, ["options.plan"] = true,
    ["options.variables"] = true },
  orr_builder_describe = { value = true }, orr_engine_open = { ["config.allow"] = true },
  orr_engine_decisions_record = { rows = true }, orr_decision_compile = { resources = true },
  orr_engine_instances_modify = { ["options.filter"] = true },
  orr_engine_migration_plan = { ["options.variables"] = true, ["options.instructions"] = true },
  orr_engine_migration_check = { ["options.instances"] = true },
  orr_engine_instances_migrate = { ["options.filter"] = true },
  orr_engine_task_update = { changes = true },
  orr_engine_instances_restart = { ["options.filter"] = true, ["options.instructions"] = true },
  orr_engine_executor_start = { ["options.priority_min"] = true, ["options.priority_max"] = true },
  orr_executor_new = { ["options.priority_min"] = true, ["options.priority_max"] = true },
}

-- What a function is passed in place of its values, one by one: [which] = { [parameter] = text }.
function odd_values(fn)
  local out = {}
  for _, p in ipairs(is_fallible(fn) and fn.params or {}) do
    local struct = structs[p.type:match "^const (orr_[%w_]+) %*$"]
    if p.type == "const orr_value *" then out[p.name] = { [p.name] = "&odd" } end
    for _, member in ipairs(struct and struct.members or {}) do
      if member.type == "const orr_value *" then
        local text = odd_member(fn, p, member)
        if text then out[p.name .. "." .. member.name] = { [p.name] = text } end
      end
    end
  end
  return out
end

-- The calls, and what is expected of each: [function][what] = a check of (code, text).
local function calls()
  local parts = { refused = {}, neutral = {}, allowed = {}, inside = {} }
  local function add(fn, part, format, ...)
    local first = fn.params[1]
    part = first and first.type == "orr_execution *" and "inside" or part
    table.insert(parts[part], format:format(...))
  end
  for _, fn in ipairs(api.functions) do
    local fallible, optional = is_fallible(fn), false
    for _, p in ipairs(fn.params) do
      local pointer = is_pointer(p) and not (fallible and p.type == "orr_error *")
        and not is_format(fn, p)
      if pointer and not fallible then add(fn, "neutral", "%s", neutral_line(fn, p))
      elseif pointer and may_be_null(p) then optional = true
      elseif pointer then add(fn, "refused", '  CODE("%s", "%s", %s);', fn.name, p.name, without(fn,
        p)) end
    end
    if optional then add(fn, "allowed", '  CODE("%s", "all", %s);', fn.name, succeeding(fn)) end
    for what, other in pairs(odd_values(fn)) do
      add(fn, "allowed", '  CODE("%s", "odd %s", %s);', fn.name, what, succeeding(fn, other))
    end
  end
  local text = {}
  for _, part in ipairs { "inside", "refused", "neutral", "allowed" } do
    local takes = part == "inside" and "orr_execution *execution" or "orr_records *some"
    text[#text + 1] = ("static void %s(%s) {\n(void)%s;\n%s\n}\n"):format(
      part, takes, takes:match "%w+$", table.concat(parts[part], "\n"))
  end
  return table.concat(text)
end

-- What the host says: [function][what was NULL] = { answer, text }, and the last line.
local function run_host()
  local dir <close> = command.folder()
  dir.file("calls.h", calls())
  assert(os.execute(("mkdir '%s/models'"):format(dir.path)))
  dir.file("models/p.bpmn", model:format(processes))
  dir.file("models/d.dmn", decision)
  local line = (". %s/env && "
    .. "cc -std=c11 -Wall -Wextra -Werror -I%s -o %s/host spec/bindings/null_host.c "
    .. "$(pkg-config --cflags --libs orrery-lua) && %s/host %s/models %s"):format(command.build,
      dir.path, dir.path, dir.path, dir.path, dir.path)
  local code, out, err = command.execute { "bash", "-c", line }
  local said, last = {}, nil
  for fn, what, answer, text in out:gmatch "([^\n\t]+)\t([^\n\t]+)\t(%S+)\t([^\n]*)" do
    said[fn] = said[fn] or {}
    said[fn][what] = said[fn][what] or { answer, text }
  end
  for whole in out:gmatch "[^\n]+" do last = whole end
  return said, { code, last, err }
end

describe("NULL in C", function()
  -- a plain program cannot be linked with what has a sanitizer in it
  if not command.build:find "/release$" then return end
  local said, ending

  setup(function() said, ending = run_host() end)

  -- For each function that has such pointers, what is wrong with it.
  local function findings(judge)
    local out = {}
    for _, fn in ipairs(api.functions) do
      for _, p in ipairs(fn.params) do
        local problem = is_pointer(p) and judge(fn, p, said[fn.name] or {})
        if problem then out[#out + 1] = ("%s, %s: %s"):format(fn.name, p.name, problem) end
      end
    end
    return out
  end

  it("ends no process", function() assert.same({ 0, "end", "" }, ending) end)

  it("is an argument error that names the engine, or what else a function needs", function()
    assert.same({}, findings(function(fn, p, of)
      if not is_fallible(fn) or may_be_null(p) or p.type == "orr_error *" then return nil end
      local answer = of[p.name] or {}
      local named = answer[2] == p.name .. " is NULL"
      return not (answer[1] == "-1" and named) and ("%s %s"):format(answer[1], answer[2])
    end))
  end)

  it("is fine where the header says so, and for a builder", function()
    assert.same({}, findings(function(fn, p, of)
      if not is_fallible(fn) or not may_be_null(p) or p.type == "void *" then return nil end
      local answer, expected = of.all or {}, others[fn.name] or { "0", "" }
      local right = answer[1] == expected[1] and (answer[2] or ""):find(expected[2], 1, true)
      return not right and ("%s %s"):format(answer[1], answer[2])
    end))
  end)

  it("is no more refused than a value that is none", function()
    local wrong = {}
    for _, fn in ipairs(api.functions) do
      for what in pairs(odd_values(fn)) do
        local answer = said[fn.name]["odd " .. what] or { "was not called", "" }
        local ignored = empty[fn.name] and empty[fn.name][what]
        if not ignored and answer[1] ~= "-1" then
          wrong[#wrong + 1] = ("%s, %s: %s %s"):format(fn.name, what, answer[1], answer[2])
        end
      end
    end
    assert.same({}, wrong)
  end)

  it("in place of a builder is what orr_builder_new leaves without memory", function()
    assert.same({ "-14", "there is no builder" }, said.orr_builder_value["without memory"])
  end)

  it("gives nothing where a function cannot fail", function()
    assert.same({}, findings(function(fn, p, of)
      if is_fallible(fn) or is_format(fn, p) then return nil end
      local answer = of[p.name] and of[p.name][1] or "was not called"
      local nothing = answers[fn.name] or ({ ["const char *"] = "NULL",
        ["orr_engine *"] = "NULL" })[fn.result]
        or formats[fn.result] and "0" or "-"
      return answer ~= (walks[fn.name .. "." .. p.name] or nothing) and answer
    end))
  end)
end)
