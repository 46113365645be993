-- Another process is stopped in the middle of a commit: what `orrery serve` and `orrery work` on the
-- same store say, and how they end.
-- Marks: load
local command = require "spec.cli.command"
local folder = require "spec.support.folder"
local store_child = require "spec.support.store_child"
local support = require "spec.server.support"

local STOPPED <const> = "store:commit({ { { 'put', 'other', 'value' } } }, 'stopped')"

describe("a process that is stopped inside a commit", function()
  local room
  before_each(function() room = folder.make() end)
  after_each(function() folder.remove(room) end)

  --- `path`: of a store that is there.
  local function stopped(path)
    local other = store_child(room, path)
    other:send(STOPPED)
    support.wait(function() return other:is_stopped() end, "the stop")
    return other
  end

  it("has a server not be ready, answer what writes with 503, and end at SIGTERM", function()
    local server <close> = support.serve { files = { ["waiting.bpmn"] = support.waiting },
      arguments = "--deploy %f/waiting.bpmn" }
    local function ready() return (server:ask("GET", "/health/ready")) end
    local other <close> = stopped(server.store)
    local status, answer = server:ask("POST", "/process-definition/key/waiting/start", {})
    assert.equal(503, status)
    local why = ("process %d holds its write lock and is stopped"):format(other.pid)
    assert.truthy(answer.message:find(why, 1, true), answer.message)
    assert.equal(503, ready())
    assert.equal(200, (server:ask("GET", "/health/live")))
    assert.equal(200, (server:ask("GET", "/process-instance/count")))

    other:signal "CONT"
    assert.truthy(other:answer())
    support.wait(function() return ready() == 200 end, "readiness")
    assert.equal(200, (server:ask("POST", "/process-definition/key/waiting/start", {})))
    assert.equal(1, select(2, server:log():gsub("store away", "")))
    assert.equal(1, select(2, server:log():gsub("store back", "")))

    local again <close> = stopped(server.store)
    support.wait(function() return ready() == 503 end, "its absence")
    assert.equal(0, server:stop "TERM")
  end)

  it("lets `orrery work` end at SIGTERM", function()
    local dir <close> = command.folder()
    local orrery = require "orrery"
    local path = dir.path .. "/store"
    do
      local engine <close> = orrery.open(path, { log = "none" })
      engine:deploy { ["p.bpmn"] = command.one_node [[<serviceTask id="work"
        camunda:asyncBefore="true" camunda:class="work"/>]] }
      engine:start "p"
    end
    local lua = dir.file("work.lua", ([[return function(engine)
      engine:register("work", function()
        io.open("%s/begun", "w"):close()
        while not io.open "%s/go" do require("orrery").sleep(0.01) end
      end)
    end]]):format(dir.path, dir.path))
    local line = ("echo $$; exec '%s' work '%s' --lua '%s' 2>'%s/err'"):format(command.path, path, lua,
      dir.path)
    local pipe = assert(io.popen(line))
    local pid = pipe:read "l"
    support.wait(function() return io.open(dir.path .. "/begun") end, "the job")
    local other <close> = stopped(path)
    dir.file("go", "") -- its outcome cannot be written
    assert(os.execute("kill -TERM " .. pid))
    local _, _, code = pipe:close()
    assert.equal(0, code)
    other:signal "CONT"
    assert.truthy(other:answer())
    local engine <close> = orrery.open(path, { log = "none" })
    assert.equal(1, engine:count "jobs") -- and nothing of it was done
    assert.equal(3, engine:jobs({})[1].retries)
  end)
end)
