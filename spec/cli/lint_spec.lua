-- Marks: commands
local command = require "spec.cli.command"

describe("orrery lint", function()
  it("says which dialect a model has, and nothing else when all is well", function()
    local dir <close> = command.folder()
    local file = dir.file("a.bpmn", command.one_node '<task id="t"/>')
    local code, out, err = command.run { "lint", file }
    assert.same({ 0, file .. ": the camunda dialect: it uses http://camunda.org/schema/1.0/bpmn\n"
      .. "1 checked: 0 errors, 0 warnings\n", "" }, { code, out, err })
    local _, events = command.events { "lint", file, "--dialect", "flowable", "--json" }
    assert.same({ event = "dialect", file = file, dialect = "flowable", reason = "the option `dialect` says so" }, events[1])
  end)

  it("names the delegates and beans that are not here, and not what a variable of the model may be",
    function()
    local dir <close> = command.folder()
    local file = dir.file("a.bpmn",
      command.one_node [[<serviceTask id="t" camunda:expression="${mailer.send(order.total())}"
      camunda:resultVariable="order"><extensionElements>
      <camunda:executionListener event="end" class="com.acme.Audit"/>
      <camunda:executionListener event="start" expression="${execution.getVariable(x)}"/>
        </extensionElements></serviceTask>]])
    local told = file .. ": not here; register it, or put it beside the model: "
      .. "delegate com.acme.Audit (com/acme/Audit.lua), "
    local _, out = command.run { "lint", file }
    assert.truthy(out:find(told .. "bean mailer (mailer.lua)\n", 1, true), out)
    dir.file("mailer.lua", "return {}")
    local code, events = command.events { "lint", dir.path, "--json" }
    assert.equal(0, code)
    assert.same({ event = "missing", file = dir.path, delegates = { "com.acme.Audit" } }, events[2])
  end)

  it("names what a host in C without Lua cannot run, if it is asked", function()
    local dir <close> = command.folder()
    local file = dir.file("a.bpmn", command.one_node [[<serviceTask id="t" camunda:class="com.acme.Pay"><extensionElements>
      <camunda:inputOutput><camunda:inputParameter name="n">${price * 2}</camunda:inputParameter>
      <camunda:inputParameter name="who">${customer}</camunda:inputParameter></camunda:inputOutput>
      </extensionElements></serviceTask>]])
    assert.equal(0, (command.run { "lint", file }))
    local code, out, err = command.run { "lint", "--no-script", file }
    assert.equal(1, code)
    assert.truthy(err:find('the expression "${price * 2}" needs Lua, which a host in C has by orr_lua_use of orrery/lua.h',
      1, true), err)
    assert.truthy(out:find("1 checked: 1 error, 0 warnings", 1, true), out)
    local mail = dir.file("m.bpmn", command.one_node [[<serviceTask id="t" camunda:type="mail">
      <extensionElements><camunda:field name="to" stringValue="a@b"/>
      <camunda:field name="text" stringValue="x"/></extensionElements></serviceTask>]])
    local script = dir.file("s.bpmn",
      command.one_node '<scriptTask id="t" scriptFormat="lua"><script>x = 1</script></scriptTask>')
    for path, needs in pairs { [mail] = 'a task of the type "mail" needs Lua',
      [script] = 'the script "x = 1" needs Lua' } do
      code, _, err = command.run { "lint", "--no-script", path }
      assert.equal(1, code)
      assert.truthy(err:find(needs, 1, true), err)
    end
  end)

  it("says which modules are not Lua, beside a model or in a folder", function()
    local dir <close> = command.folder()
    local file = dir.file("a.bpmn",
      command.one_node '<serviceTask id="t" camunda:class="shop.pay"/>')
    os.execute(("mkdir '%s/shop'"):format(dir.path))
    dir.file("shop/pay.lua", "return function(e)\n  e:set('x', 3\nend")
    for _, path in ipairs { file, dir.path } do
      local code, out, err = command.run { "lint", path }
      assert.equal(1, code)
      assert.matches("1 checked: 1 error", out)
      local told = dir.path .. "/shop/pay.lua:3:1: error: this is not Lua: ')' expected"
      assert.truthy(err:find(told, 1, true), err)
    end
    dir.file("shop/pay.lua", "#!/usr/bin/env lua\nreturn function() end")
    assert.equal(0, (command.run { "lint", file }))
  end)

  it("names what the models call and the folder has not", function()
    local dir <close> = command.folder()
    local file = dir.file("a.bpmn", command.model [[<startEvent id="s"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="c"/>
      <callActivity id="c" calledElement="inner"/><sequenceFlow id="f2" sourceRef="c" targetRef="d"/>
      <callActivity id="d" calledElement="${which}"/>
      <sequenceFlow id="f3" sourceRef="d" targetRef="r"/>
      <businessRuleTask id="r" camunda:decisionRef="dish"/>]])
    for _, path in ipairs { file, dir.path } do
      local _, out = command.run { "lint", path }
      assert.truthy(out:find(path .. ": calls what is not here, and must be in the store by then: \z
        process inner, decision dish\n", 1, true), out)
    end
    dir.file("b.bpmn", command.model('<startEvent id="s"/>', "inner"))
    local _, events = command.events { "lint", file, "--json" }
    assert.same({ event = "missing", file = file, processes = {}, decisions = { "dish" } },
      { event = events[2].event, file = events[2].file, processes = events[2].processes,
        decisions = events[2].decisions })
    dir.file("d.dmn", [[<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d"
      name="d" namespace="urn:d"><decision id="dish" name="dish"><literalExpression><text>1</text>
      </literalExpression></decision></definitions>]])
    assert.not_matches("not here", (select(2, command.run { "lint", file, dir.path })))
  end)

  it("counts each problem, and blames no flow whose condition it has refused", function()
    local dir <close> = command.folder()
    local flows = {}
    for i = 1, 31 do
      flows[i] = ([[<sequenceFlow id="f%d" sourceRef="g" targetRef="e"><conditionExpression
        language="javascript">x</conditionExpression></sequenceFlow>]]):format(i)
    end
    local file = dir.file("a.bpmn", command.model([[<startEvent id="s"/>
      <sequenceFlow id="f" sourceRef="s" targetRef="g"/><exclusiveGateway id="g" default="f0"/>
      <sequenceFlow id="f0" sourceRef="g" targetRef="e"/>
      <endEvent id="e"/>]] .. table.concat(flows)))
    local _, out, err = command.run { "lint", file }
    assert.matches(" 31 errors, 0 warnings\n", out)
    assert.matches("%(and 6 more like this%)", err)
    assert.not_matches("without condition", err)
  end)

  it("checks the modules of a folder, and those beside a model that it asks for", function()
    local dir <close> = command.folder()
    local file = dir.file("a.bpmn", command.one_node '<serviceTask id="t" camunda:class="charge"/>')
    dir.file("charge.lua", "return function(e)\n  e:set('x' 1)\nend")
    local code, out, err = command.run { "lint", dir.path }
    assert.equal(1, code)
    assert.matches(" 1 error, ", out)
    assert.matches("/charge.lua:2:1: error: this is not Lua: '%)' expected near '1'\n", err)
    dir.file("other.lua", "nonsense =")
    assert.same({ 1, err }, { code, (select(3, command.run { "lint", file })) })
    dir.file("other.lua", "")
    dir.file("charge.lua", "local function charge() end")
    err = select(3, command.run { "lint", dir.path })
    assert.matches("/charge.lua:1:1: warning: it returns nothing, and a.bpmn asks for it", err)
  end)

  it("prints every problem of every file as file:line:column", function()
    local dir <close> = command.folder()
    local bad = dir.file("bad.bpmn",
      command.model '<startEvent id="s"/>\n<sequenceFlow id="f" sourceRef="s" targetRef="gone"/>\n<task id="s"/>')
    local worse = dir.file("worse.bpmn", "<definitions")
    local code, out, err = command.run { "lint", bad, worse }
    assert.equal(1, code)
    assert.matches("2 checked", out)
    assert.matches(bad .. ":4:%d+: error: [^\n]*gone", err)
    assert.matches(bad .. ":5:%d+: error: ", err)
    assert.matches(worse .. ":1:%d+: error: ", err)
  end)

  it("checks a file that is named as a model, and says when a deployment would take it for none", function()
    local dir <close> = command.folder()
    local file = dir.file("a.xml", command.model '<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="gone"/>')
    local code, _, err = command.run { "lint", file }
    assert.equal(1, code)
    assert.matches(file .. ":%d+:%d+: error: [^\n]*gone", err)
    assert.matches(file .. ":1:1: warning: [^\n]*%.bpmn20%.xml", err)
  end)

  it("tells a wrong condition once", function()
    local dir <close> = command.folder()
    local file = dir.file("a.bpmn", command.model [[<startEvent id="s"/><exclusiveGateway id="g"/><task id="a"/><task id="b"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="g"/><sequenceFlow id="f2" sourceRef="g" targetRef="a"/>
      <sequenceFlow id="f3" sourceRef="g" targetRef="b"><conditionExpression>${a +}</conditionExpression></sequenceFlow>]])
    local _, events = command.events { "lint", file, "--json" }
    local about = {}
    for _, e in ipairs(events) do
      if e.element == "f3" then about[#about + 1] = e.kind end
    end
    assert.same({ "error" }, about)
  end)

  it("stores and runs nothing, checks folders, and names a file that is not there", function()
    local dir <close> = command.folder()
    dir.file("a.bpmn", command.one_node '<task id="t"/>')
    dir.file("b.bpmn", command.model "")
    local code, _, err = command.run { "lint", dir.path, dir.path .. "/none.bpmn" }
    assert.equal(1, code)
    assert.matches(dir.path .. "/b.bpmn:%d+:%d+: error: ", err)
    assert.matches("none.bpmn", err)
  end)

  it("fails for warnings when it is strict", function()
    local dir <close> = command.folder()
    local file = dir.file("a.bpmn", command.model '<startEvent id="s"/><task id="lonely"/>')
    assert.equal(0, (command.run { "lint", file }))
    local code, events = command.events { "lint", file, "--strict", "--json" }
    assert.equal(1, code)
    assert.same({ "warning", "lonely", file }, { events[2].kind, events[2].element, events[2].file })
    assert.equal("summary", events[#events].event)
  end)
end)

describe("orrery lint of a folder", function()
  it("counts the models in it", function()
    local dir <close> = command.folder()
    for _, name in ipairs { "a.bpmn", "b.bpmn20.xml", "notes.txt" } do
      dir.file(name, command.model('<startEvent id="start"/>', name:sub(1, 1)))
    end
    local _, out = command.run { "lint", dir.path }
    assert.matches("\n2 checked: 0 error", out)
    local _, events = command.events { "lint", dir.path, dir.path .. "/a.bpmn", "--json" }
    assert.equal(3, events[#events].checked)
  end)
end)
