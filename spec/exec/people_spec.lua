-- Who may start a process, who did, and who takes part in it.
-- Marks: records
local peers = require "spec.exec.peers"
local support = require "spec.support.process"

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

  it("names others as who may start it, whatever its model says", function()
    local engine <close> = support.engine { history = "full", user = "boss" }
    deploy(engine)
    local own, open = engine:definition { key = "own" }, engine:definition { key = "open" }
    own:remove_link("candidate", { user = "kermit" })
    own:remove_link("candidate", { user = "nobody" })
    own:remove_link("candidate", { group = "staff" })
    own:add_link("candidate", { group = "frogs" })
    own:add_link("candidate", { group = "frogs" })
    open:add_link("candidate", { user = "animal" })
    assert.same({ "candidate fozzie", "candidate group frogs" }, links(own))
    assert.same({ "candidate animal" }, links(engine:definition(open.id)))
    local function startable(user) return keys(engine:definitions { startable_by = user }) end
    assert.same({ "own", "open", "" }, { startable "fozzie", startable "animal", startable "gonzo" })
    open:remove_link("candidate", { user = "animal" })
    assert.equal("open", startable "gonzo")
    local told = {}
    for i, row in ipairs(engine:history_operations { entity = "IdentityLink", order_by = "id" }) do
      told[i] = ("%s %s -> %s"):format(row.type, row.old_value or "-", row.new_value or "-")
    end
    assert.same({ "DeleteUserLink kermit -> -", "DeleteGroupLink staff -> -", "AddGroupLink - -> frogs", "AddUserLink - -> animal",
      "DeleteUserLink animal -> -" }, told)
    engine:start "own"
    assert.same({}, engine:verify())
  end)

  it("refuses what is no link of it, and more of them than it can hold", function()
    local engine <close> = support.engine()
    deploy(engine)
    local own = engine:definition { key = "own" }
    for _, link in ipairs { {}, { user = "a", group = "b" }, { usr = "a" }, { user = "" } } do
      support.refused("argument", own.add_link, own, "candidate", link)
    end
    support.refused("argument", own.add_link, own, "owner", { user = "a" })
    support.refused("argument", own.add_link, own, nil, { user = "a" })
    engine:transaction(function()
      for i = 3, 1000 do own:add_link("candidate", { user = "u" .. i }) end
    end)
    support.refused("limit", own.add_link, own, "candidate", { user = "one more" })
    own:remove_link("candidate", { user = "u500" })
    own:add_link("candidate", { user = "one more" })
    engine:undeploy(own.deployment_id)
    support.refused("not_found", own.add_link, own, "candidate", { user = "a" })
  end)

  shows("is found by whom it is open to: everyone, when it names nobody", function(engine)
    deploy(engine)
    local out = {}
    for i, user in ipairs { "kermit", "gonzo", "animal" } do out[i] = keys(engine:definitions { startable_by = user }) end
    return out
  end, { camunda = { "open own", "open own", "open" }, flowable = { "own", "own", "" },
    orrery = { "open own", "open own", "open" } })

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
