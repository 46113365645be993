-- Commands and transactions: what commits together, and what a failure inside leaves behind.
local support = require "spec.support.process"

describe("transaction", function()
  local engine
  before_each(function()
    engine = support.engine()
    engine:deploy { ["a.bpmn"] = support.definitions(support.waiting "a") }
  end)
  after_each(function() engine:close() end)

  it("commits its commands together, and they see each other", function()
    engine:transaction(function()
      local pi = engine:start "a"
      engine:task({ instance = pi.id }):complete()
      assert.is_nil(engine:instance(pi.id))
      engine:start "a"
    end)
    assert.equal(1, #engine:instances {})
    assert.equal(2, #engine:history_instances {})
  end)

  it("leaves nothing behind when it fails", function()
    assert.has_error(function()
      engine:transaction(function()
        engine:start "a"
        error "enough"
      end)
    end)
    assert.equal(0, #engine:instances {})
  end)

  it("goes on after a command that was refused before it changed anything", function()
    engine:transaction(function()
      support.refused("not_found", function() engine:start "unknown" end)
      support.refused("argument", function() engine:start("a", { start_event = "wait" }) end)
      engine:start "a"
    end)
    assert.equal(1, #engine:instances {})
  end)

  it("is lost when a command fails halfway, also if that was caught", function()
    engine:register("fail", function() error "halfway" end)
    engine:deploy { ["b.bpmn"] = support.definitions [[<process id="b" isExecutable="true"><startEvent id="start"/>
      <sequenceFlow id="f" sourceRef="start" targetRef="work"/><serviceTask id="work" o:class="fail"/></process>]] }
    local err = support.refused("script", function()
      engine:transaction(function()
        engine:start "a"
        pcall(engine.start, engine, "b")
      end)
    end)
    assert.matches("halfway", err.message)
    assert.equal(0, #engine:instances {})
  end)

  it("nests: the outermost one decides", function()
    assert.has_error(function()
      engine:transaction(function()
        engine:transaction(function() engine:start "a" end)
        error "outer"
      end)
    end)
    assert.equal(0, #engine:instances {})
    support.refused("state", function()
      engine:transaction(function()
        pcall(engine.transaction, engine, function() error "inner" end)
        engine:start "a"
      end)
    end)
    assert.equal(0, #engine:instances {})
  end)

  it("is joined by what a delegate does", function()
    local seen
    engine:register("spawn", function(execution)
      execution.engine:start "a"
      seen = #execution.engine:instances { key = "a" }
    end)
    engine:deploy { ["c.bpmn"] = support.definitions [[<process id="c" isExecutable="true"><startEvent id="start"/>
      <sequenceFlow id="f" sourceRef="start" targetRef="work"/><serviceTask id="work" o:class="spawn"/></process>]] }
    assert.has_error(function()
      engine:transaction(function()
        engine:start "c"
        error "no"
      end)
    end)
    assert.equal(1, seen)
    assert.equal(0, #engine:instances {})
    engine:start "c"
    assert.same({ "a" }, support.each(engine:instances {}, "definition_key"))
  end)
end)
