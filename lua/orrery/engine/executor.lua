--- One executor for several engines.
local core = require "orrery.core"
local errors = require "orrery.errors"
local zero = require "orrery.zero"

local Executor = {}
Executor.__index = Executor
Executor.__name = "orrery.Executor"

local function engine_of(name, engine)
  if type(engine) ~= "table" or not engine.core then errors.argument(name, 1, "engine expected, got " .. type(engine)) end
  return engine.core
end

function Executor:add(engine)
  self.core:add(engine_of("add", engine))
  self.engines[engine] = true -- an engine is not collected while it is served
end

function Executor:remove(engine)
  self.core:remove(engine_of("remove", engine))
  self.engines[engine] = nil
end

function Executor:start()
  self.core:start()
  for engine in pairs(self.engines) do engine.core:executor_starts() end
end
function Executor:stop() self.core:stop() end
function Executor:close()
  if self.closed then return end
  self.core:stop() -- raises when what its engines run calls it
  self.closed = true
  self.core:close()
end
Executor.__close = Executor.close

local M = {}

function M.new(options) return setmetatable({ core = core.executor_new(zero.executor("executor", 1, options)), engines = {} }, Executor) end

return M
