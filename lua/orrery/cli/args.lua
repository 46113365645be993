--- Command line arguments, read by a declaration that is also the help text:
--- { name, summary, arguments = { { name, help, optional=, many= } }, notes, one = "--show",
---   options = { { "--name", help, value = "WORD", many=, as = "count", choices = { "one", "other" }, with = { "--other" },
---     words = { "--called" }, short = "-c" } } }
--- `as` says what the value is read as, `choices` which words it may be, `with` that the option goes only beside one of these, `words`
--- what other programs call it, `short` its letter; `one` is the option by which a list shows one.
local args = {}

local Usage = { __tostring = function(self) return self.message end }

--- Raises what main answers with a hint and exit code 2.
function args.usage(format, ...) error(setmetatable({ message = format:format(...) }, Usage), 0) end

function args.is_usage(e) return getmetatable(e) == Usage end

--- "orrery run FILE [options]".
function args.usage_line(spec)
  local words = { "orrery", spec.name }
  for _, a in ipairs(spec.arguments or {}) do
    local word = a[1] .. (a.many and "…" or "")
    words[#words + 1] = a.optional and "[" .. word .. "]" or word
  end
  words[#words + 1] = "[options]"
  return table.concat(words, " ")
end

--- The options as { "--name VALUE", help }, with --help.
function args.option_rows(spec)
  local rows = {}
  for _, o in ipairs(spec.options or {}) do
    rows[#rows + 1] = { (o.short and o.short .. ", " or "") .. o[1] .. (o.value and " " .. o.value
      or ""), o[2] }
  end
  rows[#rows + 1] = { "--help", "this text" }
  return rows
end

function args.help(spec)
  local rows, width = {}, 0
  for _, a in ipairs(spec.arguments or {}) do rows[#rows + 1] = { a[1], a[2] } end
  table.move(args.option_rows(spec), 1, #(spec.options or {}) + 1, #rows + 1, rows)
  for _, row in ipairs(rows) do width = math.max(width, utf8.len(row[1])) end
  local lines = { spec.summary, "", "Usage: " .. args.usage_line(spec), "" }
  for _, row in ipairs(rows) do lines[#lines + 1] = "  " .. row[1] .. (" "):rep(width - utf8.len(row[1]) + 2) .. row[2] end
  if spec.notes then
    lines[#lines + 1] = ""
    lines[#lines + 1] = spec.notes
  end
  return table.concat(lines, "\n")
end

local function key_of(name) return (name:sub(3):gsub("-", "_")) end

--- "; did you mean --where?", or nothing when none is near.
local function near(wrong, names)
  local nearest = require "orrery.core".nearest(wrong, names)
  return nearest and ("; did you mean %s?"):format(nearest) or ""
end

function args.unknown(kind, wrong, names) args.usage("unknown %s %s%s", kind, wrong, near(wrong, names)) end

local function find_option(spec, name)
  local names = { "--help" }
  for _, option in ipairs(spec.options or {}) do
    if option[1] == name or option.short == name then return option end
    for _, word in ipairs(option.words or {}) do
      local value = option.value and " " .. option.value or ""
      if word == name then args.usage("unknown option %s; did you mean %s%s?", name, option[1], value) end
    end
    names[#names + 1] = option[1]
  end
  args.unknown("option", name, names)
end

local function at_least(least)
  return function(text)
    local n = math.tointeger(tonumber(text))
    return n and n >= least and n or nil
  end
end

local DAY = 24 * 3600
local units = { s = 1, m = 60, h = 3600, d = DAY, w = 7 * DAY }

local days = { today = 0, yesterday = -1, tomorrow = 1 }

--- A time as people write it: a date or time, now, a day's begin in UTC (today, yesterday,
--- tomorrow), +2h or +PT2H from now, -2h or -PT2H ago; 2h or PT2H is from now where `ahead` says that
--- such a time is to come, and ago otherwise. What is none raises an error.
function args.time(text, ahead)
  local now = require "orrery.cli.clock".now()
  if text == "now" then return now end
  if days[text] then return (now // DAY + days[text]) * DAY end
  local orrery = require "orrery"
  local sign, length = text:match "^([+-]?)(%d+%.?%d*[smhdw])$"
  if not sign then sign, length = text:match "^([+-]?)(P.+)$" end
  if not sign then return (orrery.parse_time(text)) end
  local n, unit = length:match "^(.*)([smhdw])$"
  local seconds = n and tonumber(n) * units[unit] or orrery.parse_duration(length)
  if sign == "" then sign = ahead and "+" or "-" end
  return sign == "+" and now + seconds or now - seconds
end

--- What an option's text is read as; nil: it is none.
local readers = {
  integer = { "an integer", function(text) return math.tointeger(tonumber(text)) end },
  number = { "a number", tonumber },
  count = { "an integer of 0 or more", at_least(0) }, positive = { "an integer of 1 or more", at_least(1) },
  time = { "a date or time such as 2026-01-31T08:00:00Z or tomorrow or 2h or PT2H from now",
    function(text) return args.time(text, true) end },
  moment = { "a date or time, today, yesterday, or how long ago it was, such as 2h, 3d or PT2H",
    function(text) return args.time(text, false) end },
  duration = { "seconds or a duration such as PT5M", function(text) return (require "orrery".parse_duration(tonumber(text) or text)) end },
}

local function read_value(option, text)
  for _, choice in ipairs(option.choices or {}) do
    if choice == text then return text end
  end
  if option.choices then args.usage('%s needs one of %s, got "%s"', option[1], table.concat(option.choices, ", "), text) end
  local reader = readers[option.as]
  if not reader then return text end
  local ok, value = pcall(reader[2], text)
  return ok and value or args.usage('%s needs %s, got "%s"', option[1], reader[1], text)
end

--- Of logs, from the least to the most.
args.levels = { "none", "error", "warning", "info", "debug" }
args.dialects = { "auto", "camunda", "flowable", "orrery" }

local function take_option(spec, argv, i, out)
  local name, inline = argv[i]:match "^(%-%-[^=]+)=(.*)$"
  local option = find_option(spec, name or argv[i])
  local key = key_of(option[1])
  if not option.value then
    if inline then args.usage("%s takes no value", option[1]) end
    out[key] = true
    return i + 1
  end
  local value = inline or argv[i + 1]
  if value == nil then args.usage("%s needs %s", option[1], option.value) end
  if option.many then
    out[key] = out[key] or {}
    table.insert(out[key], value)
  else
    if out[key] ~= nil then args.usage("%s is given twice", option[1]) end
    out[key] = read_value(option, value)
  end
  return inline and i + 1 or i + 2
end

local function takes(spec, name)
  for _, option in ipairs(spec.options or {}) do
    if option[1] == name then return true end
  end
  return false
end

local function check_count(spec, out)
  local least, most = 0, 0
  for _, a in ipairs(spec.arguments or {}) do
    if not a.optional then least = least + 1 end
    most = a.many and math.huge or most + 1
  end
  if #out < least then args.usage("%s is missing", spec.arguments[#out + 1][1]) end
  if #out > most then
    local extra = out[most + 1]
    local meant = spec.one or extra:find "^[%a_][%w_.-]*=" and takes(spec, "--set") and "--set"
    args.usage('"%s" is one argument too many%s', extra, meant
      and ("; did you mean %s %s?"):format(meant, extra) or "")
  end
end

local function check_company(spec, out)
  for _, option in ipairs(spec.options or {}) do
    local fine = not option.with or out[key_of(option[1])] == nil
    for _, other in ipairs(option.with or {}) do fine = fine or out[key_of(other)] ~= nil end
    if not fine then args.usage("%s goes with %s", option[1], table.concat(option.with, " or ")) end
  end
end

--- Reads argv from `first` on: positional arguments as an array, options by name. `--` ends the options; help=true asks for help.
function args.parse(spec, argv, first)
  local out, i, only_arguments = {}, first, false
  while argv[i] do
    local word = argv[i]
    if only_arguments or word == "-" or word:sub(1, 1) ~= "-" then
      out[#out + 1] = word
      if spec.rest and #out == spec.rest then return table.move(argv, i + 1, #argv, #out + 1, out) end
      i = i + 1
    elseif word == "--" then
      only_arguments, i = true, i + 1
    elseif word == "--help" or word == "-h" then
      return { help = true }
    else
      i = take_option(spec, argv, i, out)
    end
  end
  check_count(spec, out)
  check_company(spec, out)
  return out
end

local constants = { ["true"] = true, ["false"] = false }

--- JSON that the command line or a file of it has; `name` is for complaints, `hint` (may be nil)
--- what else could have been meant.
function args.json(name, text, hint)
  local value, problem = require "orrery".json.decode(text)
  if value == nil then args.usage("%s is not JSON: %s%s", name, problem, hint or "") end
  return value
end

--- What a file has that the command line names.
function args.contents(name, path)
  local file, problem = io.open(path, "rb")
  local text = file and file:read "a"
  if file then file:close() end
  if not text then args.usage("%s: %s", name, problem or path .. " cannot be read") end
  return text
end

--- A value as it is written on a command line: numbers, true, false, null, quoted texts, [arrays] and {objects} are JSON, @FILE is what
--- the file has (JSON where its name ends in .json, else text), and all else is text. `name` is for complaints.
function args.value(name, text)
  local first = text:sub(1, 1)
  if first == "@" then
    local content = args.contents(name .. ": @ names a file; a text that begins so goes in quotes", text:sub(2))
    if text:find "%.json$" then return args.json(name, content) end
    return content
  end
  if first == '"' then return args.json(name, text) end
  if first == "[" or first == "{" then
    return args.json(name, text, "; a text that begins so goes in quotes")
  end
  if text == "null" then return require "orrery.core".null end
  if constants[text] ~= nil then return constants[text] end
  return text:find "^[-+]?%.?%d" and tonumber(text) or text
end

--- NAME=VALUE pairs as a table.
function args.assignments(list, complaint)
  local out = {}
  for _, pair in ipairs(list or {}) do
    local name, text = pair:match "^([^=]+)=(.*)$"
    if not name then args.usage(complaint or '--set needs NAME=VALUE, got "%s"', pair) end
    out[name] = args.value(name, text)
  end
  return out
end

--- A record's id as it is printed.
function args.id(text)
  return text:find "^%d+$" and text or args.usage('"%s" is no id', text)
end

return args
