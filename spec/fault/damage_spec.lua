-- Stores with damaged pages, and what is no store: verify finds it and lives, the library answers with an error that names it.
-- ORRERY_IMAGES: how many images; ORRERY_SEED.
local orrery = require "orrery"
local folder = require "spec.support.folder"
local inside = require("orrery_inside").store
local command = require "spec.cli.command"

local read, write = folder.read, folder.write
local PAGE <const> = 4096
local lua = os.getenv "ORRERY_LUA" or "lua5.4"
local MODEL <const> = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="fault">
  <process id="p" isExecutable="true">
  <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="u"/><userTask id="u"/></process></definitions>]]

local function used_pages(bytes)
  local function meta(page) return (string.unpack("<I8", bytes, page * PAGE + 137)) end
  return math.max(meta(0), meta(1)) + 1
end

local function replace(bytes, at, text) return bytes:sub(1, at) .. text .. bytes:sub(at + #text + 1) end

local function noise(size)
  local out = {}
  for i = 1, size do out[i] = string.char(math.random(0, 255)) end
  return table.concat(out)
end

local function any_page(bytes) return math.random(2, used_pages(bytes) - 1) * PAGE end

local damages = {
  function(bytes) -- a page lies in another's place
    local from = any_page(bytes)
    return replace(bytes, any_page(bytes), bytes:sub(from + 1, from + PAGE))
  end,
  function(bytes) -- and says it belongs there
    local from, to = any_page(bytes), any_page(bytes)
    return replace(bytes, to, string.pack("<I8", to // PAGE) .. bytes:sub(from + 9, from + PAGE))
  end,
  function(bytes) return replace(bytes, any_page(bytes), ("\0"):rep(PAGE)) end,
  function(bytes) return replace(bytes, any_page(bytes) + math.random(8, 15), noise(2)) end,
  function(bytes) return replace(bytes, any_page(bytes) + math.random(16, 64), noise(8)) end,
  function(bytes) return replace(bytes, any_page(bytes) + math.random(0, PAGE - 64), noise(64)) end,
}

local store
before_each(function() store = folder.make() end)
after_each(function() folder.remove(store) end)

local function fill()
  local engine <close> = orrery.open(store, { log = "none" })
  engine:deploy { ["p.bpmn"] = MODEL }
  for i = 1, 40 do engine:start("p", { business_key = "b" .. i, variables = { text = ("x"):rep(i * 150), n = i } }) end
end

local function digest()
  local s = assert(inside.open { path = store })
  local view = assert(s:snapshot())
  local d = view:digest()
  view:close()
  s:close()
  return d
end

describe("a store with damaged pages", function()
  it("is found damaged by verify, and ends no program by an assertion", function()
    local images, seed = tonumber(os.getenv "ORRERY_IMAGES") or 90, require("spec.support.random").seed()
    math.randomseed(seed)
    fill()
    local data = store .. "/data.mdb"
    local whole, sound = read(data), digest()
    whole = whole:sub(1, used_pages(whole) * PAGE) .. ("\0"):rep(#whole - used_pages(whole) * PAGE)
    local counts = { harmless = 0, found = 0, signals = 0 }
    for image = 1, images do
      local where = ("image %d, seed %d"):format(image, seed)
      local damaged = damages[(image - 1) % #damages + 1](whole)
      write(data, damaged)
      local code, out, err = command.run { "verify", store }
      assert.is_true(code == 0 or code == 1, ("%s: verify ended with %s: %s"):format(where, code, err))
      if code == 0 then
        assert.equal("the store is sound\n", out, where)
        assert.equal(sound, digest(), where .. ": verify found nothing, and there is something else")
      else
        assert.is_true(#err > 0, where)
      end
      local _, how, ended = os.execute(("exec %s spec/fault/damage_child.lua '%s' >/dev/null 2>&1"):format(lua, store))
      assert.equal("exit", how, ("%s: the library was ended by signal %d"):format(where, ended))
      assert.is_true(ended <= 1, ("%s: the library ended with %d"):format(where, ended))
      local kind = code == 0 and "harmless" or "found"
      counts[kind] = counts[kind] + 1
    end
    print(("damage_spec: %d images, seed %d: %d found, %d harmless"):format(images, seed, counts.found, counts.harmless))
    assert.is_true(counts.found > images // 3)
  end)

  --- Every page of a kind that was ever written, with `change(page)` made to it.
  local function change_pages(kind, change)
    local data, out = read(store .. "/data.mdb"), {}
    for number = 0, #data // PAGE - 1 do
      local page = data:sub(number * PAGE + 1, (number + 1) * PAGE)
      local is_kind = number >= 2 and string.unpack("<I8", page) == number and string.unpack("<I2", page, 11) == kind
      out[number + 1] = is_kind and change(page) or page
    end
    write(store .. "/data.mdb", table.concat(out))
  end

  local function refused(text)
    local ok, failure = pcall(orrery.open, store, { log = "none" })
    assert.is_false(ok)
    assert.equal("store", failure.kind)
    assert.matches("data%.mdb is damaged: .*" .. text, failure.message)
    local code, _, err = command.run { "verify", store }
    assert.equal(1, code)
    assert.matches(text, err)
  end

  it("is refused when the list of free pages names a page that is in use, before anything is written over it", function()
    fill()
    local data = read(store .. "/data.mdb")
    local meta = string.unpack("<I8", data, 145) > string.unpack("<I8", data, PAGE + 145) and 0 or PAGE
    local root = string.unpack("<I8", data, meta + 81) -- of the list: its leaf
    local slot = string.unpack("<I2", data, root * PAGE + 17)
    local at = root * PAGE + slot + 16 -- behind the node's head and its key
    assert.is_true(string.unpack("<I8", data, at + 1) > 0)
    local used = string.unpack("<I8", data, meta + 129) -- the root of the main tree
    write(store .. "/data.mdb", replace(data, at + 8, string.pack("<I8", used)))
    refused(("page %d is used twice, the second time as a free page"):format(used))
  end)

  it("of which one is lost works, and verify says so", function()
    fill()
    local data = read(store .. "/data.mdb")
    for _, meta in ipairs { 0, PAGE } do
      data = replace(data, meta + 136, string.pack("<I8", string.unpack("<I8", data, meta + 137) + 1))
    end
    write(store .. "/data.mdb", data)
    local engine <close> = orrery.open(store, { log = "none" })
    assert.equal("pages that are neither used nor free: 1", table.concat(engine:verify(), "; "))
    engine:start "p"
  end)

  it("and so large that only the pages which lead to others are looked at, is refused for those", function()
    local s = assert(inside.open { path = store })
    for round = 1, 40 do
      local batch = {}
      for i = 1, 200 do batch[i] = { "put", ("k%05d"):format(round * 1000 + i), ("x"):rep(4200), expected = 0, revision = 1 } end
      s:commit { batch }
    end
    s:close()
    assert(inside.open { path = store }):close()
    change_pages(1, function(page) return replace(page, 12, string.pack("<I2", 4000)) end)
    local _, message = inside.open { path = store }
    assert.matches("says that its slots end at 4000", tostring(message))
  end)

  -- One commit, so that no page of an earlier one lies about.
  local function write_deep_tree()
    local s = assert(inside.open { path = store })
    local batch = {}
    for i = 1, 4000 do batch[i] = { "put", ("%05d"):format(i) .. ("k"):rep(400), "", expected = 0, revision = 1 } end
    s:commit { batch }
    s:close()
  end

  -- The branches of the tree: the root, and how many there are.
  local function branches()
    local children, found, n, root = {}, {}, 0, nil
    change_pages(1, function(page)
      found[string.unpack("<I8", page)] = true
      n = n + 1
      for at = 17, string.unpack("<I2", page, 13), 2 do
        local low, high, flags = string.unpack("<I2I2I2", page, string.unpack("<I2", page, at) + 1)
        children[low | high << 16 | flags << 32] = true
      end
      return page
    end)
    for number in pairs(found) do
      if not children[number] then
        assert.is_nil(root)
        root = number
      end
    end
    return root, n
  end

  it("is looked at as far as a limit goes, from the root down: opening takes no longer however large it is", function()
    write_deep_tree()
    local root, count = branches()
    assert.is_true(count > 50)
    local sound = read(store .. "/data.mdb")
    assert.same({}, inside.check_inner(sound, 1000000))
    change_pages(1, function(page)
      return string.unpack("<I8", page) == root and page or replace(page, 12, string.pack("<I2", 4000))
    end)
    local below = read(store .. "/data.mdb")
    assert.same({}, inside.check_inner(below, 2)) -- the leaf that names the trees, and the root
    assert.equal(1, #inside.check_inner(below, 3))
    assert.is_true(#inside.check_inner(below, 1000000) > 1)
    write(store .. "/data.mdb", sound)
    change_pages(1, function(page)
      return string.unpack("<I8", page) == root and replace(page, 12, string.pack("<I2", 4000)) or page
    end)
    local at_root = read(store .. "/data.mdb")
    assert.same({}, inside.check_inner(at_root, 1))
    assert.matches("slots end at 4000", inside.check_inner(at_root, 2)[1])
  end)
end)

describe("a store whose meta pages are damaged", function()
  local function transaction(bytes, meta) return (string.unpack("<I8", bytes,
    meta * PAGE + 145)) end
  local function with_transaction(bytes, meta, n) return replace(bytes, meta * PAGE + 144,
    string.pack("<I8", n)) end
  local function older(bytes) return transaction(bytes, 0) < transaction(bytes, 1) and 0 or 1 end

  --- The bytes of a store whose newer meta page is `newer`.
  local function filled(newer)
    fill()
    while older(read(store .. "/data.mdb")) == newer do
      local engine <close> = orrery.open(store, { log = "none" })
      engine:start "p"
    end
    return read(store .. "/data.mdb")
  end

  --- Neither verify nor a listing of a store of these bytes ends by a signal, or goes on as if
  --- nothing were.
  local function refused(bytes, text)
    write(store .. "/data.mdb", bytes)
    for _, words in ipairs { { "verify", store }, { "instances", store } } do
      local code, _, err = command.run(words)
      assert.equal(1, code)
      assert.matches(text, err)
    end
  end

  it("is refused when they disagree about the size of a page, whichever is the newer", function()
    for newer = 0, 1 do
      local bytes = filled(newer)
      for _, bit in ipairs { 4, 9, 10, 13, 16, 20, 31 } do
        local wrong = replace(bytes, PAGE + 40, string.pack("<I4", PAGE ~ 1 << bit))
        refused(wrong, ("data%%.mdb is damaged: its meta pages tell of pages of 4096 and of %d bytes"):format(PAGE ~ 1 << bit))
      end
      folder.remove(store)
      store = folder.make()
    end
  end)

  it("is refused when a bit of a transaction's number is wrong, in either of them", function()
    local bytes = filled(1)
    for meta = 0, 1 do
      for bit = 0, 63 do
        local wrong = with_transaction(bytes, meta, transaction(bytes, meta) ~ 1 << bit)
        write(store .. "/data.mdb", wrong)
        local even, odd = transaction(wrong, 0), transaction(wrong, 1)
        if even + 1 ~= odd and odd + 1 ~= even then
          local ok, failure = pcall(orrery.open, store, { log = "none" })
          assert.is_false(ok, ("bit %d of meta page %d"):format(bit, meta))
          assert.matches("meta pages are of transactions %d+ and %d+, which do not follow each other", failure.message)
        end
      end
    end
    refused(with_transaction(bytes, older(bytes), transaction(bytes, older(bytes)) ~ 1 << 3),
      "which do not follow each other")
  end)

  it("opens with durability none when commits that a power failure let pass lie between them",
    function()
    local bytes = filled(1)
    local behind = with_transaction(bytes, 0, transaction(bytes, 0) - 2)
    refused(behind, 'durability "none" opens a store that lost its power')
    local engine <close> = orrery.open(store, { log = "none", durability = "none" })
    assert.equal(40, #engine:instances())
    engine:close()
    -- odd: no commit writes that there
    write(store .. "/data.mdb", with_transaction(bytes, 0, transaction(bytes, 0) - 1))
    assert.is_false(pcall(orrery.open, store, { log = "none", durability = "none" }))
  end)

  it("is none when another process goes on committing", function()
    filled(1)
    local go_on = folder.make()
    write(go_on .. "/commit.lua", [[
      local engine = require("orrery").open(arg[1], { log = "none", durability = "none" })
      engine:start "p"
      io.write "begun\n"
      io.flush()
      while not io.open(arg[1] .. ".stop") do engine:start "p" end
      engine:close()
    ]])
    local busy = assert(io.popen(("exec %s '%s/commit.lua' '%s' 2>&1"):format(lua, go_on, store)))
    assert.equal("begun", busy:read "l")
    for _ = 1, 50 do orrery.open(store, { log = "none" }):close() end
    write(store .. ".stop", "")
    assert.equal("", busy:read "a")
    assert.is_true(busy:close())
    os.remove(store .. ".stop")
    folder.remove(go_on)
  end)
end)

describe("what is no store", function()
  local function refused(text)
    local ok, failure = pcall(orrery.open, store, { log = "none" })
    assert.is_false(ok)
    assert.equal("store", failure.kind)
    assert.matches(text, failure.message, 1, true)
    local code, _, err = command.run { "verify", store }
    assert.is_true(code == 1 or code == 2)
    assert.is_true(#err > 0)
  end

  it("is named: an emptied file", function()
    fill()
    write(store .. "/data.mdb", "")
    refused "is empty"
    assert.equal("", read(store .. "/data.mdb"))
  end)

  it("is named: a FIFO, a folder, in the place of a file", function()
    for _, name in ipairs { "data.mdb", "lock.mdb" } do
      assert(os.execute(("mkfifo '%s/%s'"):format(store, name)))
      refused "is a FIFO"
      os.remove(store .. "/" .. name)
      assert(os.execute(("mkdir '%s/%s'"):format(store, name)))
      refused "is a folder"
      os.remove(store .. "/" .. name)
    end
  end)

  it("is named: a store whose file is gone, a folder without one, a FIFO", function()
    fill()
    os.remove(store .. "/data.mdb")
    refused "is gone"
    os.remove(store .. "/lock.mdb")
    assert.equal(2, (command.run { "verify", store }))
    local fifo = store .. "/fifo"
    assert(os.execute(("mkfifo '%s'"):format(fifo)))
    local code, _, err = command.run { "verify", fifo }
    assert.equal(2, code)
    assert.matches("is a fifo", err)
  end)

  it("soon takes no commit when its files were removed, where commits are not synced", function()
    local engine = orrery.open(store, { log = "none", durability = "none" })
    engine:deploy { ["p.bpmn"] = MODEL }
    engine:start "p"
    os.remove(store .. "/data.mdb")
    local ok, failure = true, nil
    for _ = 1, 1000000 do -- it looks at the file every few milliseconds
      ok, failure = pcall(engine.start, engine, "p")
      if not ok then break end
    end
    assert.is_false(ok)
    assert.matches("was removed or replaced while it was open", failure.message)
    engine:close()
  end)

  it("takes no commit when its files were removed or cut under it, and says so", function()
    local engine = orrery.open(store, { log = "none" })
    engine:deploy { ["p.bpmn"] = MODEL }
    engine:start "p"
    os.remove(store .. "/data.mdb")
    local ok, failure = pcall(engine.start, engine, "p")
    assert.is_false(ok)
    assert.equal("store", failure.kind)
    assert.matches("was removed or replaced while it was open", failure.message)
    engine:close()
  end)
end)
