--- One engine with a random model, and what becomes of it: it is closed and opened, killed, or given
--- threads.
local orrery = require "orrery"
local client = require "spec.sim.world.client"

local World = {}
World.__index = World

local ROUNDS_MAX <const> = 50
local SECONDS_MAX <const> = 60 -- until threads that have something to do are done with it

--- `options`: { dialect =, folder = nil for a private store that is never opened again, calm =,
--- threads = how many run its jobs, nil for none }.
function World.new(options)
  local self = setmetatable({ deaths = 0, completed = {} }, World)
  for key, value in pairs(options) do self[key] = value end
  self:open()
  return self
end

function World:open()
  self.engine = orrery.open(self.folder, {
    clock = "manual", now = self.now, dialect = self.dialect, durability = "none",
    history = "full", log = "none",
  })
  if self.threads then self.engine:start_executor { threads = self.threads } end
end

function World:close()
  if self.threads then self.engine:stop_executor() end
  self.engine:close()
end

World.__close = World.close

function World:reopen()
  self.now = self.engine:now()
  self:close()
  self:open()
end

--- What the store holds at this moment is what a process that dies leaves; it goes on from there.
function World:kill()
  self.deaths = self.deaths + 1
  self.now = self.engine:now()
  local left = ("%s.%d"):format(self.folder, self.deaths)
  assert(os.execute(("mkdir '%s' && cp --sparse=always '%s/data.mdb' '%s'")
    :format(left, self.folder, left)))
  self:close()
  self.folder = left
  self:open()
end

--- Does an action; what it raised, as text, or nil. An error that is not one of the API's own is a
--- fault here.
function World:act(action)
  local ok, err = pcall(client[action.name], self, action)
  if ok then return nil end
  if type(err) ~= "table" or err.kind == nil or err.kind == "store" then
    error(("%s raised %s"):format(action.name, tostring(err)), 0)
  end
  return err.kind .. ": " .. err.message:gsub("%d%d%d%d+", "#")
end

--- Until no job is due.
function World:drain()
  if self.threads then
    assert(self.engine:wait_idle(SECONDS_MAX), "jobs without end")
    return
  end
  for _ = 1, ROUNDS_MAX do
    if self.engine:run_jobs(100) == 0 then return end
  end
  error("jobs without end", 0)
end

return World
