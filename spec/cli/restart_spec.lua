-- Ended instances start again; deployments and limits are shown and changed.
-- Marks: commands
local command = require "spec.cli.command"
local orrery = require "orrery"

local model = command.model([[<startEvent id="start"/>
  <sequenceFlow id="f1" sourceRef="start" targetRef="check"/><userTask id="check"/>
  <sequenceFlow id="f2" sourceRef="check" targetRef="charge"/>
  <serviceTask id="charge" camunda:asyncBefore="true" camunda:asyncAfter="true"
    camunda:class="charge"/>
  <sequenceFlow id="f3" sourceRef="charge" targetRef="mail"/>
  <serviceTask id="mail" camunda:asyncBefore="true" camunda:class="mail"/>
  <sequenceFlow id="f4" sourceRef="mail" targetRef="end"/><endEvent id="end"/>]], "order")

--- A store with an instance "o1" that was canceled, and "o2" that runs.
local function store_of(dir)
  local path = dir.path .. "/store"
  local engine <close> = orrery.open(path, { log = "none" })
  local deployment = engine:deploy({ ["order.bpmn"] = model, ["charge.lua"] = "return print" },
    { name = "shop" })
  local first = engine:start("order", { business_key = "o1", variables = { total = 7 } })
  first:delete "by mistake"
  engine:start("order", { business_key = "o2", variables = { total = 8 } })
  return path, first.id, deployment.id
end

local function instances(path)
  local engine <close> = orrery.open(path, { log = "none" })
  local out = {}
  for i, pi in ipairs(engine:instances { order_by = "started_at" }) do
    out[i] = ("%s %s %s %s"):format(pi.business_key or "-", pi:get "total", pi:get "x" or "-",
      table.concat(pi:active(), " "))
  end
  return out
end

describe("orrery restart", function()
  it("starts what has ended again, by its name, with what it knew", function()
    local dir <close> = command.folder()
    local path, id = store_of(dir)
    local code, out = command.run { "restart", path, "o1" }
    assert.equal(0, code)
    assert.matches("^restarted " .. id
      .. " as instance %d+\nwaits check: a user task of nobody yet", out)
    local _, events = command.events { "restart", path, id, "--before", "mail", "--set", "x=1",
      "--without-business-key", "--json" }
    assert.same({ "restarted", id }, { events[1].event, events[1].of })
    assert.same({ "o2 8 - check", "o1 7 - check", "- 7 1 mail" }, instances(path))
  end)

  it("starts many again that --where and --variable find in history, when it is told to", function()
    local dir <close> = command.folder()
    local path = store_of(dir)
    local code, _, err = command.run { "restart", path, "--where", "definition_key=order" }
    assert.same({ 2, true }, { code, err:find("--yes is needed to restart 1 instance", 1,
      true) ~= nil })
    local _, out = command.run { "restart", path, "--variable", "total=7", "--dry-run" }
    assert.equal("1 instance would be restarted\n", out)
    code, out, err = command.run { "restart", path, "--where", "state=terminated", "--before",
      "mail", "--yes" }
    assert.same({ 0, "1 instance: 1 restarted\n" }, { code, out })
    assert.matches("no executor runs on this store", err)
    assert.same({ "o2 8 - check", "o1 7 - mail" }, instances(path))
  end)

  it("says what cannot be", function()
    local dir <close> = command.folder()
    local path = store_of(dir)
    local function fails(with, text, ...)
      local code, _, err = command.run { "restart", path, ... }
      assert.equal(with, code)
      assert.matches(text, err)
    end
    fails(1, "instance o2 still runs: 'orrery modify' moves its tokens", "o2")
    fails(1, 'knows no instance of the id or business key "o3"', "o3")
    fails(1, "began with are kept only with history", "o1", "--initial-variables")
    fails(1, "nowhere", "o1", "--before", "nowhere")
    fails(2, "restart what%?")
    fails(2, "restart what%?", "o1", "--where", "definition_key=order")
    fails(2, "%-%-set goes with", "o1", "--set", "x=1")
    fails(2, "%-%-dry%-run and %-%-yes go with", "o1", "--dry-run")
    local engine <close> = orrery.open(path, { log = "none" })
    engine:instance({ business_key = "o2" }):delete()
    engine:start("order", { business_key = "o1" }):delete()
    fails(2, "the business key of several ended instances: %d+, %d+", "o1")
  end)
end)

describe("orrery deployments", function()
  it("lists them, shows what is in one, and prints what was deployed", function()
    local dir <close> = command.folder()
    local path, _, id = store_of(dir)
    assert.matches("^ID +NAME +TIME +TENANT\n" .. id .. " +shop +%d", select(2,
      command.run { "deployments", path }))
    local code, out = command.run { "deployments", path, "--show", id }
    assert.equal(0, code)
    assert.matches("^deployment " .. id
      .. "  shop, %S+\nprocess order version 1 %(%d+%): 1 instance running\n"
      .. "resource charge.lua\nresource order.bpmn\n$", out)
    assert.equal(model, select(2, command.run { "deployments", path, "--show", id, "--resource",
      "order.bpmn" }))
    assert.equal(1, (command.run { "deployments", path, "--show", id, "--resource", "other.bpmn" }))
    assert.equal(1, (command.run { "deployments", path, "--show", "1" }))
    local _, events = command.events { "deployments", path, "--show", id, "--json" }
    assert.equal("deployment", events[1].event)
  end)

  it("deletes one that nothing runs by, or with all that does", function()
    local dir <close> = command.folder()
    local path, _, id = store_of(dir)
    local code, _, err = command.run { "deployments", path, "--delete", id }
    assert.equal(1, code)
    assert.matches("delete with cascade", err)
    code = command.run { "deployments", path, "--delete", id, "--cascade" }
    assert.equal(0, code)
    assert.same({}, instances(path))
    assert.equal("no deployments\n", select(2, command.run { "deployments", path }))
    assert.matches("deployments STORE %-%-delete ID", select(3, command.run { "undeploy", path,
      id }))
  end)
end)

describe("orrery limits", function()
  it("sets, lists and clears them", function()
    local dir <close> = command.folder()
    local path = store_of(dir)
    assert.equal("no limits\n", select(2, command.run { "limits", path }))
    local set = { ["activity=order:mail"] = { "--max", "2" }, ["topic=post"] = { "--per-second",
      "0.5", "--burst", "3" },
      ["key=ann=1"] = { "--max", "1" } }
    local said = { ["activity=order:mail"] = "^jobs of order mail %(%d+%): at most 2 at once\n$",
      ["topic=post"] = "^topic post: 0.5 a second, 3 together\n$",
        ["key=ann=1"] = "^key ann=1: at most 1 at once\n$" }
    for of, how in pairs(set) do
      local code, out = command.run { "limits", path, "--set", of, table.unpack(how) }
      assert.equal(0, code)
      assert.matches(said[of], out)
    end
    do
      local engine <close> = orrery.open(path, { log = "none" })
      assert.equal(3, engine:count "limits")
      assert.equal("mail",
        engine:job_definition(engine:limit({ max = 2 }).job_definition_id).activity_id)
    end
    local _, out = command.run { "limits", path }
    assert.matches("^OF +AT ONCE +PER SECOND +TOGETHER\n", out)
    assert.matches("topic post +0.5 +3", out)
    local _, events = command.events { "limits", path, "--where", "topic=post", "--json" }
    assert.same({ 1, "topic post" }, { #events, events[1].of })
    for of in pairs(set) do assert.equal(0, (command.run { "limits", path, "--clear", of })) end
    assert.equal("no limits\n", select(2, command.run { "limits", path }))
  end)

  it("say what is wrong", function()
    local dir <close> = command.folder()
    local path = store_of(dir)
    local function fails(with, text, ...)
      local code, _, err = command.run { "limits", path, ... }
      assert.equal(with, code)
      assert.matches(text, err)
    end
    fails(2, "%-%-set needs topic=NAME.* got \"post\"", "--set", "post", "--max", "1")
    fails(2, "needs %-%-max, %-%-per%-second", "--set", "topic=post")
    fails(2, "%-%-burst goes with %-%-per%-second", "--set", "topic=post", "--max", "1", "--burst",
      "1")
    fails(2, "charge has several kinds of jobs", "--set", "activity=order:charge", "--max", "1")
    fails(1, "order:1 has no jobs at an activity check", "--set", "activity=order:check", "--max",
      "1")
    fails(1, 'no definition "other"', "--set", "activity=other:check", "--max", "1")
    fails(1, "there is no limit of topic=post", "--clear", "topic=post")
    fails(1, "a number above 0", "--set", "topic=post", "--per-second", "-1")
  end)
end)
