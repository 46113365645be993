-- Data objects: what their types take, and where they are looked at.
local orrery = require "orrery"
local peers = require "spec.exec.peers"

local shows = peers.shows

local function object(type, value, name)
  return ('<dataObject id="o" %s itemSubjectRef="xsd:%s"><extensionElements><o:value>%s</o:value></extensionElements></dataObject>')
    :format(name or 'name="x"', type, value)
end

local function deploy(engine, ...)
  return peers.deploy(engine, peers.process(object(...) .. '<startEvent id="s"/><userTask id="u"/>', "s -> u"))
end

describe("a data object", function()
  for _, case in ipairs { { "int", "abc" }, { "int", "2147483648" }, { "int", "-2147483649" }, { "int", "1.5" }, { "long", "1e3" },
    { "long", "9223372036854775808" }, { "integer", "one" }, { "double", "1,5" }, { "float", "x" }, { "boolean", "yes" },
    { "datetime", "yesterday" }, { "datetime", "2026-02-30T10:00:00" }, { "dateTime", "10:00" } } do
    shows(("of type %s refuses %s at deployment"):format(case[1], case[2]), function(engine)
      local kind, err = peers.kind(deploy, engine, case[1], case[2])
      local text = err.message
      return { kind, text:find(case[2], 1, true) ~= nil, text:find('"x"', 1, true) ~= nil, text:find("it must be", 1, true) ~= nil }
    end, { "deployment", true, true, true })
  end

  for _, case in ipairs { { "int", "-2147483648", -2147483648 }, { "int", "2147483647", 2147483647 },
    { "long", "9223372036854775807", math.maxinteger },
    { "double", "1.5", 1.5 }, { "float", "1e3", 1000.0 }, { "boolean", "false", false }, { "datetime", "2026-01-01T00:00:01Z", 1767225601 },
    { "string", "abc", "abc" } } do
    shows(("of type %s takes %s"):format(case[1], case[2]), function(engine)
      deploy(engine, case[1], case[2])
      return engine:start("p"):get "x"
    end, case[3])
  end

  for _, case in ipairs { { "datetime", "2013-09-16T11:23:00Z", "Date" }, { "dateTime", "2013-09-16T11:23:00.5Z", "Date" },
    { "long", "-123456", "Long" }, { "long", "${1 + 1}", "Long" }, { "int", "5", "Integer" }, { "double", "1.5", "Double" },
    { "boolean", "true", "Boolean" }, { "string", "a", "String" } } do
    peers.survives(("of type %s keeps its type, %s"):format(case[1], case[2]), function(reopen)
      local engine = reopen()
      deploy(engine, case[1], case[2])
      local id = engine:start("p").id
      return reopen():instance(id):get_typed("x").type
    end, case[3])
  end

  shows("without a name sets nothing, and is warned of", function(engine)
    local warnings = deploy(engine, "int", "1", "").warnings
    return { engine:start("p"):variables(), #warnings }
  end, { {}, 1 })

  shows("without a name and a value sets nothing", function(engine)
    peers.deploy(engine, peers.process('<dataObject id="o"/><startEvent id="s"/><userTask id="u"/>', "s -> u"))
    return engine:start("p"):variables()
  end, {})

  shows("whose expression gives too much fails when it is reached", function(engine)
    local given = 1 << 31
    engine:register("give", function() return given end)
    deploy(engine, "int", "${give()}")
    local kind = peers.kind(engine.start, engine, "p")
    given = 7
    return { kind, engine:start("p"):get "x" }
  end, { "expression", 7 })

  shows("without a value is null", function(engine)
    local empty = '<dataObject id="o" name="x" itemSubjectRef="xsd:int"/>'
    peers.deploy(engine, peers.process(empty .. '<startEvent id="s"/><userTask id="u"/>', "s -> u"))
    return engine:start("p"):variables()
  end, { x = orrery.null })
end)

describe("users and groups", function()
  local owner = [[<startEvent id="s"/><userTask id="u"><potentialOwner><resourceAssignmentExpression><formalExpression>%s</formalExpression>
    </resourceAssignmentExpression></potentialOwner></userTask>]]

  for _, text in ipairs { "user(a) group(b)", "group(b) user(a)", "user(a) b", "a group(b)", "user(a), user(b) group(c)" } do
    shows(("without a comma in %s are a problem that says so"):format(text), function(engine)
      local kind, err = peers.kind(peers.deploy, engine, peers.process(owner:format(text), "s -> u"))
      return { kind, err.message:find("a comma is missing", 1, true) ~= nil }
    end, { "deployment", true })
  end

  shows("with commas are not", function(engine)
    local links = {}
    peers.run(engine, owner:format "user(a), group(b) , c", "s -> u")
    for i, link in ipairs(engine:task({}):links()) do links[i] = (link.user or "-") .. (link.group or "-") end
    table.sort(links)
    return links
  end, { "-b", "-c", "a-" })
end)
