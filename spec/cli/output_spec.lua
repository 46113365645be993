-- Output that cannot be written is an error, whoever writes it.
-- Marks: commands
local command = require "spec.cli.command"
local folder = require "spec.support.folder"
local orrery = require "orrery"

local SAID = "orrery: not all of the standard output could be written\n"

--- Runs a line of the shell in which ORRERY stands for the command; its exit code, and the standard error.
local function shell(line)
  local path = os.tmpname()
  local _, _, code = os.execute(("(%s) 2>%s"):format(line:gsub("ORRERY", command.path), path))
  local err = folder.read(path)
  os.remove(path)
  return code, err
end

local function store_of(dir)
  local engine <close> = orrery.open(dir.path .. "/store", { log = "none" })
  engine:deploy { ["p.bpmn"] = command.one_node '<userTask id="t"/>' }
  engine:start("p", { business_key = "b" })
  return dir.path .. "/store"
end

describe("a command whose output goes to a full disk", function()
  it("fails, and says so once", function()
    local dir <close> = command.folder()
    local store = store_of(dir)
    for _, line in ipairs { "history %s b --json", "instances %s", "instances %s --show b", "top %s", "metrics %s --prometheus",
      "draw %s b", "verify %s", "verify %s --json" } do
      local code, err = shell("ORRERY " .. line:format(store) .. " >/dev/full")
      assert.same({ 1, SAID }, { code, err }, line)
    end
  end)

  it("fails when a process of its own wrote it", function()
    local dir <close> = command.folder()
    local code, err = shell(("ORRERY copy %s %s/copy --json >/dev/full"):format(store_of(dir), dir.path))
    assert.same({ 1, SAID }, { code, err })
  end)

  it("fails when a file was named", function()
    local dir <close> = command.folder()
    local code, err = shell(("ORRERY draw %s b --output /dev/full"):format(store_of(dir)))
    assert.equal(1, code)
    assert.matches("/dev/full: cannot be written", err)
  end)

  it("fails when what waits for its port would wait for ever", function()
    local dir <close> = command.folder()
    local line = "timeout -k 1 60 ORRERY serve %s --listen 127.0.0.1:0 --ready-file /dev/full"
    local code, err = shell(line:format(store_of(dir)))
    assert.equal(1, code)
    assert.matches('"/dev/full" cannot be written', err, 1, true)
  end)
end)

describe("a script whose output goes to a full disk", function()
  it("fails, also when it ends by os.exit and looks at nothing", function()
    local dir <close> = command.folder()
    for _, text in ipairs { "print 'x'", "io.write(('x'):rep(100000))", "print 'x' os.exit(0)", "print 'x' os.exit(true, true)",
      "print 'x' io.stdout:flush() os.exit()" } do
      local code, err = shell(("ORRERY lua %s >/dev/full"):format(dir.file("script.lua", text)))
      assert.same({ 1, SAID }, { code, err }, text)
    end
  end)

  it("ends as it says where all was written", function()
    local dir <close> = command.folder()
    assert.equal(3, (shell(("ORRERY lua %s >/dev/null"):format(dir.file("script.lua", "print 'x' os.exit(3)")))))
  end)
end)

describe("a command whose reader has gone", function()
  it("fails, also where SIGPIPE is ignored", function()
    local dir <close> = command.folder()
    local line = "mkfifo %s/pipe; trap '' PIPE; (exec 3<%s/pipe) & exec 4>%s/pipe; wait; ORRERY manual --markdown >&4"
    local code, err = shell((line:gsub("%%s", dir.path)))
    assert.same({ 1, SAID }, { code, err })
  end)
end)
