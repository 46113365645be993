-- orrery history -f tells what happens as it happens.
-- Marks: commands
local command = require "spec.cli.command"
local decode = require("dkjson").decode
local orrery = require "orrery"

local model = command.model([[<startEvent id="start"/>
  <sequenceFlow id="f1" sourceRef="start" targetRef="charge"/>
  <serviceTask id="charge" camunda:asyncBefore="true" camunda:class="charge"/>
  <sequenceFlow id="f2" sourceRef="charge" targetRef="pack"/><userTask id="pack"/>
  <sequenceFlow id="f3" sourceRef="pack" targetRef="end"/><endEvent id="end"/>]], "order")

local SECONDS_MAX <const> = 60 -- one that goes on for longer hangs

local function open(dir)
  local engine = orrery.open(dir.path .. "/store", { log = "none" })
  engine:deploy { ["order.bpmn"] = model }
  engine:register("charge", function() end)
  return engine
end

--- The command at work. `next()` gives its next event in words; nil: it has ended. The first line
--- is the process, to which a signal may be sent.
local function follow(dir, ...)
  local shell = "timeout -k 1 %d env --default-signal=INT "
    .. "sh -c 'echo $$; exec %s history %s/store %s --json'; echo rc $?"
  local line = shell:format(SECONDS_MAX, command.path, dir.path, table.concat({ ... }, " "))
  local stream = io.popen(line, "r")
  local self = { pid = stream:read "l" }
  function self.next()
    local text = stream:read "l"
    local code = text:match "^rc (%d+)"
    if code then
      self.code = tonumber(code)
      return stream:close() and nil
    end
    local e = assert(decode(text), text)
    return ("%s %s"):format(e.event, e.activity or e.business_key or "-")
  end
  return self
end

local function expect(told, words)
  for _, word in ipairs(words) do assert.equal(word, told.next()) end
end

describe("orrery history --follow", function()
  it("goes on with what happens to an instance, until it has ended", function()
    local dir <close> = command.folder()
    local engine <close> = open(dir)
    engine:start("order", { business_key = "o1" })
    local told = follow(dir, "o1", "-f")
    expect(told, { "started o1", "done start", "waits charge" })
    engine:run_jobs()
    expect(told, { "done charge", "enter pack", "waits pack" })
    engine:task({}):complete()
    expect(told, { "done pack", "done end", "completed -" })
    assert.is_nil(told.next())
    assert.equal(0, told.code)
    local again = follow(dir, "o1", "--follow") -- all of it, and no more will come
    expect(again, { "started o1", "done start", "done charge" })
  end)

  it("tells of all instances when they begin and end, until a signal comes", function()
    local dir <close> = command.folder()
    local engine <close> = open(dir)
    engine:start("order", { business_key = "o1" })
    local told = follow(dir, "-f", "--since", "1h")
    expect(told, { "started o1" })
    local second = engine:start("order", { business_key = "o2" })
    expect(told, { "started o2" })
    second:delete()
    expect(told, { "terminated -" })
    assert(os.execute("kill -INT " .. told.pid))
    assert.is_nil(told.next())
    assert.equal(0, told.code)
  end)

  it("ends when so many events were told, and keeps to a filter", function()
    local dir <close> = command.folder()
    local engine <close> = open(dir)
    engine:start("order", { business_key = "o1" })
    engine:start("order", { business_key = "o2" })
    local told = follow(dir, "-f", "--since", "1h", "--where", "business_key=o2", "--limit", "1")
    expect(told, { "started o2" })
    assert.is_nil(told.next())
    for option, value in pairs { ["--until"] = "now", ["--order-by"] = "id", ["--offset"] = "1" } do
      local code, _, err = command.run { "history", dir.path .. "/store", "-f", option, value }
      assert.same({ 2, true }, { code, err:find("do not go with --follow", 1, true) ~= nil })
    end
  end)
end)
