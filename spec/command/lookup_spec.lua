local orrery = require "orrery"

describe("lists and look-ups", function()
  local engine
  before_each(function() engine = orrery.open(nil, { clock = "manual", log = "none" }) end)
  after_each(function() engine:close() end)

  local function refused(message, f, ...)
    local ok, err = pcall(f, ...)
    assert.is_false(ok)
    assert.equal("argument", err.kind)
    assert.matches(message, err.message)
  end

  it("refuse values that no record can have", function()
    refused("retries must be a number", engine.jobs, engine, { retries = "3" })
    refused("retries_gt must be a number", engine.jobs, engine, { retries_gt = true })
    refused("activity must be a text", engine.jobs, engine, { activity = 5 })
    refused("exclusive must be true or false", engine.jobs, engine, { exclusive = 1 })
    refused("a filter is a table", engine.jobs, engine, "x")
    refused('a direction is "asc" or "desc"', engine.jobs, engine, { order_by = { { "due", "up" } } })
    assert.same({}, engine:jobs { order_by = { { "due", "desc" }, { "id", "asc" } } })
    assert.same({}, engine:jobs { due = orrery.null, activity = orrery.null })
  end)

  it("ask for times by the names that other options have", function()
    engine:deploy { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec">
      <process id="p" isExecutable="true"><startEvent id="s"/></process></definitions>]] }
    local started = engine:start("p").started_at
    for _, verb in ipairs { "history_instances", "history_activities" } do
      assert.equal(1, #engine[verb](engine, { started_before = started + 1, ended_after = started - 1 }))
      assert.equal(0, #engine[verb](engine, { started_after = started + 1 }))
      assert.equal(0, #engine[verb](engine, { ended_before = started - 1 }))
      assert.equal(1, #engine[verb](engine, { started_at_before = started + 1 }))
    end
    refused("unknown key \"ended_like\"", engine.history_activities, engine, { ended_like = "x" })
  end)

  it("say whose a key is that nobody has without a tenant", function()
    local text = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn"
      targetNamespace="spec"><process id="order" isExecutable="true"><startEvent id="s"/></process></definitions>]]
    for _, tenant in ipairs { "a", "b" } do engine:deploy({ ["p.bpmn"] = text }, { tenant = tenant }) end
    local ok, err = pcall(engine.start, engine, "order", { tenant = orrery.null })
    assert.same({ false, "not_found" }, { ok, err.kind })
    assert.matches('"order" is deployed without a tenant; name one of those', err.message)
    ok, err = pcall(engine.start, engine, "ordre")
    assert.is_false(ok)
    assert.matches('did you mean "order"', err.message)
  end)

  it("take what stands for itself behind a backslash", function()
    for _, name in ipairs { "a_b", "axb", "50%", "500", [[back\slash]] } do engine:deploy({ ["n.txt"] = name }, { name = name }) end
    local function found(pattern)
      local names = {}
      for i, d in ipairs(engine:deployments { name_like = pattern, order_by = "name" }) do names[i] = d.name end
      return table.concat(names, " ")
    end
    assert.equal("a_b axb", found "a_b")
    assert.equal("a_b", found [[a\_b]])
    assert.equal("a_b", found [[%\_%]])
    assert.equal("50% 500", found "50%")
    assert.equal("50%", found [[%\%]])
    assert.equal([[back\slash]], found [[%\\sl%]])
    assert.equal([[back\slash]], found [[back\sl%]])
  end)

  it("give pages: what limit and offset cut out of the whole list, whatever it is of", function()
    engine:deploy { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec">
      <process id="p" isExecutable="true"><startEvent id="s"/><userTask id="t"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
      </process></definitions>]] }
    for i = 1, 3 do engine:start("p", { variables = { a = i, b = i } }) end
    for i = 1, 3 do engine:set_limit({ key = "k" .. i }, { max = i }) end
    local orders = { instances = "started_at", tasks = "created", executions = "activity_id", history_activities = "activity_id",
      history_variables = "name", limits = "key" } -- the last three are keyed by more than an id
    local function told(row, order)
      return ("%s %s %s %s"):format(row.id, row.instance_id, row[order], row.value)
    end
    local function page_of(verb, order_by, offset, limit)
      local texts = {}
      local filter = { order_by = order_by, offset = offset, limit = limit }
      for i, row in ipairs(engine[verb](engine, filter)) do texts[i] = told(row, orders[verb]) end
      return texts
    end
    for verb, order in pairs(orders) do
      for _, order_by in ipairs { false, order } do
        local whole = page_of(verb, order_by or nil)
        assert.is_true(#whole >= 3, verb)
        for offset = 0, #whole + 1 do
          for limit = 0, #whole + 1 do
            local expected = table.move(whole, offset + 1, math.min(offset + limit, #whole), 1, {})
            assert.same(expected, page_of(verb, order_by or nil, offset, limit), ("%s, limit %d, offset %d"):format(verb, limit, offset))
          end
        end
      end
    end
  end)

  it("compare with what they are asked for, the value itself included where the name says so", function()
    engine:deploy { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn"
      targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/><userTask id="t" o:priority="${n}"/>
      <sequenceFlow id="f" sourceRef="s" targetRef="t"/></process></definitions>]] }
    for n = 1, 3 do engine:start("p", { variables = { n = n } }) end
    local expected = { [""] = { 2 }, _lt = { 1 }, _le = { 1, 2 }, _gt = { 3 }, _ge = { 2, 3 } }
    for suffix, priorities in pairs(expected) do
      local found, by_variable = {}, {}
      for i, task in ipairs(engine:tasks { ["priority" .. suffix] = 2 }) do found[i] = task.priority end
      local condition = suffix == "" and 2 or { [suffix:sub(2)] = 2 }
      for i, instance in ipairs(engine:instances { variables = { n = condition } }) do by_variable[i] = instance:get "n" end
      table.sort(found)
      table.sort(by_variable)
      assert.same(priorities, found, suffix)
      assert.same(priorities, by_variable, suffix)
    end
  end)

  it("of one thing want to know which", function()
    for _, one in ipairs { "task", "job", "instance", "definition", "history_instance" } do
      refused("got nil", engine[one], engine, nil)
      refused("got boolean", engine[one], engine, true)
      assert.is_nil(engine[one](engine, {}))
    end
  end)

  it("name the list or the key that was meant, and guess nothing where more than a third of the word is wrong", function()
    refused('did you mean "jobs"', engine.count, engine, "jobz")
    refused('no list "things"; known are .*history_tasks, ', engine.count, engine, "things")
    refused('did you mean "retries"', engine.jobs, engine, { retires = 3 })
    refused('unknown key "color" in a filter of jobs; its fields are id, .*due', engine.jobs, engine, { color = "red" })
    local function ask(topic) return engine:fetch_and_lock { worker = "w", max = 1, topics = { topic } } end
    refused("there is no topics%[1%]%.lokc; did you mean \"lock\"%? known are ", ask, { lokc = 1 })
    refused("there is no topics%[1%]%.color; known are name, ", ask, { color = 1 })
  end)

  it("name the key of a definition that was nearly meant, of any tenant's and of no other version's", function()
    local function deploy(key, tenant)
      engine:deploy({ ["p.bpmn"] = ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec">
        <process id="%s" isExecutable="true"><startEvent id="s"/></process></definitions>]]):format(key) }, { tenant = tenant })
    end
    local function message(...) return select(2, pcall(engine.start, engine, ...)).message end
    assert.equal('no definition with the key "order" is deployed', message "order")
    deploy "order"
    deploy "invoice"
    deploy("orders", "acme")
    assert.equal('no definition with the key "ordr" is deployed; did you mean "order"?', message "ordr")
    assert.equal('no definition with the key "Invoice" is deployed; did you mean "invoice"?', message "Invoice")
    assert.equal('no definition with the key "shipping" is deployed', message "shipping")
    assert.equal('no definition with the key "invoice" of tenant acme is deployed', message("invoice", { tenant = "acme" }))
  end)

  it("say when an instance ended that ran to its end as it was started, deleted or not", function()
    engine:register("goes", function(execution) execution.engine:instance(execution.instance_id):delete "gone" end)
    for key, body in pairs { ends = "<task id='t'/>", goes = "<serviceTask id='t' o:class='goes'/>" } do
      engine:deploy { ["p.bpmn"] = ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn"
        targetNamespace="spec"><process id="%s" isExecutable="true"><startEvent id="s"/>%s<sequenceFlow id="f" sourceRef="s" targetRef="t"/>
        </process></definitions>]]):format(key, body) }
      local instance = engine:start(key)
      assert.is_true(instance.ended)
      assert.equal(engine:now(), instance.ended_at)
      assert.equal(instance.ended_at, instance:reload().ended_at)
    end
  end)

  it("know what is active wherever something can be suspended", function()
    engine:deploy { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn"
      targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/><userTask id="a"/><userTask id="b" o:async="true"/>
      <serviceTask id="c" o:type="external" o:topic="t"/><sequenceFlow id="f1" sourceRef="s" targetRef="a"/>
      <sequenceFlow id="f2" sourceRef="s" targetRef="b"/><sequenceFlow id="f3" sourceRef="s" targetRef="c"/></process></definitions>]] }
    engine:start "p"
    local lists = { "definitions", "instances", "executions", "tasks", "external_tasks", "jobs", "job_definitions" }
    local function count(active)
      local out = {}
      for i, list in ipairs(lists) do out[i] = #engine[list](engine, { active = active }) end
      return table.concat(out, " ")
    end
    assert.equal("1 1 3 1 1 1 1", count(true))
    engine:suspend_definition({ key = "p" }, { instances = true })
    engine:job_definition({}):suspend()
    assert.equal("0 0 0 0 0 0 0", count(true))
    assert.equal("1 1 3 1 1 1 1", count(false))
  end)
end)
