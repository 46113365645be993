--- A Lua prompt with an engine at hand. It reads lines from where `options.read(prompt)` gets them, so a host may put it on any console:
---   require "orrery.repl".run { engine = engine, read = io.read, print = print }
local complete = require "orrery.repl.complete"
local core = require "orrery.core"
local help = require "orrery.repl.help"
local inspect = require "orrery.inspect"
local listing = require "orrery.repl.listing"
local orrery = require "orrery"
local reload = require "orrery.repl.reload"

local repl = {}

local Repl = {}
Repl.__index = Repl

--- What the prompt's globals are: Lua's own, orrery, engine, and short words for what one asks most.
local function environment(self)
  local engine = self.engine
  local env = { orrery = orrery, engine = engine, inspect = inspect, _ = nil }
  function env.help(topic) self.print(help.text(topic, engine)) end
  function env.reload()
    local names = reload(self.path)
    if self.setup then self.setup() end
    self.print(#names == 0 and "no module of this program is loaded" or "read again when next needed: " .. table.concat(names, ", "))
  end
  function env.print(...)
    local parts = {}
    for i = 1, select("#", ...) do parts[i] = core.shown(tostring((select(i, ...))), true) end
    self.print(table.concat(parts, "    "))
  end
  function env.tree(instance)
    local found = type(instance) == "table" and instance or engine:instance(instance)
    if not found then error(("there is no running instance %s"):format(tostring(instance)), 0) end
    self.print(inspect.tree(found:tree(), self.paint))
  end
  for _, verb in ipairs { "definitions", "instances", "tasks", "jobs", "incidents" } do
    env[verb] = function(filter) return engine[verb](engine, filter) end
  end
  return setmetatable(env, { __index = _G })
end

--- An expression or a statement; nil and true when more lines must follow.
local function compile(self, text)
  local chunk = load("return " .. text, "=prompt", "t", self.env)
  if chunk then return chunk end
  local problem
  chunk, problem = load(text, "=prompt", "t", self.env)
  if chunk then return chunk end
  return nil, problem:find "<eof>'?$" ~= nil, problem
end

--- The name that a message of Lua's says is nil, and what names there are of its kind.
local function missing_name(self, message)
  local kind, name = message:match "attempt to %a+ a nil value %((%a+) '([%w_]+)'%)"
  if kind == "global" then return name, complete.names(self.env) end
  if kind == "method" or kind == "field" then return name, complete.methods(self.engine) end
end

--- "; did you mean 'start'?", when the message is about a name that is nearly one.
local function suggestion(self, message)
  local name, names = missing_name(self, message)
  local near = name and core.nearest(name, names)
  return near and near ~= name and ("; did you mean '%s'?"):format(near) or ""
end

local function show_failure(self, e)
  local meta = getmetatable(e)
  self.failed = true
  if type(e) == "string" then e = e:gsub("^[^\n]*", function(first) return first .. suggestion(self, first) end, 1) end
  local bare = type(e) == "table" and not (meta and meta.__tostring)
  self.print(self.paint("bad", bare and inspect.value(e) or core.shown(tostring(e), true)))
end

local function show(self, ok, ...)
  if not ok then return show_failure(self, (...)) end
  local count = select("#", ...)
  if count > 0 then self.env._ = (...) end
  for i = 1, count do
    local value = select(i, ...)
    if listing.is_list(value) then self.print(listing.text(value, self.paint))
    elseif i > 1 or value ~= nil or count > 1 then self.print(inspect.value(value, self.paint, core.time_format)) end
  end
end

--- Our errors say all that matters; Lua's come with where they were raised.
local function handler(e)
  if type(e) == "table" then return e end
  return (debug.traceback(tostring(e), 2):gsub("\n%s*%[C%]: in function 'xpcall'.*$", ""))
end

--- Of an input that is a name, or a field of something, and nil: the name that it nearly is.
local function tell_near(self, text)
  local path = text:match "^%s*([%a_][%w_.]*)%s*$"
  if not path or path == "_" or select(2, pcall(load("return " .. path, "=prompt", "t", self.env) or error)) ~= nil then return end
  local near
  if path:find(".", 1, true) then near = complete.near(self.env, path) else near = core.nearest(path, complete.names(self.env)) end
  if near and near ~= path then self.print(("nil; did you mean '%s'?"):format(near)) end
end

--- Words that mean something alone, as in other prompts, unless the program has given them to something.
local words = {
  help = function(self) self.env.help() end,
  exit = function(self) self.over = true end,
  quit = function(self) self.over = true end,
}

local function take_word(self, text)
  local word = text:match "^%s*(%a+)%s*$"
  local act = words[word]
  if not act or rawget(self.env, word) ~= (word == "help" and self.env.help or nil) or _G[word] ~= nil then return false end
  act(self)
  return true
end

--- A method that is named and not called would wait for its arguments on the next line: says how it is called instead.
local function tell_method(self, text)
  local object, name = text:match "^%s*([^\n]-[%w_%]%)}]):([%a_][%w_]*)%s*$"
  local get = object and load("return " .. object, "=prompt", "t", self.env)
  local ok, value = pcall(get or error)
  local found, method = pcall(function() return ok and value[name] end)
  if not (found and type(method) == "function") then return false end
  self.print(help.text(method, self.engine))
  return true
end

--- Runs one input; returns true when it is not complete yet.
function Repl:feed(text)
  if not text:find "%S" or take_word(self, text) then return false end
  text = text:gsub("^%s*=", "", 1) -- "= value", as older Luas had it
  local chunk, incomplete, problem = compile(self, text)
  if incomplete and tell_method(self, text) then return false end
  if incomplete then return true end
  if not chunk then
    show(self, false, problem)
  else
    show(self, xpcall(chunk, handler))
    tell_near(self, text)
  end
  return false
end

--- Candidates for the word before the cursor; see repl/complete.lua.
function Repl:complete(word, line, cursor) return complete.candidates(self.env, self.engine, word, line, cursor) end

--- `path`: where the program's modules lie; `setup` registers its delegates anew after reload().
function repl.new(options)
  local self = setmetatable({ engine = options.engine, print = options.print or print, failed = false, path = options.path or "",
    setup = options.setup }, Repl)
  self.paint = options.paint or function(_, text) return text end
  self.env = environment(self)
  return self
end

--- Whether more lines must follow.
local function run_input(self, text)
  local ok, incomplete = pcall(self.feed, self, text)
  if not ok then show(self, false, incomplete) end
  return ok and incomplete
end

--- \e: what was begun, or the last input, as the editor has left it; nil: there is no editor, or nothing to run.
local function edited(self, options, text)
  if not options.edit then
    show(self, false, "\\e edits only at a terminal")
    return nil
  end
  local ok, new = pcall(options.edit, text or self.last or "")
  if not ok then show(self, false, new) end
  if not ok or not new:find "%S" then return nil end
  self.print(new)
  return new
end

--- Takes a line; returns the input that is begun, if more must follow.
local function take_line(self, options, text, line)
  if line:find "^%s*\\e%s*$" then text = edited(self, options, text) else text = text and text .. "\n" .. line or line end
  if not text or run_input(self, text) then return text end
  if text:find "%S" then
    self.last = text
    if options.remember then options.remember(text) end
  end
end

--- Reads and runs until the input ends, or `options.ended()` after an input says so; a read that gives false was interrupted.
--- Returns whether nothing failed.
function repl.run(options)
  local self = options.repl or repl.new(options)
  local text
  while true do
    local line = options.read(text and "     >> " or "orrery> ")
    if line == nil then
      if text then show(self, false, "the input ends within a statement") end
      return not self.failed
    end
    if line == false then -- interrupted: what was begun is forgotten
      self.print ""
      text = nil
    else
      text = take_line(self, options, text, line)
      if self.over or options.ended and options.ended() then return not self.failed end
    end
  end
end

return repl
