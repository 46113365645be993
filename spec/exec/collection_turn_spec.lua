-- A sequential multi-instance evaluates its collection anew for each turn, wherever transactions end.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local shows, survives, run, flows = peers.shows, peers.survives, peers.run, peers.flows

local MULTI <const> = '<multiInstanceLoopCharacteristics isSequential="true" o:collection="%s" %s>'
  .. "</multiInstanceLoopCharacteristics>"
local function multi(collection, more)
  return MULTI:format(collection, more or 'o:elementVariable="item"')
end

--- A sub-process for each element, whose only task is a delegate, perhaps behind a save point.
local function each(collection, async, more)
  return '<startEvent id="s"/><subProcess id="all">' .. multi(collection, more)
    .. ('<startEvent id="ss"/><serviceTask id="one" %s o:class="work"/>'):format(async or "")
    .. flows "ss -> one" .. "</subProcess>"
end

local ASYNC <const> = 'o:asyncBefore="true" o:async="true"'

--- What the turns saw of `items`; change(execution, turn) is done in each.
local function turns(body, items, change, prepare)
  return function(engine)
    local seen = {}
    engine:register("work", function(execution)
      seen[#seen + 1] = tostring(execution:get "item")
      change(execution, #seen)
    end)
    if prepare then prepare(engine, seen) end
    local raised = peers.kind(function()
      run(engine, body, "s -> all", { variables = { items = items, turn = 0 } })
      local job = engine:job {}
      while job do
        job:execute()
        job = engine:job {}
      end
    end)
    return { table.concat(seen, " "), raised or "done" }
  end
end

local function put(list)
  return function(execution, turn)
    if turn == 1 then execution:set("items", list) end
  end
end

describe("a sequential multi-instance", function()
  local ABC <const> = { "a", "b", "c" }
  for how, async in pairs { ["without a save point"] = "", ["with one"] = ASYNC } do
    local function each_turn(what, list, expected)
      shows(what .. ", " .. how, turns(each("${items}", async), ABC, put(list)), expected)
    end
    each_turn("has the elements of the list there is now", { "x", "y", "z" }, { "a y z", "done" })
    each_turn("has no more turns than it began with", { "x", "y", "z", "more" }, { "a y z", "done" })
    each_turn("raises when the list has become shorter", { "x", "y" }, { "a y", "expression" })
    each_turn("raises when the list has become empty", orrery.array {}, { "a", "expression" })
    each_turn("raises when the list has become null", orrery.null, { "a", "expression" })
    each_turn("raises when it is no list any more", 7, { "a", "expression" })

    shows("finds its list by name, " .. how, turns(each("items", async), ABC, put { "x", "y", "z" }),
      { "a y z", "done" })
    shows("asks a function again for each turn, " .. how, turns(each("${list(turn)}", async), ABC,
      function(execution, turn) execution.engine:instance(execution.instance_id):set("turn", turn) end,
      function(engine)
        engine:register("list", function(turn)
          return { "a" .. turn, "b" .. turn, "c" .. turn }
        end)
      end), { "a0 b1 c2", "done" })
    shows("reads a list that is kept as JSON anew, " .. how, turns(each("${items}", async),
      orrery.typed { type = "json", value = '["a", "b", "c"]' },
      put(orrery.typed { type = "json", value = '["x", "y", "z"]' })), { "a y z", "done" })
    shows("needs no elements that nothing takes, " .. how,
      turns(each("${items}", async, ""), ABC, put(orrery.array {})), { "nil nil nil", "done" })
  end

  shows("says which collection it is, and how many it has", function(engine)
    run(engine, '<startEvent id="s"/><userTask id="all">' .. multi "${items}" .. "</userTask>", "s -> all",
      { variables = { items = ABC } })
    engine:task({}):complete()
    engine:instances({})[1]:set("items", { "x" })
    local _, err = peers.kind(function() engine:task({}):complete() end)
    return { err.kind, err.message:match "its multi%-instance collection .*", engine:task({}):get "item" }
  end, { "expression",
    'its multi-instance collection "${items}" has 1 elements now, and number 3 is next', "b" })

  survives("goes on with the list that somebody mended, in another life", function(reopen)
    local engine = reopen()
    local id = run(engine, '<startEvent id="s"/><userTask id="all">' .. multi "${items}" .. "</userTask>",
      "s -> all", { variables = { items = ABC } }).id
    engine:instance(id):set("items", { "x" })
    engine = reopen()
    local refused = peers.kind(function() engine:task({}):complete() end)
    engine:instance(id):set("items", { "x", "y", "z" })
    engine = reopen()
    engine:task({}):complete()
    return { refused, engine:task({}):get "item" }
  end, { "expression", "y" })
end)
