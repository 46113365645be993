-- A killed process leaves no private store: the next one removes it, and nothing else.
-- Marks: commands
local command = require "spec.cli.command"

local SECONDS_MAX <const> = 60 -- one that lives on hangs

local OPENS <const> = [[local engine = require "orrery".open(nil, { log = "none" })
  print(engine.path or "open") io.stdout:flush() io.read "a"]]

local function shell(text)
  local pipe = io.popen(text)
  local out = pipe:read "a"
  pipe:close()
  return out
end

--- The folders of private stores below `dir`.
local function folders(dir)
  local out = {}
  local all = shell(("ls -A '%s'"):format(dir.path))
  for name in all:gmatch "orrery%-[^\n]+" do out[#out + 1] = name end
  return out
end

--- A process that has a private store open until its input ends, in the folder for temporary files.
local function opener(dir, name)
  local script = dir.file("opens.lua", OPENS)
  local line = "mkfifo '%s.in' && TMPDIR='%s' timeout %d sh -c 'echo $$; exec %s lua %s' <>'%s.in'"
  local fifo = dir.path .. "/" .. name
  local stream = io.popen(line:format(fifo, dir.path, SECONDS_MAX, command.path, script, fifo))
  local pid = stream:read "l"
  assert.truthy(stream:read "l")
  return { pid = pid, stream = stream, kill = function()
    os.execute("kill -KILL " .. pid)
    stream:close()
  end }
end

local function runs(dir)
  local script = dir.file("once.lua", [[require "orrery".open(nil, { log = "none" }):close()]])
  assert.equal("", shell(("TMPDIR='%s' %s lua %s 2>&1"):format(dir.path, command.path, script)))
end

describe("a private store", function()
  it("of a killed process goes with the next one's first; one that is open stays", function()
    local dir <close> = command.folder()
    local alive = opener(dir, "a")
    local kept = folders(dir)
    assert.equal(1, #kept)
    local dead = opener(dir, "b")
    assert.equal(2, #folders(dir))
    dead.kill()
    assert.equal(2, #folders(dir))
    runs(dir)
    assert.same(kept, folders(dir))
    alive.kill()
    runs(dir)
    assert.same({}, folders(dir))
  end)

  it("goes with whatever is in it, and what only looks like one stays", function()
    local dir <close> = command.folder()
    local dead = opener(dir, "a")
    dead.kill()
    local folder = folders(dir)[1]
    dir.file(folder .. "/more", "x")
    -- A folder without an owner's file, one whose name is longer, a link to a dead one, a file.
    local make = [[cd '%s' && mkdir orrery-aaaaaa orrery-longername kept
      touch orrery-aaaaaa/data.mdb orrery-longername/owner kept/owner kept/data.mdb
      ln -s kept orrery-bbbbbb
      mkdir orrery-dddddd && mkfifo orrery-dddddd/owner && touch orrery-cccccc]]
    assert(os.execute(make:format(dir.path)))
    local root = shell "id -u" == "0\n"
    if root then
      local others = "cd '%s' && mkdir orrery-eeeeee && touch orrery-eeeeee/owner "
        .. "&& chown -R 1 orrery-eeeeee"
      assert(os.execute(others:format(dir.path)))
    end
    local before = folders(dir)
    table.remove(before, (function()
      for i, name in ipairs(before) do
        if name == folder then return i end
      end
    end)())
    runs(dir)
    assert.same(before, folders(dir))
    assert.equal("data.mdb\nowner\n", shell(("ls '%s/kept'"):format(dir.path)))
    assert.equal("data.mdb\n", shell(("ls '%s/orrery-aaaaaa'"):format(dir.path)))
  end)

  it("outlives a child of fork that ends, and is its parent's to remove", function()
    local dir <close> = command.folder()
    local script = dir.file("forks.lua", [[local engine <close> = require "orrery".open(nil,
      { log = "none" })
      local core = require "orrery.core"
      core.in_child(function() end)
      os.execute("ls -A '" .. os.getenv "TMPDIR" .. "' | grep -c orrery-")
      engine:count "jobs"]])
    assert.equal("1\n", shell(("TMPDIR='%s' %s lua %s 2>&1"):format(dir.path, command.path,
      script)))
    assert.same({}, folders(dir))
  end)
end)
