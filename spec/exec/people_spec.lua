-- Who may start a process, who did, and who takes part in it.
local peers = require "spec.exec.peers"

local shows = peers.shows

local function keys(list)
  local out = {}
  for i, record in ipairs(list) do out[i] = record.key end
  table.sort(out)
  return table.concat(out, " ")
end

local function links(record)
  local out = {}
  for i, link in ipairs(record:links()) do out[i] = link.type .. " " .. (link.user or "group " .. link.group) end
  return out
end

describe("a definition", function()
  local function deploy(engine)
    engine:set_groups(function(user) return user == "gonzo" and { "staff" } or {} end)
    local ends = '<startEvent id="%ss" %s/>'
    engine:deploy { ["p.bpmn"] = peers.definitions(([[<process id="open" isExecutable="true">%s</process>
      <process id="own" isExecutable="true" o:candidateStarterUsers="kermit, fozzie" o:candidateStarterGroups="staff">%s</process>]])
      :format(ends:format("a", ""), ends:format("b", 'o:formKey="start.html"'))) }
  end

  shows("shows its candidate starters, in a list and as links", function(engine)
    deploy(engine)
    local own, open = engine:definition { key = "own" }, engine:definition { key = "open" }
    return { own.starter_users, own.starter_groups, links(own), open.starter_users, links(open) }
  end, { { "kermit", "fozzie" }, { "staff" }, { "candidate kermit", "candidate fozzie", "candidate group staff" }, {}, {} })

  shows("is found by whom it is open to: everyone, when it names nobody", function(engine)
    deploy(engine)
    local out = {}
    for i, user in ipairs { "kermit", "gonzo", "animal" } do out[i] = keys(engine:definitions { startable_by = user }) end
    return out
  end, { "open own", "open own", "open" })

  shows("shows the form of its start event", function(engine)
    deploy(engine)
    return { engine:definition({ key = "own" }).start_form_key, engine:definition({ key = "open" }).start_form_key == nil,
      engine:definition({ start_form_key = "start.html" }).key }
  end, { "start.html", true, "own" })
end)

describe("an instance", function()
  shows("shows who started it, and who takes part", function(engine)
    peers.deploy(engine, peers.process('<startEvent id="s"/><userTask id="a" o:assignee="kermit"/>'
      .. '<userTask id="b" o:candidateUsers="gonzo" o:candidateGroups="staff"/>', "s -> a a -> b"))
    local pi = engine:start("p", { initiator = "fozzie" })
    local before = links(pi)
    engine:task({}):complete()
    local task = engine:task {}
    local between = links(pi)
    task:claim "animal"
    return { pi.starter, before, between, links(pi), #engine:instances { starter = "fozzie" }, #engine:instances { starter = "kermit" } }
  end, { "fozzie", { "starter fozzie", "participant kermit" }, { "starter fozzie", "participant kermit", "participant gonzo" },
    { "starter fozzie", "participant kermit", "participant animal", "participant gonzo" }, 1, 0 })

  shows("without a starter has none", function(engine)
    local pi = peers.run(engine, '<startEvent id="s"/><userTask id="a"/>', "s -> a")
    return { pi.starter == nil, links(pi) }
  end, { true, {} })

  shows("keeps its starter in history", function(engine)
    peers.deploy(engine, peers.process('<startEvent id="s"/>', ""))
    engine:start("p", { initiator = "fozzie" })
    return engine:history_instances({ starter = "fozzie" })[1].starter
  end, "fozzie")
end)
