-- What a process may do by itself: a loop that never waits, and forks without end, meet a bound of the transaction or of the instance, and
-- the message names the way round (state/bounds.h).
local orrery = require "orrery"
local support = require "spec.support.process"

local function model(elements, flows) return { ["p.bpmn"] = support.model('<startEvent id="s"/>' .. elements, "s -> a " .. flows) } end

local LOOP <const> = model('<task id="a"/><exclusiveGateway id="b"/><manualTask id="c"/>', "a -> b b -> c c -> a")

--- Gateways that each double the tokens.
local function doubling(count)
  local elements, flows = { '<parallelGateway id="a"/>' }, {}
  local last = "a"
  for i = 1, count do
    elements[#elements + 1] = ('<task id="x%d"/><task id="y%d"/><exclusiveGateway id="g%d"/>'):format(i, i, i)
    elements[#elements + 1] = ('<parallelGateway id="f%d"/>'):format(i)
    flows[#flows + 1] = ("%s -> x%d %s -> y%d x%d -> g%d y%d -> g%d g%d -> f%d"):format(last, i, last, i, i, i, i, i, i, i)
    last = "f" .. i
  end
  return model(table.concat(elements) .. '<userTask id="u"/>', table.concat(flows, " ") .. " " .. last .. " -> u")
end

describe("a process without end", function()
  local function open(options) return support.engine(options) end

  local function refused(engine, pattern, variables)
    local err = support.refused("limit", engine.start, engine, "p", { variables = variables })
    assert.matches(pattern, err.message)
    assert.equal(0, engine:count "instances")
    assert.same({}, engine:verify())
    return err
  end

  it("that goes to itself is stopped by default, and the loop is named", function()
    local engine <close> = open { history = "none" } -- whose rows would fill the memory first
    engine:deploy(model('<task id="a"/>', "a -> a"))
    local err = refused(engine, 'one transaction ran more than 1000000 steps %(steps_max%): the loop "a" %-> "a" does not wait')
    assert.equal("a", err.activity_id)
    local full <close> = open()
    full:deploy(model('<task id="a"/>', "a -> a"))
    refused(full, 'more than 268435456 bytes of memory %(memory_max%): the loop "a" %-> "a" does not wait')
  end)

  it("that forks and forks is stopped by default", function()
    local engine <close> = open()
    engine:deploy(doubling(22))
    refused(engine, "_max%): it came to \"%w+\"")
  end)

  it("names the whole way round, by gateways, links and boundary events", function()
    local ways = {
      ['"a" -> "b" -> "c" -> "a"'] = LOOP,
      ['"a" -> "th" -> "c" -> "a"'] = model([[<task id="a"/><intermediateThrowEvent id="th"><linkEventDefinition name="l"/>
        </intermediateThrowEvent><intermediateCatchEvent id="c"><linkEventDefinition name="l"/></intermediateCatchEvent>]],
        "a -> th c -> a"),
      ['"a" -> "e" -> "a"'] = model([[<scriptTask id="a" scriptFormat="lua"><script>orrery.bpmn_error "x"</script></scriptTask>
        <boundaryEvent id="e" attachedToRef="a"><errorEventDefinition/></boundaryEvent>]], "e -> a"),
      ['"a" -> "b" -> "a"'] = model([[<subProcess id="a"><startEvent id="is"/><sequenceFlow id="if" sourceRef="is" targetRef="it"/>
        <task id="it"/></subProcess><task id="b"/>]], "a -> b b -> a"),
    }
    for way, source in pairs(ways) do
      local engine <close> = open { steps_max = 1000 }
      engine:deploy(source)
      local message = support.refused("limit", engine.start, engine, "p").message
      -- it may stop at any node of the loop
      local names, rounds = {}, {}
      for name in way:gmatch '"(%w+)"' do names[#names + 1] = name end
      names[#names] = nil
      for first = 1, #names do
        local round = {}
        for i = 0, #names do round[#round + 1] = '"' .. names[(first + i - 1) % #names + 1] .. '"' end
        rounds[table.concat(round, " -> ")] = true
      end
      assert.is_true(rounds[message:match "the loop (.+) does not wait$"], message)
    end
  end)

  it("that a job goes into becomes an incident, which names it", function()
    local engine <close> = open { steps_max = 1000, retries = 1 }
    engine:deploy(model('<task id="a" camunda:asyncBefore="true"/><task id="b"/><task id="c"/>', "a -> b b -> c c -> b"))
    engine:start "p"
    assert.equal(1, engine:run_jobs())
    assert.matches('the loop "%w" %-> "%w" %-> "%w" does not wait', engine:incident({}).message)
    assert.same({}, engine:verify())
  end)

  it("may have as many steps as it is given, or any number", function()
    local function counting(options)
      local engine <close> = open(options)
      local n = 0
      engine:register("count", function() n = n + 1 end)
      engine:register("more", function() return n < 3000 end)
      engine:deploy(model([[<serviceTask id="a" camunda:class="count"/><exclusiveGateway id="b" default="b-e"/><endEvent id="e"/>
        <sequenceFlow id="back" sourceRef="b" targetRef="a"><conditionExpression>${more()}</conditionExpression></sequenceFlow>]],
        "a -> b b -> e"))
      return pcall(engine.start, engine, "p")
    end
    assert.is_false(counting { steps_max = 5000 })
    assert.is_true(counting { steps_max = 100000 })
    assert.is_true(counting { steps_max = 0 })
  end)

  it("is counted by command: a host may do in one transaction as much as it likes", function()
    local engine <close> = open { steps_max = 50 }
    engine:deploy(model('<userTask id="a"/>', ""))
    engine:transaction(function()
      for _ = 1, 100 do engine:start "p" end
    end)
    assert.equal(100, engine:count "instances")
  end)

  it("may fill no more memory than it is given", function()
    local engine <close> = open { memory_max = 1024 * 1024 }
    engine:register("grow", function(execution) execution:set("v" .. execution:get "n", ("x"):rep(10000)) end)
    engine:deploy(model('<scriptTask id="a" scriptFormat="lua"><script>execution:set("n", n + 1)</script></scriptTask>'
      .. '<serviceTask id="b" camunda:class="grow"/>', "a -> b b -> a"))
    refused(engine, 'more than 1048576 bytes of memory %(memory_max%): the loop "%w" %-> "%w" %-> "%w"', { n = 0 })
  end)

  describe("has tokens", function()
    local function fork(count)
      local elements, flows = { '<parallelGateway id="a"/>' }, {}
      for i = 1, count do
        elements[#elements + 1] = ('<userTask id="u%d"/>'):format(i)
        flows[i] = "a -> u" .. i
      end
      return model(table.concat(elements), table.concat(flows, " "))
    end

    it("as many as it is given and no more", function()
      local engine <close> = open { tokens_max = 10 }
      engine:deploy(fork(10))
      assert.equal(10, #engine:start("p"):active())
      engine:deploy(fork(11))
      support.refused("limit", engine.start, engine, "p")
      assert.equal(1, engine:count "instances")
    end)

    it("which count at once, not in all", function()
      local engine <close> = open { tokens_max = 10 }
      engine:deploy(model('<userTask id="a"/>', "a -> a"))
      engine:start "p"
      for _ = 1, 50 do engine:task({}):complete() end
      assert.equal(1, engine:count "tasks")
    end)

    it("which start by instructions take memory as many as they are, not as their square", function()
      local engine <close> = open {}
      engine:deploy(model('<userTask id="a"/>', ""))
      local instructions = {}
      for i = 1, 6000 do instructions[i] = { start_before = "a" } end
      assert.equal(6000, #engine:start("p", { instructions = instructions }):active()) -- within the default memory_max
    end)

    it("over its transactions: a fork that comes back by jobs, again and again, ends in incidents", function()
      local engine <close> = open { tokens_max = 20, retries = 1 }
      engine:deploy(model('<task id="a"/><task id="b" camunda:asyncBefore="true"/><task id="c" camunda:asyncBefore="true"/>'
        .. '<exclusiveGateway id="d"/>', "a -> b a -> c b -> d c -> d d -> a"))
      engine:start "p"
      engine:run_jobs()
      local tokens = #engine:instance({}):active()
      assert.is_true(tokens > 10 and tokens <= 20, tokens)
      assert.matches("more than 20 tokens %(tokens_max%)", engine:incident({}).message)
      assert.equal(tokens, engine:count "incidents")
      assert.same({}, engine:verify())
    end)
  end)
end)
