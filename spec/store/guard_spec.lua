-- What the store on disk guards itself against, and what it leaves behind.
local folder = require "spec.support.folder"
local inside = require("orrery_inside").store

local ARGUMENT, STATE, LIMIT, STORE = -1, -10, -11, -13
local LUA = os.getenv "ORRERY_LUA" or "lua5.4" -- what other processes run in

local function shell(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("a"):gsub("%s+$", "")
  pipe:close()
  return text
end

--- The number of the last page in use, as the newer of LMDB's two meta pages says.
local function last_page(bytes)
  local function meta(page) return { last = string.unpack("<I8", bytes, page * 4096 + 137), transaction = string.unpack("<I8", bytes,
    page * 4096 + 145) } end
  local a, b = meta(0), meta(1)
  return (a.transaction > b.transaction and a or b).last
end

describe("store on disk", function()
  local directory, path

  before_each(function()
    directory = shell("mktemp -d")
    path = directory .. "/store"
  end)

  after_each(function() os.execute("rm -rf '" .. directory .. "'") end)

  local function with_store(options, fn)
    options.path = path
    local store = assert(inside.open(options))
    fn(store)
    assert.equal(0, store:close())
  end

  local function fill(store, count, size)
    for i = 1, count do assert(store:commit { { { "put", "k" .. i, ("x"):rep(size), expected = 0, revision = 1 } } }) end
  end

  local function refused(options, code, text)
    options.path = path
    local store, message, got = inside.open(options)
    assert.is_nil(store)
    assert.equal(code, got)
    assert.matches(text, message, 1, true)
  end

  it("is made in an empty folder, and not among other files", function()
    assert(os.execute(("mkdir -p '%s/lost+found' '%s/creating-abcdef'"):format(path, path)))
    local other = path .. "/.notes"
    folder.write(other, "mine")
    local text = "there is no store in %s, but other files are, such as .notes"
    refused({}, ARGUMENT, text:format(path))
    assert.equal("", shell(("find '%s' -name '*.mdb'"):format(path)))
    os.remove(other)
    with_store({}, function(store) fill(store, 1, 1) end)
    folder.write(other, "mine") -- beside a store is whatever it likes
    with_store({}, function() end)
  end)

  it("keeps everything over close and open", function()
    local before
    with_store({}, function(store)
      fill(store, 50, 1000)
      local view = store:snapshot()
      before = view:digest()
      view:close()
    end)
    with_store({}, function(store)
      local view = store:snapshot()
      assert.equal(before, view:digest())
      view:close()
    end)
  end)

  it("is readable by its owner only", function()
    with_store({}, function(store) fill(store, 1, 1) end)
    assert.equal("700", shell("stat -c %a '" .. path .. "'"))
    assert.equal("600", shell("stat -c %a '" .. path .. "/data.mdb'"))
  end)

  it("refuses to be opened twice in a process, by any name", function()
    with_store({}, function(store)
      assert.equal(path, store:path())
      refused({}, STATE, "open already")
      os.execute(("ln -s '%s' '%s/link'"):format(path, directory))
      assert.equal(STATE, select(3, inside.open { path = directory .. "/link" }))
    end)
    with_store({}, function() end)
  end)

  it("answers a forked child with an error and goes on in the parent", function()
    with_store({}, function(store)
      fill(store, 3, 10)
      local view = store:snapshot()
      assert.equal(255, store:fork_answers(view)) -- every call refused
      assert.equal(3, #view:scan {})
      view:close()
      assert.equal(0, store:commit({ { { "put", "after", "" } } })[1].status)
      refused({}, STATE, "open already")
    end)
  end)

  it("refuses a truncated file before mapping it, and leaves it alone", function()
    with_store({}, function(store) fill(store, 100, 4000) end)
    local file = path .. "/data.mdb"
    local whole = folder.read(file)
    local last = 4096 * last_page(whole) -- where its last page begins: without it, with a part of it
    for _, size in ipairs { 1, 100, 4096, 4200, 8192, 40960, last, last + 1, last + 4095 } do
      folder.write(file, whole:sub(1, size))
      refused({}, STORE, "truncated")
      assert.equal(size, #folder.read(file))
    end
    folder.write(file, whole:sub(1, last + 4096)) -- which is all that there is to it
    with_store({}, function(store) assert.equal(100, store:stats().entries) end)
  end)

  it("does not take a file for truncated whose last pages came and went in one commit", function()
    local big = ("x"):rep(300000)
    for _ = 1, 5 do
      with_store({}, function(store)
        assert(store:commit { { { "put", "a", big }, { "put", "b", big }, { "delete", "b" }, { "put", "a", "small" } } })
      end)
    end
    with_store({}, function(store) assert.equal(1, store:stats().entries) end)
  end)

  it("refuses what is no LMDB file", function()
    os.execute("mkdir '" .. path .. "'")
    folder.write(path .. "/data.mdb", ("no database "):rep(2000))
    refused({}, STORE, "not an LMDB file")
  end)

  it("refuses an unknown format version and leaves the file as it was", function()
    with_store({}, function() end)
    local file = path .. "/data.mdb"
    for _, unknown in ipairs { "\0", "\1", "\2", "\4" } do
      local other, n = folder.read(file):gsub("formatorrery[\0-\4]", "formatorrery" .. unknown)
      assert.is_true(n > 0)
      folder.write(file, other)
      local way = (unknown == "\1" or unknown == "\2") and '"orrery upgrade" brings it there' or "go on with the version that wrote it"
      refused({}, STORE, ("has store format %d; this version knows 3: %s"):format(unknown:byte(), way))
      assert.equal(other, folder.read(file))
    end
    local foreign = folder.read(file):gsub("formatorrery\4", "formatordery\2")
    folder.write(file, foreign)
    refused({}, STORE, "holds no Orrery store")
    assert.equal(foreign, folder.read(file))
  end)

  it("knows network file systems", function()
    assert.equal("NFS", inside.network_name(0x6969))
    assert.equal("9P", inside.network_name(0x01021997))
    assert.equal("FUSE", inside.network_name(0x65735546))
    assert.is_nil(inside.network_name(0xEF53)) -- ext4
  end)

  it("has no map through which the file could be written, also when that has grown", function()
    --- The rights of each map of the data file: "mw" is the one to be made writable.
    local function rights()
      local all, ours = {}, false
      for line in io.lines "/proc/self/smaps" do
        if line:find "^%x+%-%x+ " then ours = line:find(path .. "/data.mdb", 1, true) end
        if ours and line:find "^VmFlags:" then all[#all + 1] = line:match "^VmFlags:(.-)%s*$" .. " " end
      end
      return all
    end
    with_store({}, function(store)
      for _, size in ipairs { 1, 20 * 1024 * 1024 } do
        fill(store, 1, size)
        assert(store:commit { { { "delete", "k1" } } })
        local maps = rights()
        assert.equal(1, #maps)
        assert.is_nil(maps[1]:find(" mw ", 1, true), maps[1])
        assert.is_truthy(maps[1]:find(" rd ", 1, true), maps[1])
      end
    end)
  end)

  it("grows its map", function()
    with_store({ no_sync = true }, function(store)
      local before = store:stats().bytes_mapped
      fill(store, 60, 1024 * 1024)
      assert.equal(60, store:stats().entries)
      assert.is_true(store:stats().bytes_mapped > before)
    end)
    with_store({}, function(store) assert.equal(60, store:stats().entries) end)
  end)

  it("does not wait for its own thread's snapshot when the map must grow", function()
    with_store({ no_sync = true }, function(store)
      local view = store:snapshot()
      local batch = { { "put", "big", ("x"):rep(20 * 1024 * 1024) } }
      local _, message, code = store:commit { batch }
      assert.equal(STATE, code)
      assert.matches("holds a snapshot", message, 1, true)
      view:release()
      assert.equal(0, store:commit({ batch })[1].status)
      assert.equal(20 * 1024 * 1024, #view:renew():get("big"))
      view:close()
    end)
  end)

  it("keeps to a fixed map: only the batch that is too large fails, and space comes back", function()
    with_store({ map_size = 1024 * 1024 }, function(store)
      local huge = ("x"):rep(2 * 1024 * 1024)
      local answers = assert(store:commit { { { "put", "a", "1" } }, { { "put", "b", huge } }, { { "put", "c", "3" } } })
      assert.same({ 0, LIMIT, 0 }, { answers[1].status, answers[2].status, answers[3].status })
      local _, message, code, statuses = store:commit { { { "put", "b", huge } } }
      assert.equal(LIMIT, code)
      assert.equal(LIMIT, statuses[1].status)
      assert.matches("full", message, 1, true)
      assert.equal(2, store:stats().entries)
      for i = 1, 50 do
        assert.equal(0, store:commit({ { { "put", "c", ("x"):rep(200000) } } })[1].status, "round " .. i)
      end
    end)
  end)

  it("makes a private temporary store and removes it", function()
    local store = assert(inside.open {})
    local temporary = store:path()
    assert.equal("700", shell("stat -c %a '" .. temporary .. "'"))
    fill(store, 1, 10)
    assert.equal(0, store:close())
    assert.equal("gone", shell("test -e '" .. temporary .. "' || echo gone"))
  end)

  it("says which directory it could not make", function()
    local store, message, code = inside.open { path = directory .. "/missing/store" }
    assert.is_nil(store)
    assert.equal(STORE, code)
    assert.matches("missing/store", message, 1, true)
  end)

  it("serves several processes, also when they grow the map or are killed with a snapshot open", function()
    with_store({ no_sync = true }, function(store)
      fill(store, 1, 10)
      local view = store:snapshot()
      local script = directory .. "/other.lua"
      folder.write(script, [[
        local store = assert(require("orrery_inside").store.open { path = arg[1], no_sync = true })
        for i = 1, 40 do assert(store:commit { { { "put", "other" .. i, ("x"):rep(1024 * 1024) } } }) end
        local view = store:snapshot()
        assert(#view:scan {} == 41)
        os.execute("kill -9 $PPID")
      ]])
      shell(("LUA_CPATH='%s' %s '%s' '%s' 2>/dev/null"):format(package.cpath, LUA, script, path))
      assert.equal(1, #view:scan {})
      view:release()
      assert.equal(41, #view:renew():scan {})
      view:close()
      fill(store, 0)
      assert.equal(0, store:commit({ { { "put", "mine", "" } } })[1].status)
      assert.equal(42, store:stats().entries)
    end)
  end)

  it("lets a killed reader keep no space", function()
    with_store({ no_sync = true }, function(store)
      fill(store, 1, 10)
      local script = directory .. "/reader.lua"
      folder.write(script, [[
        local store = assert(require("orrery_inside").store.open { path = arg[1] })
        local view = store:snapshot()
        os.execute("kill -9 $PPID")
      ]])
      shell(("LUA_CPATH='%s' %s '%s' '%s' 2>/dev/null"):format(package.cpath, LUA, script, path))
      local function overwrite(times)
        for _ = 1, times do store:commit { { { "put", "k", ("x"):rep(3000) } } } end
        return store:stats().bytes_used
      end
      local noticed = overwrite(500)
      assert.is_true(noticed < 4 * 1024 * 1024, "used " .. noticed)
      assert.equal(noticed, overwrite(1500))
    end)
  end)
end)
