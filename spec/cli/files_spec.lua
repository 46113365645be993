-- Files as people have them: drawn with isExecutable="false", and packed into archives.
-- Marks: commands
local archives = require "spec.support.archive"
local command = require "spec.cli.command"

local MODEL <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" %s targetNamespace="x">
<process id="p" %s><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/></process></definitions>]]

describe("a model as drawing tools save it", function()
  local DRAWN <const> = MODEL:format("", 'isExecutable="false"')

  it("is refused by run with the reason and the cure", function()
    local dir <close> = command.folder()
    for _, namespace in ipairs { "", 'xmlns:camunda="http://camunda.org/schema/1.0/bpmn"', 'xmlns:flowable="http://flowable.org/bpmn"' } do
      local code, _, err = command.run { "run", dir.file("q.bpmn", MODEL:format(namespace, "isExecutable='false'")) }
      assert.not_equal(0, code)
      assert.matches('process "p" says isExecutable="false", as drawing tools save it', err, 1, true)
      assert.matches("run it all the same with --executable", err, 1, true)
    end
  end)

  it("runs with --executable, whatever it says", function()
    local dir <close> = command.folder()
    for _, says in ipairs { 'isExecutable="false"', "isExecutable='0'", 'isExecutable="true"', "",
      [[name="a > 'b'" isExecutable="false"]] } do
      local code, out = command.run { "run", "--executable", dir.file("q.bpmn", MODEL:format("", says)) }
      assert.same({ 0, "ended at e" }, { code, out:match "ended at e" })
    end
  end)

  it("is why start finds no definition", function()
    local dir <close> = command.folder()
    local store = dir.path .. "/store"
    assert.equal(0, (command.run { "deploy", "--create", store, dir.file("q.bpmn", DRAWN) }))
    local code, _, err = command.run { "start", store, "p" }
    assert.equal(1, code)
    assert.matches('process "p" of q.bpmn says isExecutable="false"', err, 1, true)
    _, _, err = command.run { "start", store, "other" }
    assert.matches('no definition "other"', err, 1, true)
  end)
end)

describe("an archive", function()
  it("is deployed, checked and run as the files in it", function()
    local dir <close> = command.folder()
    local bytes = archives.stored { { "sub/order.bpmn", MODEL:format("", 'isExecutable="true"') }, { "helper.lua", "return {}" },
      { "empty/", "" }, { "__MACOSX/._order.bpmn", "junk" }, { ".DS_Store", "junk" } }
    for _, name in ipairs { "order.bar", "order.zip" } do
      local file, store = dir.file(name, bytes), dir.path .. "/store of " .. name
      local code, events = command.events { "deploy", "--create", store, file, "--json" }
      assert.same({ 0, "deployed", "p", "sub/order.bpmn", "orrery", "it names no vendor" },
        { code, events[1].event, events[2].key, events[2].resource, events[2].dialect, events[2].reason })
      local _, out = command.run { "lint", file }
      assert.matches("1 checked: 0 errors, 0 warnings", out, 1, true)
      _, out = command.run { "run", file }
      assert.matches("ended at e", out, 1, true)
    end
  end)
end)
