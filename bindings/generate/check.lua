-- Refuses what the emitters could not say correctly. Every finding names its place in the header; all of them are reported.
local check = {}

local function set(list, key)
  local out = {}
  for _, item in ipairs(list) do out[key and item[key] or item] = item end
  return out
end

--- Sorts a function's doc comment into text, parameters, result and errors. A tag's text goes on to the next tag.
local function read_doc(fn)
  local doc = { text = {}, params = {}, errors = {} }
  local into, key
  for _, line in ipairs(fn.doc) do
    local name, text = line:match "^@param%s+([%w_]+)%s+(.+)$"
    local code, why = line:match "^@error%s+([%u_]+)%s+(.+)$"
    local result = line:match "^@return%s+(.+)$"
    if name then into, key = doc.params, name
    elseif code then into, key = doc.errors, code
    elseif result then into, key = doc, "result"
    elseif line:match "^@" then doc.strange = line end
    if name or code or result then into[key] = text or why or result
    elseif into then into[key] = into[key] .. " " .. line
    else doc.text[#doc.text + 1] = line end
  end
  return doc
end

local function c_only(types, name)
  for _, rule in ipairs(types.c_only) do
    if name:match(rule[1]) then return rule[2] end
  end
end

local function check_codes(fn, known, problem)
  for i, code in ipairs(fn.codes) do
    if not known[code] then problem(fn.place, "%s: %s is no error code", fn.name, code) end
    if i > 1 and fn.codes[i - 1] >= code then problem(fn.place, "%s: the codes of ORR_ERR are not sorted at %s", fn.name, code) end
  end
end

--- What a parameter is to the emitters: fn.receiver, fn.fallible, fn.arguments, fn.results.
local function check_parameter(fn, i, p, api, types, problem)
  local handle = p.type:match "^([%w_]+) %*$"
  if p.type == "orr_error *" then
    if i ~= #fn.params then problem(fn.place, "%s: err is not the last parameter", fn.name) end
    fn.fallible = true
  elseif handle and api.handles_by_name[handle] and types.results[p.type] == nil then
    p.handle = api.handles_by_name[handle]
    if i == 1 then fn.receiver = p else fn.arguments[#fn.arguments + 1] = p end
  elseif types.results[p.type] then
    p.result = types.results[p.type]
    fn.results[#fn.results + 1] = p
  elseif p.type:match "^const [%w_]+ %*$" and api.options_by_name[p.type:match "^const ([%w_]+)"] then
    p.options = api.options_by_name[p.type:match "^const ([%w_]+)"]
    fn.arguments[#fn.arguments + 1] = p
  elseif types.parameters[p.type] and types.parameters[p.type].read then
    p.argument = types.parameters[p.type]
    p.milliseconds = p.type == "double" and p.name:match "_ms$" ~= nil
    fn.arguments[#fn.arguments + 1] = p
  else
    problem(fn.place, "%s: the type '%s' of %s is not in bindings/generate/types.lua", fn.name, p.type, p.name)
  end
end

local function check_function(fn, api, types, problem)
  fn.described = read_doc(fn)
  fn.arguments, fn.results = {}, {}
  if not fn.level then problem(fn.place, "%s has no ORR_API level", fn.name) end
  check_codes(fn, api.errors_by_name, problem)
  if fn.described.strange then problem(fn.place, "%s: what is '%s'?", fn.name, fn.described.strange) end
  fn.c_only = c_only(types, fn.name)
  if fn.c_only or api.destructors[fn.name] then
    fn.c_only = fn.c_only or "closing the object calls it"
    return
  end
  if #fn.described.text == 0 then problem(fn.place, "%s has no description", fn.name) end
  local names = set(fn.params, "name")
  for name in pairs(fn.described.params) do
    if not names[name] then problem(fn.place, "%s describes a parameter '%s' that it does not have", fn.name, name) end
  end
  for i, p in ipairs(fn.params) do check_parameter(fn, i, p, api, types, problem) end
  if fn.fallible ~= (fn.result == "int") then fn.fallible = fn.fallible or false end
  if not fn.fallible and not types.returns[fn.result] then
    problem(fn.place, "%s: the result '%s' is not in bindings/generate/types.lua", fn.name, fn.result)
  end
  if fn.fallible and fn.result ~= "int" then problem(fn.place, "%s can fail but does not return int", fn.name) end
end

local function check_options(options, api, types, problem)
  local in_lua = types.member_names[options.name] or {}
  for i, member in ipairs(options.members) do
    member.lua_name = in_lua[member.name] or member.name
    if i == 1 and (member.name ~= "size" or member.type ~= "uint32_t") then
      problem(options.place, "%s does not begin with uint32_t size", options.name)
    end
    local rule = types.parameters[member.type]
    if i == 1 or types.c_members[member.type] then member.skip = true
    elseif types.enums[member.type] then member.enum = types.enums[member.type]
    elseif api.options_by_name[member.type] then
      problem(options.place, "%s: %s lies in it by value, so that its growing moves other fields", options.name, member.name)
    elseif api.options_by_name[member.type:match "^const ([%w_]+) %*$"] then
      member.nested = api.options_by_name[member.type:match "^const ([%w_]+) %*$"]
    elseif rule and rule.option then member.rule = rule
    else problem(options.place, "%s: the type '%s' of %s is not in bindings/generate/types.lua", options.name, member.type, member.name) end
  end
end

--- Adds to the table what the emitters need; raises a text that lists every problem.
function check.run(api, types)
  local problems = {}
  local function problem(place, format, ...) problems[#problems + 1] = ("%s: " .. format):format(place, ...) end
  api.options_by_name, api.errors_by_name = set(api.options, "name"), set(api.errors, "name")
  api.handles_by_name, api.destructors = {}, {}
  for _, handle in ipairs(api.handles) do
    if handle.class then
      handle.destroy = handle.class:match "destroy%s*=%s*([%w_]+)"
      handle.short = handle.name:match "^orr_(.+)$"
      handle.title = "orrery." .. handle.short:sub(1, 1):upper() .. handle.short:sub(2)
      api.handles_by_name[handle.name] = handle
      if handle.destroy then api.destructors[handle.destroy] = true end
    elseif not ({ orr_value = true, orr_builder = true, orr_scripts = true })[handle.name] then
      problem(handle.place, "the handle %s has no ORR_CLASS", handle.name)
    end
  end
  for _, enum in ipairs(api.enums) do
    local texts = types.enums[enum.name]
    if texts and #texts ~= #enum.values then
      problem(enum.place, "%s has %d values, bindings/generate/types.lua %d", enum.name, #enum.values, #texts)
    end
  end
  for _, options in ipairs(api.options) do check_options(options, api, types, problem) end
  for _, fn in ipairs(api.functions) do check_function(fn, api, types, problem) end
  if #problems > 0 then error(table.concat(problems, "\n"), 0) end
  return api
end

--- Raises unless each name of Lua belongs to a function that Lua has. `names` is lua_names.lua.
function check.lua_names(api, names)
  local functions, problems = set(api.functions, "name"), {}
  for name in pairs(names) do
    local fn = functions[name]
    local wrong = not fn and "no function" or fn.c_only and "for C alone: " .. fn.c_only
    if wrong then problems[#problems + 1] = ("lua_names.lua: %s is %s"):format(name, wrong) end
  end
  table.sort(problems)
  if #problems > 0 then error(table.concat(problems, "\n"), 0) end
end

return check
