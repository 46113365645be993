-- Variable aggregation of multi-instance activities: listed variables, aggregators, overviews.
local orrery = require "orrery"

local engine
before_each(function() engine = orrery.open(nil, { clock = "manual", log = "none", durability = "none" }) end)
after_each(function() engine:close() end)

local function start(aggregation, attributes)
  engine:deploy { ["p.bpmn"] = ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn"
    targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="review"/>
    <userTask id="review" flowable:taskIdVariableName="ticket">
    <multiInstanceLoopCharacteristics flowable:collection="${names}" flowable:elementVariable="name" %s>
    <extensionElements>%s
    </extensionElements></multiInstanceLoopCharacteristics></userTask><sequenceFlow id="g" sourceRef="review" targetRef="after"/>
    <userTask id="after"/></process></definitions>]]):format(attributes or "", aggregation) }
  return engine:start("p", { variables = { names = { "ann", "bob", "cid" } } })
end

describe("variable aggregation", function()
  local listed <const> = '<variable source="name"/><variable sourceExpression="${score * 2}" target="double"/>'

  local function answer(pi, name, score)
    for _, task in ipairs(engine:tasks { instance = pi.id, key = "review" }) do
      if task:get "name" == name then
        task:set_local("score", score)
        return task:complete()
      end
    end
    error("nobody reviews as " .. name)
  end

  it("gives an array of listed variables, in the order of the instances", function()
    local pi = start('<flowable:variableAggregation target="reviews">' .. listed .. "</flowable:variableAggregation>")
    answer(pi, "cid", 3)
    answer(pi, "ann", 1)
    assert.is_nil(pi:get "reviews")
    answer(pi, "bob", 2)
    assert.same({ { name = "ann", double = 2 }, { name = "bob", double = 4 }, { name = "cid", double = 6 } }, pi:get "reviews")
  end)

  describe("inside a sub-process", function()
    --- Its target exists at the root when `before` is given.
    local function inside(attributes, before)
      engine:deploy { ["p.bpmn"] = ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
        xmlns:flowable="http://flowable.org/bpmn" targetNamespace="spec"><process id="p" isExecutable="true"><startEvent id="s"/>
        <sequenceFlow id="f" sourceRef="s" targetRef="sub"/><subProcess id="sub"><startEvent id="is"/>
        <sequenceFlow id="if" sourceRef="is" targetRef="review"/><userTask id="review">
        <multiInstanceLoopCharacteristics flowable:collection="${names}" flowable:elementVariable="name"><extensionElements>
        <flowable:variableAggregation target="reviews" %s><variable source="name"/></flowable:variableAggregation>
        </extensionElements></multiInstanceLoopCharacteristics></userTask><sequenceFlow id="ig" sourceRef="review" targetRef="within"/>
        <userTask id="within"/></subProcess><sequenceFlow id="g" sourceRef="sub" targetRef="after"/><userTask id="after"/>
        </process></definitions>]]):format(attributes or "") }
      return engine:start("p", { variables = { names = { "ann", "bob" }, reviews = before } })
    end

    local function complete(key)
      for _, task in ipairs(engine:tasks { key = key }) do task:complete() end
    end

    it("sets the target where it exists: at the root, and nowhere else", function()
      local pi = inside(nil, "none yet")
      assert.equal("none yet", pi:get "reviews")
      complete "review"
      assert.same({ { name = "ann" }, { name = "bob" } }, pi:get "reviews")
      assert.is_nil(engine:execution({ activity = "sub" }):get_local "reviews")
      complete "within"
      assert.same({ { name = "ann" }, { name = "bob" } }, pi:get "reviews")
    end)

    it("makes the target at the root when it is nowhere, as any variable that is set", function()
      local pi = inside()
      complete "review"
      assert.same({ { name = "ann" }, { name = "bob" } }, pi:get "reviews")
    end)

    it("keeps its overview where the target exists", function()
      local pi = inside('createOverviewVariable="true"', "none yet")
      assert.same({ { name = "ann" }, { name = "bob" } }, pi:get "reviews")
      assert.is_nil(engine:execution({ activity = "sub" }):get_local "reviews")
    end)
  end)

  it("keeps an overview from the beginning", function()
    local pi = start('<flowable:variableAggregation target="reviews" createOverviewVariable="true">'
      .. listed .. "</flowable:variableAggregation>")
    assert.same({ { name = "ann" }, { name = "bob" }, { name = "cid" } }, pi:get "reviews")
    answer(pi, "cid", 3)
    assert.same({ { name = "ann" }, { name = "bob" }, { name = "cid", double = 6 } }, pi:get "reviews")
    engine:task({ instance = pi.id, key = "review" }):set_local("score", 5)
    assert.same({ { name = "ann", double = 10 }, { name = "bob" }, { name = "cid", double = 6 } }, pi:get "reviews")
    answer(pi, "ann", 1)
    answer(pi, "bob", 2)
    assert.same({ { name = "ann", double = 2 }, { name = "bob", double = 4 }, { name = "cid", double = 6 } }, pi:get "reviews")
  end)

  it("tells in an overview of tasks too, whoever changes them", function()
    local pi = start([[<flowable:variableAggregation target="reviews" createOverviewVariable="true">
      <variable sourceExpression="${task:get(ticket).assignee}" target="by"/></flowable:variableAggregation>]], 'isSequential="true"')
    local null = orrery.null
    assert.same({ { by = null } }, pi:get "reviews")
    engine:task({}):claim "mary"
    assert.same({ { by = "mary" } }, pi:get "reviews")
    engine:task({}):complete()
    assert.same({ { by = "mary" }, { by = null } }, pi:get "reviews")
    assert.equal(3, engine:history_variable({ instance = pi.id, name = "reviews" }).revision, "written only when it says something new")
  end)

  it("leaves no overview behind when the whole is canceled", function()
    local pi = start('<flowable:variableAggregation target="reviews" createOverviewVariable="true">'
      .. listed .. "</flowable:variableAggregation>")
    answer(pi, "ann", 1)
    pi:modify { { cancel = "review#multiInstanceBody" }, { start_before = "after" } }
    assert.is_nil(pi:variables().reviews)
    assert.is_nil(engine:history_variable { instance = pi.id, name = "reviews" })
  end)

  it("keeps new variables in the instances they are set in", function()
    local pi = start('<flowable:variableAggregation target="reviews"><variable source="note"/></flowable:variableAggregation>')
    pi:set("known", 1)
    for i, task in ipairs(engine:tasks { instance = pi.id, key = "review" }) do task:complete { note = "n" .. i, known = i } end
    assert.same({ { note = "n1" }, { note = "n2" }, { note = "n3" } }, pi:get "reviews")
    assert.is_nil(pi:get "note")
    assert.equal(3, pi:get "known")
  end)

  for way, attribute in pairs { class = 'class="sums"', delegateExpression = 'delegateExpression="${sums}"' } do
    it("leaves both steps to an aggregator: " .. way, function()
      local states = {}
      engine:register("sums", {
        aggregate_single = function(_, variables, about)
          assert.same({ { source = "score", target = "points" } }, about.variables)
          return variables.score
        end,
        aggregate_multi = function(_, values, about)
          states[#states + 1] = about.state
          assert.equal("total", about.target)
          local sum = 0
          for _, value in ipairs(values) do sum = sum + (value == orrery.null and 0 or value) end
          return sum
        end,
      })
      local pi = start(('<flowable:variableAggregation target="total" createOverviewVariable="true" %s>'
        .. '<variable source="score" target="points"/>'
        .. "</flowable:variableAggregation>"):format(attribute), 'isSequential="true"')
      assert.equal(0, pi:get "total")
      for i, name in ipairs { "ann", "bob", "cid" } do answer(pi, name, i) end
      assert.equal(6, pi:get "total")
      assert.equal("complete", table.remove(states))
      for _, state in ipairs(states) do assert.equal("overview", state) end
    end)
  end

  it("tells which aggregator failed, and nothing has happened", function()
    engine:register("sums", { aggregate_single = function() error "no sum" end })
    local pi = start '<flowable:variableAggregation target="total" class="sums"/>'
    local ok, err = pcall(answer, pi, "ann", 1)
    assert.is_false(ok)
    assert.matches('variable aggregator "sums"', tostring(err))
    assert.matches("no sum", tostring(err))
    assert.equal(3, #engine:tasks { instance = pi.id })
  end)
end)
