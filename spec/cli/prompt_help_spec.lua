-- Marks: commands
-- What the prompt does for those who type: completion, lists as tables, reload(), \e, history.
local command = require "spec.cli.command"
local complete = require "orrery.repl.complete"
local options = require "orrery.repl.options"
local orrery = require "orrery"
local repl = require "orrery.repl"
local terminal = require "spec.cli.terminal"

local model = command.one_node '<userTask id="re-view" name="Review"/>'

--- Feeds lines to a prompt; returns what it printed, as one text, and the prompt.
local function play(engine, lines, more)
  local printed, at = {}, 0
  local prompt = repl.new { engine = engine,
    print = function(text) printed[#printed + 1] = text end, path = more and more.path,
    setup = more and more.setup }
  local function read()
    at = at + 1
    return lines[at]
  end
  local fine = repl.run { repl = prompt, read = read,
    edit = more and more.edit, remember = more and more.remember }
  return table.concat(printed, "\n"), fine
end

describe("the prompt", function()
  local engine
  before_each(function()
    engine = orrery.open(nil, { clock = "manual", log = "none" })
    engine:deploy { ["p.bpmn"] = model }
    for _, key in ipairs { "k-1", "k-2" } do engine:start("p", { business_key = key }) end
  end)
  after_each(function() engine:close() end)

  local function candidates(line)
    -- as the terminal breaks a line
    local word = line:match "[^ \t\n\"\\'`@$><=;|&{(,+%-*/%%^#~)}%]]*$"
    return complete.candidates({ engine = engine, t = { alpha = 1, beta = { gamma = 2 } } }, engine,
      word, line, #line)
  end

  describe("completes", function()
    it("keys of tables", function()
      assert.same({ "t.alpha", "t.beta" }, candidates "t.")
      assert.same({ "t.beta.gamma" }, candidates "x = t.beta.g")
    end)

    it("keys of the store, also behind a dash", function()
      assert.same({ "view" }, candidates 'engine:task { key = "re-vi')
      assert.same({ "p" }, candidates 'engine:start("p')
    end)

    it("names of files, folder by folder", function()
      local dir <close> = command.folder()
      dir.file("one-order.bpmn", "")
      assert(os.execute(("mkdir '%s/models'"):format(dir.path)))
      assert.same({ "order.bpmn" }, candidates(('engine:deploy "%s/one-o'):format(dir.path)))
      assert.same({ "models/" }, candidates(("engine:deploy('%s/mo"):format(dir.path)))
      assert.same({}, candidates(('engine:deploy "%s/none/x'):format(dir.path)))
    end)

    it("options of the function that is called", function()
      assert.same({ "business_key = " }, candidates 'engine:start("p", { business')
      assert.same({ "variables = " }, candidates 'engine:start("p", { business_key = "k", vari')
      assert.same({ "history = " }, candidates "orrery.open(nil, { histor")
      assert.same({ "assigned", "assignee" }, candidates "engine:tasks { assign")
      assert.same({ "t.alpha" }, candidates "engine:tasks { assignee = t.a") -- a value is no option
      assert.is_nil(options.at 'engine:start("p", { variables = { business')
    end)
  end)

  it("shows a list of records as a table, and one record whole", function()
    local out = play(engine,
      { "instances()", "engine:instance { business_key = 'k-1' }", "{ 1, 2 }", "{}" })
    assert.matches("^id +definition_key +business_key +state.-\n%d+ +p +k%-1 +%S+.-\n%d+ +p +k%-2 .-\ninstance {", out)
    assert.matches("\n{ 1, 2 }\n{}$", out)
    assert.matches("started_at\n%d[^\n]*2026%-01%-01T00:00:00", out)
  end)

  it("cuts what is long in a table, not within a letter", function()
    engine:task({ business_key = "k-1" }):update { name = ("ä"):rep(60) }
    local out = play(engine, { "tasks()" })
    assert.truthy(out:find(" " .. ("ä"):rep(32) .. "… ", 1, true), out)
  end)

  it("reads modules of the program again after reload(), and Orrery's not", function()
    local dir <close> = command.folder()
    local path, ran = dir.path .. "/?.lua", 0
    package.path = path .. ";" .. package.path
    dir.file("prompt_module.lua", "return 1")
    local lines = { "require 'prompt_module'", "rewrite()", "require 'prompt_module'", "reload()",
      "require 'prompt_module'",
      "require 'orrery' == orrery" }
    _G.rewrite = function() dir.file("prompt_module.lua", "return 2") end
    local out = play(engine, lines, { path = path, setup = function() ran = ran + 1 end })
    _G.rewrite, package.loaded.prompt_module = nil, nil
    package.path = package.path:sub(#path + 2)
    local values = {}
    for value in out:gmatch "%f[^\n\0]%d%f[\n\0]" do values[#values + 1] = value end
    assert.same({ "1", "1", "2" }, values, out)
    assert.matches("read again when next needed: [^\n]*prompt_module", out)
    assert.matches("\ntrue$", out)
    assert.equal(1, ran)
  end)

  describe("\\e", function()
    local function edit(text) return (text:gsub("1", "2")) end

    it("edits the last input and runs what becomes of it", function()
      local kept = {}
      local out = play(engine, { "10 + 1", "\\e" }, { edit = edit,
        remember = function(text) kept[#kept + 1] = text end })
      assert.equal("11\n20 + 2\n22", out)
      assert.same({ "10 + 1", "20 + 2" }, kept)
    end)

    it("edits what is begun", function()
      local function finish(text) return text .. "\nend" end
      local out = play(engine, { "for i = 1, 2 do", "print(i)", "\\e" }, { edit = finish })
      assert.equal("for i = 1, 2 do\nprint(i)\nend\n1\n2", out)
    end)

    it("says what is wrong with the editor, or that there is none", function()
      local function broken() error('the editor "vi" failed', 0) end
      local said = { play(engine, { "\\e" }, { edit = broken }) }
      assert.same({ 'the editor "vi" failed', false }, said)
      assert.same({ "\\e edits only at a terminal", false }, { play(engine, { "\\e" }) })
    end)
  end)

  it("remembers an input of several lines as it was typed, comments too, for the next", function()
    if not terminal.there() then return pending "script(1) is not here" end
    local p <close> = terminal.open "repl"
    p.sees "orrery> "
    p.types "for i = 1, 2 do -- two\n"
    p.sees ">> "
    p.types "print(('x'):rep(i + 2) .. 'y') end\n"
    p.sees "xxxxy"
    p.sees "orrery> "
    p.types "\27[A"
    p.sees "rep(i + 2)"
    p.types "\n"
    p.sees "xxxxy"
    p.types "\4"
    assert.equal(0, p.ends())
    local file <close> = assert(io.open(p.dir .. "/.orrery_history"))
    assert.truthy(file:read "a":find("two\\012", 1, true))
  end)
end)
