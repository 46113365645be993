-- Marks: commands
local command = require "spec.cli.command"

local commands = { "run", "lint", "repl", "definitions", "instances", "tasks", "jobs", "incidents", "verify", "cron", "lua", "version" }

describe("orrery", function()
  it("without a command, or with one it does not know, says so on the standard error and exits with 2", function()
    local code, out, err = command.run {}
    assert.same({ 2, "" }, { code, out })
    assert.matches("which command", err)
    code, out, err = command.run { "fly" }
    assert.same({ 2, "" }, { code, out })
    assert.matches("no command 'fly'\n", err)
    assert.matches("no command 'taks'; did you mean 'tasks'%?", (select(3, command.run { "taks" })))
    assert.matches("no command 'why'; did you mean 'orrery jobs STORE %-%-why ID'%?", (select(3, command.run { "why" })))
  end)

  it("--help names every command, and each has a help of its own", function()
    local code, out = command.run { "--help" }
    assert.equal(0, code)
    for _, name in ipairs(commands) do
      assert.matches("\n  " .. name .. " ", out)
      local sub_code, text, err = command.run { name, "--help" }
      assert.same({ 0, "" }, { sub_code, err })
      assert.matches("Usage: orrery " .. name, text, 1, true)
      assert.equal(text, select(2, command.run { "help", name }))
    end
  end)

  it("fails when what it prints cannot be written", function()
    local path = os.tmpname()
    for _, words in ipairs { "manual --markdown", "version", "version --json", "--help" } do
      local _, _, code = os.execute(("%s %s >/dev/full 2>%s"):format(command.path, words, path))
      assert.equal(1, code)
      assert.equal("orrery: not all of the standard output could be written\n", require("spec.support.folder").read(path))
    end
    os.remove(path)
  end)

  it("says that a file may not grow, and goes on", function()
    local dir <close> = command.folder()
    local model = dir.file("p.bpmn", command.one_node '<userTask id="t"/>')
    local function limited(blocks, words)
      local _, _, code = os.execute(("(ulimit -f %s; %s %s >/dev/null 2>%s/err)"):format(blocks, command.path, words, dir.path))
      return code, require("spec.support.folder").read(dir.path .. "/err")
    end
    local deploy = ("deploy --create %s/store %s"):format(dir.path, model)
    local code, err = limited(1, deploy)
    assert.equal(1, code)
    assert.matches("File too large", err)
    assert.equal(0, (limited("unlimited", deploy)))
    assert.equal(0, (command.run { "verify", dir.path .. "/store" }))
  end)

  it("serve refuses what a setting cannot be, before it listens", function()
    local dir <close> = command.folder()
    for text, message in pairs {
      ["port = -1"] = "port must be a whole number from 0 to 65535, got %-1\n",
      ["port = 70000"] = "port must be a whole number", ["port = 1.5"] = "port must be a whole number",
      ["loops = -1"] = "loops must be a whole number", ["threads = 1e9"] = "threads must be a whole number from 0 to 10000",
      ["json_max = -1"] = "json_max must be a whole number", ["json_max = 2^70"] = "json_max must be a whole number",
      ["drain_seconds = 0/0"] = "drain_seconds must be a number of seconds", ["idle_seconds = -1"] = "idle_seconds must be a number",
      ["deploy = { 1 }"] = "deploy%[1%] must be a string", ["hosts = { 'a', 1 }"] = "hosts%[2%] must be a string",
      ["engines = { { name = 'a/b', store = 's' } }"] = 'a name is of letters, digits, "_" and "%-", got "a/b"',
      ["engines = { { name = 'a', store = 's' }, { name = 'a', store = 't' } }"] = 'two engines are called "a"',
    } do
      local code, out, err = command.run { "serve", "--config", dir.file("settings.lua", "return { " .. text .. " }") }
      assert.same({ 2, "" }, { code, out }, text)
      assert.matches(message, err)
    end
  end)

  it("prints its version", function()
    local code, out = command.run { "version" }
    assert.equal(0, code)
    assert.matches("^orrery %d+%.%d+%.%d+ %(Lua 5%.4%)\n$", out)
    assert.equal(out, select(2, command.run { "--version" }))
    local _, events = command.events { "version", "--json" }
    assert.equal(require "orrery".version, events[1].version)
  end)

  it("refuses what a command does not take", function()
    for _, case in ipairs {
      { { "verify" }, "STORE is missing" },
      { { "verify", "a", "b" }, '"b" is one argument too many' },
      { { "instances", "s", "o17" }, '"o17" is one argument too many; did you mean %-%-show o17%?' },
      { { "serve", "s", "--port", "1" }, "unknown option %-%-port; did you mean %-%-listen HOST:PORT%?" },
      { { "lint", "--fast", "x" }, "unknown option %-%-fast\n" },
      { { "run", "--ply", "x.bpmn" }, "unknown option %-%-ply; did you mean %-%-play%?" },
      { { "lint", "x", "--dialect" }, "%-%-dialect needs NAME" },
      { { "version", "--json=1" }, "%-%-json takes no value" },
      { { "cron", "next", "* * * * * ?", "--count", "1", "--count", "2" }, "given twice" },
      { { "run", "x.bpmn", "--set", "novalue" }, "NAME=VALUE" },
      { { "cron", "next", "@daily", "--count", "0" }, '%-%-count needs an integer of 1 or more, got "0"' },
      { { "cron", "next", "@daily", "--after", "soon" }, '%-%-after needs a date or time such as [^,]+, got "soon"' },
      { { "lint", "x", "--dialect", "klingon" }, '%-%-dialect needs one of auto, camunda, flowable, orrery, got "klingon"' },
      { { "run", "x.bpmn", "--wait", "long" }, "%-%-wait needs seconds or a duration" },
      { { "run", "x.txt" }, "x.txt is no model" },
      { { "tasks", "x", "--user", "kermit" }, "%-%-user goes with %-%-claim or %-%-assign" },
    } do
      local code, out, err = command.run(case[1])
      assert.same({ 2, "" }, { code, out }, table.concat(case[1], " "))
      assert.matches(case[2], err)
      assert.matches("Try 'orrery " .. case[1][1] .. " %-%-help'", err)
    end
  end)
end)

describe("orrery lua", function()
  it("runs a script with its arguments and Orrery's modules", function()
    local dir <close> = command.folder()
    local script = dir.file("s.lua", [[print(require "orrery".version, arg[0], arg[1], select("#", ...), ...)]])
    local code, out = command.run { "lua", script, "--help", "b" }
    assert.equal(0, code)
    assert.equal(("%s\t%s\t--help\t2\t--help\tb\n"):format(require "orrery".version, script), out)
  end)

  it("shows a script's traceback without lines of Orrery's own", function()
    local dir <close> = command.folder()
    local script = dir.file("t.lua", [[
      local testing = require "orrery.testing"
      local t <close> = testing.new {}
      local function look() t:count("tasks", {}, 1) end
      look()]])
    local _, _, err = command.run { "lua", script }
    assert.matches("t.lua:3: [^\n]*\n%s*stack traceback:\n[^\n]*t.lua:3: in [^\n]*look'\n\z
      [^\n]*t.lua:4: in main chunk\n$", err)
  end)

  it("exits with 1 and a traceback when the script fails, with 2 when there is none", function()
    local dir <close> = command.folder()
    local code, _, err = command.run { "lua", dir.file("s.lua", "local function f() error 'no luck' end f()") }
    assert.equal(1, code)
    assert.matches("no luck", err)
    assert.matches("stack traceback", err)
    assert.equal(2, (command.run { "lua", dir.path .. "/none.lua" }))
  end)
end)

describe("orrery cron", function()
  it("tells the next firings, by the clocks of a zone", function()
    local code, out = command.run { "cron", "next", "0 0 8 ? * MON-FRI", "--after", "2026-03-27T12:00:00Z", "--zone", "Europe/Berlin",
      "--count", "2" }
    assert.same({ 0, "2026-03-30T08:00:00+02:00\n2026-03-31T08:00:00+02:00\n" }, { code, out })
  end)

  it("counts weekdays as the dialect does", function()
    local after = { "--after", "2026-03-01T00:00:00Z" } -- a Sunday
    local _, quartz = command.run { "cron", "next", "0 0 8 ? * 2", table.unpack(after) }
    local _, camunda = command.run { "cron", "next", "0 0 8 ? * 2", "--dialect", "camunda", table.unpack(after) }
    assert.same({ "2026-03-02T08:00:00Z\n", "2026-03-03T08:00:00Z\n" }, { quartz, camunda })
  end)

  it("ends with the schedule, and fails for one that never fires or is wrong", function()
    local code, out = command.run { "cron", "next", "0 0 0 1 1 ? 2099", "--count", "5" }
    assert.same({ 0, "2099-01-01T00:00:00Z\n" }, { code, out })
    for _, expression in ipairs { "0 0 0 30 2 ?", "every day", "0 0 8 x" } do
      local failed, nothing, err = command.run { "cron", "next", expression }
      assert.same({ 1, "" }, { failed, nothing })
      assert.matches("orrery cron: ", err)
    end
    assert.equal(1, (command.run { "cron", "next", "@daily", "--zone", "Mars/North" }))
    assert.equal(2, (command.run { "cron", "previous", "@daily" }))
  end)
end)

describe("the module", function()
  it("finds its Lua files where only LUA_CPATH is set", function()
    local build = assert(package.searchpath("orrery", package.cpath)):match "^(.*)/"
    local lua = os.getenv "ORRERY_LUA" or "lua5.4"
    local script = os.tmpname()
    finally(function() os.remove(script) end)
    local file <close> = assert(io.open(script, "w"))
    file:write 'print(require("orrery").version)'
    file:flush()
    local folder = build:sub(1, 1) == "/" and build or os.getenv "PWD" .. "/" .. build
    local pipe = assert(io.popen(("cd / && LUA_PATH= LUA_CPATH='%s/?.so' %s '%s' 2>&1"):format(folder, lua, script)))
    local said = pipe:read "a"
    pipe:close()
    assert.equal(require("orrery").version .. "\n", said)
  end)
end)
