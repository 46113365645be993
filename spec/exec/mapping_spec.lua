-- Input and output parameters: what their values raise.
local peers = require "spec.exec.peers"
local orrery = require "orrery"

local RAISES <const> = '<o:script scriptFormat="lua">orrery.bpmn_error("err", "because", { seen = 7 })</o:script>'

local function mapped(kind, value)
  return ('<extensionElements><o:inputOutput><o:%sputParameter name="v">%s</o:%sputParameter></o:inputOutput></extensionElements>')
    :format(kind, value, kind)
end

describe("a BPMN error that a parameter raises is caught at its activity:", function()
  local list = "<o:list><o:value>1</o:value><o:value>%s</o:value></o:list>"
  for _, kind in ipairs { "in", "out" } do
    for name, value in pairs { ["an expression"] = "${raise()}", ["a script"] = RAISES, ["an item"] = list:format "${raise()}" } do
      peers.shows(name .. " of an " .. kind .. "put", function(engine)
        engine:register("raise", function() orrery.bpmn_error("err", "because", { seen = 7 }) end)
        local instance = peers.run(engine, '<startEvent id="s"/><userTask id="a">' .. mapped(kind, value) .. [[</userTask>
          <boundaryEvent id="b" attachedToRef="a"><errorEventDefinition errorRef="err" o:errorMessageVariable="why"/></boundaryEvent>
          <userTask id="caught"/>]], "s -> a b -> caught")
        if kind == "out" then engine:task({}):complete() end
        return { peers.active(instance), instance:get "why", instance:get "seen" }
      end, { "caught", "because", 7 })
    end
  end

  peers.shows("one that nobody catches goes the way of every other", function(engine)
    engine:register("raise", function() orrery.bpmn_error("err", "because") end)
    peers.deploy(engine, peers.process('<startEvent id="s"/><userTask id="a">' .. mapped("in", "${raise()}") .. "</userTask>", "s -> a"))
    return (peers.kind(engine.start, engine, "p")) or "ended"
  end, { camunda = "ended", flowable = "bpmn_error", orrery = "bpmn_error" })

  peers.shows("any other failure is the expression's", function(engine)
    engine:register("raise", function() error "no" end)
    peers.deploy(engine, peers.process('<startEvent id="s"/><userTask id="a">' .. mapped("in", "${raise()}") .. "</userTask>", "s -> a"))
    return (peers.kind(engine.start, engine, "p"))
  end, "expression")
end)
