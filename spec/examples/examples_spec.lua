-- The examples run as they stand and do what they say.
local command = require "spec.cli.command"
local servers = require "spec.support.servers"
local testing = require "orrery.testing"

describe("examples/order", function()
  local function order()
    return testing.new { deploy = "examples/order", now = "2026-03-02T09:00:00Z", package_path = "examples/order/?.lua;" .. package.path,
      register = { shop = { remind = function(_, execution) execution:set("reminded", true) end } } }
  end

  it("is drawn: every element that can be seen has its place", function()
    for _, name in ipairs { "order", "shipping" } do
      local file <close> = assert(io.open(("examples/order/%s.bpmn"):format(name)))
      local xml = file:read "a"
      for element, id in xml:gmatch '<bpmn:(%w+) id="([^"]+)"' do
        if element:find "Event$" or element:find "Task$" or element:find "Gateway$" or element:find "Activity$"
          or element == "sequenceFlow" then
          assert.is_truthy(xml:find(('bpmnElement="%s"'):format(id), 1, true), id .. " is not drawn")
        end
      end
    end
  end)

  it("pays after a failure, asks for another card, ships and invoices", function()
    local t <close> = order()
    local pi = t:start("order", { business_key = "o1", variables = { card = "4000", total = 100, address = "Vienna" } })
    t:run()
    t:at(pi, "pay") -- the bank did not answer
    t:pass "PT1M"
    t:at(pi, "another_card")
    t:complete("another_card", { card = "4111" })
    t:at(pi, "join", "ship")
    assert.matches("^invoice for o1, receipt", pi:get "invoice")
    t:pass "PT4H"
    assert.is_true(t.engine:instance({ key = "shipping" }):get "reminded")
    t:complete "pack"
    t:pass "PT2H"
    t:ended(pi, "delivered")
    assert.same({}, t.engine:incidents {})
  end)

  it("runs with its people through the command, in a store that is sound afterwards", function()
    local dir <close> = command.folder()
    local store = dir.path .. "/store"
    local code, events, err = command.events { "run", "examples/order", "--lua", "examples/order/scenario.lua", "--store", store, "--json" }
    assert.same({ 0, "" }, { code, err })
    assert.same({ "ended", "delivered" }, { events[#events].event, events[#events].end_activity })
    assert.equal(0, (command.run { "verify", store }))
  end)
end)

describe("examples/offer", function()
  if not servers.has "faults" then return pending "examples/offer: skipped, python3 is not installed" end

  it("asks a service, decides, and mails what was decided", function()
    local code, out, err = command.execute { command.build .. "/orrery", "lua", "examples/offer/main.lua" }
    assert.same({ 0, "" }, { code, err })
    assert.truthy(out:find("the instance is completed", 1, true))
    assert.truthy(out:find("Subject: An offer for Kermit", 1, true))
    assert.truthy(out:find("you get 15 %", 1, true))
  end)
end)

describe("examples/embed", function()
  it("runs a process with a delegate in C", function()
    local code, out, err = command.execute { command.build .. "/examples/embed" }
    assert.same({ 0, "", "4200 cents: paid\n10000000 cents: refused\nin the till: 4200 cents\n" }, { code, err, out })
  end)
end)

describe("examples/gameloop", function()
  it("plays its quest by the game's clock", function()
    local code, out = command.run { "lua", "examples/gameloop/main.lua" }
    assert.same({ 0, "after 241 frames the dragon is beaten, and there is 100 gold\n" }, { code, out })
  end)
end)

describe("examples/workers", function()
  it("overlaps waits on two threads of an executor", function()
    local code, out = command.run { "lua", "examples/workers/main.lua", "1000", "2" }
    assert.equal(0, code)
    local seconds = tonumber(out:match "^1000 of 1000 jobs, each a second long, done on 2 threads in ([%d.]+) seconds\n$")
    assert.is_true(seconds >= 1 and seconds < 100) -- one after another on two threads they would take 500
  end)
end)

describe("examples/models", function()
  local folder = os.getenv "ORRERY_MODELS"
  if not folder then
    it("play models drawn by others when ORRERY_MODELS names their folder", function() pending "it is not set" end)
    return
  end
  for name, last in pairs { FinancialReportProcess = "theEnd", Helpdesk = "escalatedEnd", FixSystemFailureProcess = "theEnd",
    VacationRequest = "theEnd1", reviewSalesLead = "processEnd" } do
    it("play " .. name, function()
      local code, events = command.events { "run", ("%s/%s.bpmn20.xml"):format(folder, name), "--lua",
        ("examples/models/%s.lua"):format(name), "--json" }
      assert.same({ 0, "ended", last }, { code, events[#events].event, events[#events].end_activity })
    end)
  end
end)
