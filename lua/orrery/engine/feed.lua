--- The change feed of an engine: what has been committed of the topics and instances that are watched.
local errors = require "orrery.errors"
local ids = require "orrery.ids"

local Feed = {}
Feed.__index = Feed
Feed.__name = "orrery.Feed"

local function subject(name, what) return errors.check_options(name, 1, what, { "topic", "instance", "all" }) end

function Feed:watch(what) self.core:watch(subject("watch", what)) end
function Feed:unwatch(what) self.core:unwatch(subject("unwatch", what)) end
function Feed:take() return ids.fields(self.core:take()) end
function Feed:wait(timeout) return self.core:wait(errors.check_type("wait", 1, timeout, "number")) end
function Feed:descriptor() return self.core:descriptor() end

function Feed:close()
  if self.closed then return end
  self.closed = true
  self.core:close()
end
Feed.__close = Feed.close

local M = {}

--- `options`: { topics = {...}, instances = {...}, all = true }, watched from the beginning.
function M.open(engine, options)
  options = errors.check_options("feed", 1, options, { "topics", "instances", "all" })
  errors.check_type("feed", 1, options.topics, "table", "nil")
  errors.check_type("feed", 1, options.instances, "table", "nil")
  errors.check_type("feed", 1, options.all, "boolean", "nil")
  local self = setmetatable({ core = engine.core:feed(), engine = engine }, Feed)
  if options.all then self:watch { all = true } end
  for _, topic in ipairs(options.topics or {}) do self:watch { topic = topic } end
  for _, instance in ipairs(options.instances or {}) do self:watch { instance = instance } end
  return self
end

return M
