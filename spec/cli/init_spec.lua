-- orrery init: a new project in a folder of its own. That each runs is a spec of spec/examples.
-- Marks: commands
local command = require "spec.cli.command"
local init = require "orrery.verb.project.init"
local orrery = require "orrery"

local function has(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

describe("orrery init", function()
  it("makes the smallest project, in a new folder or in the empty one that it is called in", function()
    local dir <close> = command.folder()
    local code, out, err = command.run { "init", dir.path .. "/deep/er/project" }
    assert.same({ 0, "" }, { code, err })
    assert.truthy(out:find(("cd %s/deep/er/project && make run, make test"):format(dir.path), 1, true), out)
    for _, name in ipairs { "hello.bpmn", "hello/greet.lua", "test.lua", "Makefile", "README.md" } do
      assert.is_true(has(dir.path .. "/deep/er/project/" .. name), name)
    end
    local file <close> = assert(io.open(dir.path .. "/deep/er/project/.luarc.json"))
    local settings = orrery.json.decode(file:read "a") -- a language server finds the stubs by it
    assert.same({ "Lua 5.4", 1 }, { settings["runtime.version"], #settings["workspace.library"] })
    assert.is_true(has(settings["workspace.library"][1] .. "/engine.lua"))
    local empty = dir.path .. "/empty"
    code = command.execute { "sh", "-c", ("mkdir '%s' && cd '%s' && '%s' init"):format(empty, empty, command.path) }
    assert.equal(0, code)
    assert.is_true(has(empty .. "/hello.bpmn"))
  end)

  it("makes one of every example that it offers, and leaves out what playing it left", function()
    for _, option in ipairs(init.spec.options) do
      for _, example in ipairs(option.choices or {}) do
        local dir <close> = command.folder()
        local code, events = command.events { "init", dir.path .. "/p", "--from", example, "--json" }
        assert.equal(0, code, example)
        local made = {}
        for _, e in ipairs(events) do
          if e.event == "made" then made[e.file:match "/p/(.*)$"] = true end
        end
        assert.is_true(made["Makefile"] and made["README.md"] and made["test.lua"], example)
        for name in pairs(made) do assert.is_nil(name:find "^store/" or name:find "^saves/" or name:find "^files/") end
      end
    end
  end)

  it("touches nothing in a folder that is not empty, and nothing that is no folder", function()
    local dir <close> = command.folder()
    dir.file("letter.txt", "dear kermit")
    local code, out, err = command.run { "init", dir.path }
    assert.same({ 1, "" }, { code, out })
    local complaint = "the folder %s is not empty: it has letter.txt; orrery init NAME makes a new one"
    assert.truthy(err:find(complaint:format(dir.path), 1, true), err)
    assert.is_false(has(dir.path .. "/Makefile"))
    code, _, err = command.run { "init", dir.path .. "/letter.txt" }
    assert.equal(1, code)
    assert.matches("is no folder", err)
    code, _, err = command.run { "init", dir.path .. "/letter.txt/below" }
    assert.equal(1, code)
    assert.matches("Not a directory", err)
  end)

  it("names the examples that there are", function()
    local code, _, err = command.run { "init", "x", "--from", "tripp" }
    assert.equal(2, code)
    assert.matches('%-%-from needs one of hello, trip, approval, automation, quests, worker, got "tripp"', err)
  end)
end)
