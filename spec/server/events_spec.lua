-- Server-sent events: what changed is named, and whose it is; what another process changed is known to be unknown.
-- Marks: threads
local support = require "spec.server.support"
local orrery = require "orrery"

describe("events", function()
  local server

  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order }, arguments = "--deploy %f/order.bpmn" }
  end)
  teardown(function() server:close() end)

  local streams = 0

  --- Follows a scope until it is closed: what came so far, as { event =, id =, data = } one after the
  --- other. The first is the one given, or else hello. -> it, the first one's id
  local function follow(query, first, arguments)
    streams = streams + 1
    local path = ("%s/events%d"):format(server.folder, streams)
    local curl = "curl -sN %s '%s/engine-rest/orrery/events%s' > %s & echo $!"
    local pipe = assert(io.popen(curl:format(arguments or "", server.url, query, path)))
    local pid = pipe:read "n"
    pipe:close()
    local self = {}
    function self:all()
      local events = {}
      local file = io.open(path)
      local text = file and file:read "a" or ""
      if file then file:close() end
      for id, name, data in text:gmatch "id: (%d+)\nevent: (%w+)\ndata: ([^\n]*)\n\n" do
        events[#events + 1] = { id = id, event = name, data = orrery.json.decode(data) }
      end
      return events
    end
    --- Waits until a change fits.
    function self:wait(fits, what)
      return support.wait(function()
        for _, e in ipairs(self:all()) do
          if fits(e) then return e end
        end
      end, what)
    end
    setmetatable(self, { __close = function() os.execute("kill " .. pid) end })
    local began = self:wait(function() return true end, "the first event")
    assert.equal(first or "hello", began.event)
    return self, began.id
  end

  local function has(list, wanted)
    for _, one in ipairs(list or {}) do
      if one == wanted then return true end
    end
    return false
  end

  local function start()
    local status, started = server:ask("POST", "/process-definition/key/order/start", {})
    assert.equal(200, status)
    return started.id
  end

  it("name the kinds of records that changed, and the instances", function()
    local stream <close> = follow "?scope=all"
    local id = start()
    local change = stream:wait(function(e) return e.event == "change" and has(e.data.ids, id) end, "the start")
    for _, kind in ipairs { "instance", "task", "history" } do assert.is_true(has(change.data.kinds, kind), kind) end
    assert.is_false(has(change.data.kinds, "any"))
    assert.is_false(has(change.data.kinds, "definition"))
    server:ask("PUT", "/process-instance/" .. id .. "/variables/x", { value = 1 })
    stream:wait(function(e) return e.event == "change" and has(e.data.kinds, "variable") and has(e.data.ids, id) end, "the variable")
  end)

  it("of one instance tell of no other", function()
    local mine, other = start(), start()
    local stream <close> = follow("?scope=instance:" .. mine)
    local both <close> = follow ""
    server:ask("PUT", "/process-instance/" .. other .. "/variables/x", { value = 1 })
    both:wait(function(e) return has(e.data.ids, other) end, "the other's change")
    server:ask("PUT", "/process-instance/" .. mine .. "/variables/x", { value = 2 })
    both:wait(function(e) return has(e.data.ids, mine) end, "mine")
    stream:wait(function(e) return has(e.data.ids, mine) end, "mine, where it alone is told")
    for _, e in ipairs(stream:all()) do assert.is_false(has(e.data.ids, other)) end
  end)

  it("say of another process's changes that they are unknown", function()
    local stream <close> = follow "?scope=all"
    local id = start()
    stream:wait(function(e) return has(e.data.ids, id) end, "the start")
    local engine <close> = orrery.open(server.store, { log = "none" })
    engine:instance(id):set("y", 1)
    stream:wait(function(e) return e.event == "change" and has(e.data.kinds, "any") end, "the other process's change")
  end)

  it("say reset to who missed some", function()
    local _ <close> = follow("", "reset", "-H 'Last-Event-ID: 0'")
    local all <close>, now = follow("?scope=all&last=0", "reset") -- whoever follows something else from now on says it so
    assert.truthy(all)
    local _ <close> = follow("?scope=all&last=" .. now, "hello")
  end)

  it("refuse a scope that is none", function()
    for _, scope in ipairs { "instance:x", "instance:", "everything", "instance" } do
      assert.equal(400, (server:ask("GET", "/orrery/events?scope=" .. scope)))
    end
  end)
end)
