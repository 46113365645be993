-- orrery schema, and the commands on a store in PostgreSQL.
-- Marks: commands
local command = require "spec.cli.command"
local postgres = require "spec.support.postgres"

describe("a store's URL on the command line", function()
  local with_server = postgres.with(it, pending)

  with_server("is given where a folder is, once its database has a schema", function()
    local dir <close> = command.folder()
    local url, name = postgres.shared():schema()
    local flow = '<sequenceFlow id="f" sourceRef="s" targetRef="e"/>'
    local model = dir.file("p.bpmn", command.model('<startEvent id="s"/>' .. flow .. '<endEvent id="e"/>'))
    local code, _, err = command.run { "deploy", url, model }
    assert.same({ 1, true }, { code, err:find("make one with: orrery schema URL", 1, true) ~= nil })
    for _ = 1, 2 do
      local events
      code, events, err = command.events { "schema", url, "--json" }
      assert.same({ 0, "schema", "" }, { code, events[1].event, err })
    end
    assert.equal(0, (command.run { "deploy", url, model }))
    assert.equal(0, (command.run { "start", url, "p" }))
    local _, out = command.run { "history", url }
    assert.truthy(out:find("completed", 1, true), out)
    assert.equal(0, (command.run { "verify", url }))
    assert.truthy(tonumber(postgres.shared():query("SELECT count(*) FROM orrery_entry", { schema = name })) > 0)
  end)

  with_server("is not shown, since it may hold a password", function()
    local server = postgres.shared()
    local _, name = server:schema()
    local url = server:url(name, { user = "orrery:s3cret" })
    local words = { { "schema", url }, { "schema", url, "--json" }, { "schema", url, "--grant", "nobody_known" },
      { "top", url, "--count", "1" }, { "copy", url, "/nowhere/copy" }, { "jobs", url }, { "repl", url },
      { "verify", (url:gsub("@/postgres", "@/nowhere")) } }
    for _, list in ipairs(words) do
      local _, out, err = command.run(list)
      assert.is_nil((out .. err):find("s3cret", 1, true), list[1] .. ": " .. out .. err)
    end
  end)

  it("is refused where it is none", function()
    local code, _, err = command.run { "schema", "some/folder" }
    assert.same({ 2, true }, { code, err:find("postgresql://", 1, true) ~= nil })
    code, _, err = command.run { "schema", "postgresql://u:s3cret@[::1/x" }
    assert.same({ 1, true, nil }, { code, err:find("cannot be read", 1, true) ~= nil, err:find("s3cret", 1, true) })
  end)
end)

describe("orrery copy between a folder and a database", function()
  local with_server = postgres.with(it, pending)

  with_server("moves a store that is in the middle of its work, and moves it back", function()
    local dir <close> = command.folder()
    local url = postgres.shared():schema()
    local path, back = dir.path .. "/store", dir.path .. "/back"
    local task = '<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="u"/><userTask id="u"/>'
    assert.equal(0, (command.run { "deploy", path, "--create", dir.file("p.bpmn", command.model(task)) }))
    assert.equal(0, (command.run { "start", path, "p", "--set", "n=7" }))
    local code, _, err = command.run { "copy", path, url }
    assert.same({ 1, true }, { code, err:find("orrery schema URL", 1, true) ~= nil }, err)
    assert.equal(0, (command.run { "schema", url }))
    local out
    code, out, err = command.run { "copy", path, url, "--verify" }
    assert.same({ 0, "copied " .. path .. " to URL, verified\n" }, { code, out }, err)
    code, _, err = command.run { "copy", path, url }
    assert.same({ 1, true }, { code, err:find("there is a store already", 1, true) ~= nil }, err)
    assert.equal(0, (command.run { "tasks", url, "--complete", "all", "--yes" }))
    code, _, err = command.run { "copy", url, back, "--verify" }
    assert.equal(0, code, err)
    _, out = command.run { "history", back }
    assert.truthy(out:find("completed", 1, true), out)
  end)
end)
