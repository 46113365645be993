-- What every store promises, asked of each kind.
local inside = require("orrery_inside").store
local postgres = require "spec.support.postgres"

local CONFLICT, ARGUMENT = -7, -1
local ABSENT = 0

local function put(key, payload, expected, revision) return { "put", key, payload, expected = expected, revision = revision } end

local function keys(rows)
  local list = {}
  for i, row in ipairs(rows) do list[i] = row[1] end
  return table.concat(list, " ")
end

local seed = require("spec.support.random").seed()

--- The batches are there from the beginning; are asked for once the store may be written; are compared before anything is changed.
local variants = {
  { "memory" }, { "lmdb" },
  { "memory", "gathered", gathered = true }, { "lmdb", "gathered", gathered = true },
  { "memory", "wary", wary = true }, { "lmdb", "wary", wary = true },
  { "postgresql" }, { "postgresql", "gathered", gathered = true },
}

--- An empty store of a kind.
local function open(kind)
  if kind ~= "postgresql" then return assert(inside.open { memory = kind == "memory" }) end
  local url = postgres.shared():schema()
  assert(inside.make_schema(url))
  return assert(inside.open { path = url })
end

for _, variant in ipairs(variants) do
  local kind = variant[1]
  describe("store contract, " .. table.concat(variant, ", "), function()
    local it = kind == "postgresql" and postgres.with(it, pending) or it
    local store, snapshots

    before_each(function()
      store = open(kind)
      snapshots = {}
    end)

    after_each(function()
      for _, snapshot in ipairs(snapshots) do snapshot:close() end
      assert.equal(0, store:close()) -- bytes left over
    end)

    local function snapshot()
      local opened = assert(store:snapshot())
      snapshots[#snapshots + 1] = opened
      return opened
    end

    local function answers_to(...)
      local batches = { ... }
      for _, batch in ipairs(batches) do batch.wary = variant.wary end
      return store:commit(batches, variant.gathered)
    end

    local function commit(...)
      local statuses = assert(answers_to(...))
      for i, answer in ipairs(statuses) do statuses[i] = answer.status end
      return statuses
    end

    it("gives back what was put", function()
      assert.same({ 0 }, commit { put("k", "value", ABSENT, 1), put("row", "") })
      local view = snapshot()
      assert.same({ "value", 1 }, { view:get("k") })
      assert.equal("", (view:get("row")))
      assert.is_false(view:get("other"))
    end)

    it("takes keys of 1 to 500 bytes and refuses others", function()
      local long = ("x"):rep(500)
      assert.same({ 0 }, commit { put(long, "a"), put("\0", "b"), put("\255", "c") })
      local view = snapshot()
      assert.equal("a", (view:get(long)))
      assert.equal("b", (view:get("\0")))
      assert.equal("c", (view:get("\255")))
      for _, key in ipairs { "", long .. "x" } do
        local _, _, code, statuses = answers_to({ put("fine", "") }, { put(key, "") })
        assert.equal(ARGUMENT, code)
        assert.equal(ARGUMENT, statuses[1].status)
        assert.equal(ARGUMENT, select(3, view:get(key)))
      end
      assert.is_false(view:renew():get("fine"))
    end)

    it("walks keys byte by byte, and of two that begin the same to the shorter first", function()
      local common, all, puts = ("\127"):rep(20), {}, {}
      for n = 1, #common do
        all[#all + 1] = common:sub(1, n)
        for _, byte in ipairs { "\0", "\1", "\128", "\255" } do
          all[#all + 1] = common:sub(1, n - 1) .. byte
          all[#all + 1] = common:sub(1, n - 1) .. byte .. common:sub(n + 1)
        end
      end
      table.sort(all)
      for i = #all, 1, -1 do puts[#puts + 1] = all[i] ~= all[i - 1] and put(all[i], "") or nil end
      assert.same({ 0 }, commit(puts))
      local expected = {}
      for i, key in ipairs(all) do expected[#expected + 1] = key ~= all[i - 1] and key or nil end
      assert.equal(table.concat(expected, " "), keys(snapshot():scan {}))
      local view = snapshot()
      for _, key in ipairs(expected) do assert.equal("", (view:get(key))) end
    end)

    it("keeps big values", function()
      local big = ("0123456789abcdef"):rep(200 * 1024)
      commit { put("big", big, ABSENT, 1) }
      assert.same({ big, 1 }, { snapshot():get("big") })
      commit { put("big", "small", 1, 2) }
      assert.same({ "small", 2 }, { snapshot():get("big") })
    end)

    it("compares revisions", function()
      commit { put("k", "a", ABSENT, 1) }
      assert.same({ CONFLICT }, commit { put("k", "b", ABSENT, 1) })
      assert.same({ CONFLICT }, commit { put("k", "b", 2, 3) })
      assert.same({ CONFLICT }, commit { put("none", "b", 1, 2) })
      assert.same({ CONFLICT }, commit { { "check", "k", expected = ABSENT } })
      assert.same({ CONFLICT }, commit { { "delete", "k", expected = 7 } })
      assert.same({ "a", 1 }, { snapshot():get("k") })
      assert.same({ 0 }, commit { { "check", "k", expected = 1 }, { "check", "none", expected = ABSENT } })
      assert.same({ 0 }, commit { put("k", "b", 1, 2) })
      assert.same({ 0 }, commit { { "delete", "k", expected = 2 }, { "delete", "none" } })
      assert.is_false(snapshot():get("k"))
    end)

    it("counts keys by how they begin", function()
      commit { put("a", ""), put("ab", "v", ABSENT, 1), put("abc", ""), put("b", "") }
      local function count(prefix, expected) return { "count", prefix, expected = expected } end
      assert.same({ 0 }, commit { count("a", 3), count("ab", 2), count("b", 1), count("c", 0), put("ab", "w", 1, 2) })
      assert.same({ "w", 2 }, { snapshot():get "ab" })
      for _, wrong in ipairs { count("a", 2), count("a", 4), count("c", 1), count("b", 0) } do
        assert.same({ CONFLICT }, commit { wrong, put("lost", "") })
      end
      assert.same({ 0, CONFLICT, 0 }, commit({ put("ad", "") }, { count("a", 3), put("lost", "") }, { count("a", 4), put("kept", "") }))
      assert.same({ 0, CONFLICT, 0 }, commit({ count("a", 4), put("x", "") }, { put("y", ""), put("ab", "", 1, 2) }, { count("a", 4) }))
      assert.equal("a ab abc ad b kept x", keys(snapshot():scan {}))
    end)

    it("leaves a losing batch out whole and names the op that lost", function()
      commit { put("k", "a", ABSENT, 1) }
      local answers = answers_to { put("x", "1"), { "delete", "k" }, put("k2", "", 9, 10), put("y", "2") }
      assert.same({ status = CONFLICT, lost = 3 }, answers[1])
      local view = snapshot()
      assert.same({ "a", 1 }, { view:get("k") })
      assert.is_false(view:get("x"))
      assert.is_false(view:get("y"))
    end)

    it("commits the other batches of a group beside a loser, each seeing those before it", function()
      assert.same({ 0, CONFLICT, 0, CONFLICT, 0 }, commit(
        { put("a", "1", ABSENT, 1) },
        { put("b", "lost"), put("a", "lost", ABSENT, 1) },
        { put("a", "2", 1, 2), put("c", "kept") },
        { { "delete", "c" }, put("d", "lost"), put("a", "lost", 1, 2) },
        { put("e", "kept", ABSENT, 1) }))
      assert.equal("a c e", keys(snapshot():scan {}))
      assert.same({ "2", 2 }, { snapshot():get("a") })
    end)

    it("applies the ops of a batch in order", function()
      commit { put("row", "1"), { "delete", "row" }, put("row", "2") }
      assert.equal("2", (snapshot():get("row")))
    end)

    it("keeps a snapshot's view until it is renewed", function()
      commit { put("k", "old") }
      local before = snapshot()
      commit { put("k", "new"), put("l", "") }
      assert.equal("old", (before:get("k")))
      assert.equal("k", keys(before:scan {}))
      assert.equal("new", (snapshot():get("k")))
      before:release()
      before:release()
      before:renew()
      assert.equal("k l", keys(before:scan {}))
    end)

    it("tells changes and entries", function()
      local before = store:changed()
      commit { put("a", ""), put("b", "") }
      assert.equal(before + 1, store:changed())
      commit { put("c", "", 5, 6) }
      assert.equal(before + 1, store:changed())
      assert.equal(2, store:stats().entries)
    end)

    it("does not take its own commits for others'", function()
      local before = store:foreign()
      commit { put("a", ""), put("b", "") }
      commit { { "delete", "none" } } -- changes nothing
      commit { put("a", "") }
      assert.equal(before, store:foreign())
    end)

    it("shows the same when it was told what will be read", function()
      local big, ops = ("x"):rep(100000), {}
      for i = 10, 59 do ops[#ops + 1] = put(("many/%d"):format(i), "") end
      commit(ops)
      commit { put("few/1", "a", ABSENT, 1), put("few/2", "b"), put("few/3", big), put("other", "c"), put("some/1", "d"),
        put("some/2", "e") }
      local view = snapshot()
      view:read_ahead({ "some/1" }, { "few/", "few0" }, { "few/2" }, { "many/", "many0" }, { "nothing", "nothinh" }, { "many/5", "some/2" },
        { "some/", "some0" }, { "other" }, { "nowhere", "nowhere" })
      commit { put("few/1", "later", 1, 2), { "delete", "few/2" }, put("few/4", "") }
      assert.same({ "a", 1 }, { view:get "few/1" })
      assert.equal("b", (view:get "few/2"))
      assert.equal(big, (view:get "few/3"))
      assert.is_false(view:get "few/4")
      assert.is_false(view:get "nothing at all")
      assert.equal("c", (view:get "other"))
      assert.is_false(view:get "many/60")
      assert.equal("", (view:get "many/59"))
      assert.equal("few/1 few/2 few/3", keys(view:scan { prefix = "few/" }))
      assert.equal("some/1 some/2", keys(view:scan { prefix = "some/" }))
      assert.equal("some/2", keys(view:scan { prefix = "some/", from = "some/2" }))
      assert.equal("some/2 some/1", keys(view:scan { prefix = "some/", backwards = true }))
      assert.equal("some/1", view:scan({ prefix = "some/", stop = "some/2" })[1][1])
      assert.equal("some/2", view:scan({ prefix = "some/", stop = "some/2", backwards = true })[1][1])
      assert.equal("", keys(view:scan { prefix = "nothing" }))
      assert.equal(50, #view:scan { prefix = "many/" })
      view:renew()
      assert.same({ "later", 2 }, { view:get "few/1" })
      assert.is_false(view:get "few/2")
      assert.equal("few/1 few/3 few/4", keys(view:scan { prefix = "few/" }))
    end)

    it("shows at least what this handle has committed, whatever was fetched before", function()
      local function id(group, number) return "E" .. string.pack(">I8", group << 23 | number) end
      local a, b = id(7, 1), id(8, 1)
      commit({ put(a, "1", ABSENT, 1), put(b, "1", ABSENT, 1), put("other", "1", ABSENT, 1) })
      local view = snapshot()
      view:use(store:prefetch({ id(7, 0), id(8, 0) }, { b }, { "other" }, { id(9, 1) }))
      view:renew() -- which it outlives
      assert.same({ "1", 1 }, { view:get(a) })
      assert.same({ "1", 1 }, { view:get(b) })
      commit { put(a, "2", 1, 2), put(id(9, 1), "new"), put(id(7, 2), "") }
      view:renew()
      assert.same({ "2", 2 }, { view:get(a) })
      assert.equal("new", (view:get(id(9, 1))))
      assert.equal(4, #view:scan { prefix = "E" })
      assert.equal(2, #view:scan { prefix = a:sub(1, 6), from = id(7, 0), stop = id(8, 0) })
      assert.equal(id(7, 2), view:scan({ prefix = "E", from = id(7, 9), stop = id(7, 0), backwards = true })[1][1])
      assert.same({ a, "2", 2 }, view:scan({ prefix = "E", from = a, stop = id(7, 0), backwards = true })[1])
      assert.same({ "1", 1 }, { view:get(b) })
      commit { { "delete", b }, { "delete", "other" } }
      view:renew()
      assert.is_false(view:get(b))
      assert.is_false(view:get "other")
    end)

    it("scans by prefix and start, in both directions", function()
      commit { put("a", ""), put("b", ""), put("b1", ""), put("b2", ""), put("b3", ""), put("b\255", ""), put("c", "") }
      local view = snapshot()
      local function scan(prefix, from, backwards) return keys(view:scan { prefix = prefix, from = from, backwards = backwards }) end
      assert.equal("a b b1 b2 b3 b\255 c", scan())
      assert.equal("c b\255 b3 b2 b1 b a", scan(nil, nil, true))
      assert.equal("b b1 b2 b3 b\255", scan("b"))
      assert.equal("b\255 b3 b2 b1 b", scan("b", nil, true))
      assert.equal("b2 b3 b\255", scan("b", "b2"))
      assert.equal("b3 b\255", scan("b", "b22"))
      assert.equal("b2 b1 b", scan("b", "b2", true))
      assert.equal("b2 b1 b", scan("b", "b22", true))
      assert.equal("b b1 b2 b3 b\255", scan("b", "a"))
      assert.equal("", scan("b", "a", true))
      assert.equal("", scan("b", "c"))
      assert.equal("b\255 b3 b2 b1 b", scan("b", "c", true))
      assert.equal("b\255", scan("b\255", nil, true))
      assert.equal("", scan("x"))
      assert.equal("", scan("x", nil, true))
      assert.equal("", scan("\255\255", nil, true))
      assert.equal("b\255 c", scan(nil, "bz"))
    end)

    local function short_key()
      local bytes = {}
      for i = 1, math.random(1, 4) do bytes[i] = string.char(({ 0, 97, 98, 255 })[math.random(4)]) end
      return table.concat(bytes)
    end

    --- Records of types that stores may keep together, of few groups, some of which lie at the ends; whole keys and such as begin or
    --- continue them.
    local function record_key()
      local tags, groups = { "D", "E", "E", "I", "I", "J", "W", "W", "X" }, { 0, 1, 2, 0x1FFFFFFFFFF }
      local id = string.pack(">I8", groups[math.random(#groups)] << 23 | ({ 0, 1, 2, 31, 32, 33, 64, 0x7FFFFF })[math.random(8)])
      local key = tags[math.random(#tags)] .. id
      local roll = math.random(10)
      if roll == 1 then return key:sub(1, math.random(8)) end
      if roll == 2 then return (key:gsub("\0+$", "")) end
      return roll == 3 and key .. ({ "\0", "x" })[math.random(2)] or key
    end

    --- Every op but one of `sound` expects what is there.
    local function agree_with_model(sound, random_key)
      math.randomseed(seed)
      local model = {} -- key -> { payload, revision }
      local function random_op(used)
        local key = random_key()
        if used[key] then return nil end
        used[key] = true
        local now = model[key]
        local roll = math.random(6)
        local expected = math.random(sound) == 1 and math.random(0, 3) or (now and now[2] or ABSENT)
        if roll == 1 then return { "check", key, expected = expected } end
        if roll <= 3 then return { "delete", key, expected = expected } end
        return { "put", key, ("v"):rep(math.random(0, 30) ^ 2), expected = expected, revision = expected + 1 }
      end
      local function model_commit(batch)
        for _, op in ipairs(batch) do
          if (model[op[2]] and model[op[2]][2] or ABSENT) ~= op.expected then return CONFLICT end
        end
        for _, op in ipairs(batch) do
          if op[1] == "put" then model[op[2]] = { op[3], op.revision } end
          if op[1] == "delete" then model[op[2]] = nil end
        end
        return 0
      end
      for _ = 1, 300 do
        local batches, expected = {}, {}
        for i = 1, math.random(4) do
          local used = {}
          batches[i] = {}
          for _ = 1, math.random(6) do batches[i][#batches[i] + 1] = random_op(used) end
        end
        for i, batch in ipairs(batches) do expected[i] = model_commit(batch) end
        assert.same(expected, commit(table.unpack(batches)))
        local prefix = math.random(2) == 1 and random_key() or ""
        local from = math.random(2) == 1 and random_key() or ""
        local backwards = math.random(2) == 1
        local rows = {}
        for key, value in pairs(model) do
          local fits = from == "" or (backwards and key <= from) or (not backwards and key >= from)
          if key:sub(1, #prefix) == prefix and fits then rows[#rows + 1] = { key, value[1], value[2] } end
        end
        table.sort(rows, function(a, b) if backwards then return a[1] > b[1] end return a[1] < b[1] end)
        local view = snapshot()
        local spans = {}
        for i = 1, math.random(0, 4) do spans[i] = { random_key(), math.random(2) == 1 and random_key() or nil } end
        view:read_ahead(table.unpack(spans))
        if math.random(2) == 1 then view:use(store:prefetch(table.unpack(spans))) end
        assert.same(rows, view:scan { prefix = prefix, from = from, backwards = backwards })
        local key = random_key()
        assert.same(model[key] or { false }, { view:get(key) })
        table.remove(snapshots):close()
      end
    end

    it("agrees with a model on random commits and scans, seed " .. seed, function() agree_with_model(8, short_key) end)

    it("agrees with a model where batches seldom lose, seed " .. seed, function() agree_with_model(600, short_key) end)

    it("agrees with a model on records' keys, seed " .. seed, function() agree_with_model(8, record_key) end)

    it("agrees with a model on records' keys where batches seldom lose, seed " .. seed, function() agree_with_model(600, record_key) end)

    it("counts records as other keys", function()
      local function id(group, number) return string.pack(">I8", group << 23 | number) end
      commit { put("E" .. id(1, 1), "", ABSENT, 1), put("E" .. id(1, 2), "", ABSENT, 1), put("E" .. id(1, 40), "", ABSENT, 1),
        put("E" .. id(2, 1), "", ABSENT, 1), put("I" .. id(1, 1), "", ABSENT, 1), put("F", "") }
      local function count(prefix, expected) return { "count", prefix, expected = expected } end
      assert.same({ 0 }, commit { count("E", 4), count("I", 1), count("W", 0), count("F", 1), count("E" .. id(1, 1):sub(1, 6), 3),
        count("E" .. id(1, 1):sub(1, 7), 3), count("E" .. id(1, 1), 1), count("E" .. id(1, 3), 0), count("I" .. id(3, 1), 0) })
      for _, wrong in ipairs { count("E", 3), count("E", 5), count("E" .. id(1, 1):sub(1, 6), 2), count("E" .. id(1, 2), 0),
        count("E" .. id(1, 3), 1), count("W" .. id(1, 1), 1) } do
        assert.same({ CONFLICT }, commit { wrong, put("lost", "") })
      end
      assert.same({ 0, 0, CONFLICT, 0 }, commit({ { "delete", "E" .. id(1, 2), expected = 1 }, put("E" .. id(1, 3), "", ABSENT, 1) },
        { count("E" .. id(1, 2), 0), count("E", 4) }, { count("E" .. id(1, 3), 0) }, { { "delete", "E" .. id(1, 40) }, count("E", 4) }))
      assert.same({ 0 }, commit { count("E", 3) })
    end)

    it("lets each batch of a group see those before it, though none loses", function()
      local answers = commit(
        { put("b", "1", ABSENT, 1), put("a", "1", ABSENT, 1) },
        { put("a", "2", 1, 2), { "delete", "b", expected = 1 } },
        { { "check", "b", expected = ABSENT }, put("c", "kept") },
        { { "count", "c", expected = 1 }, put("a", "3", 2, 3) },
        { put("b", "2", ABSENT, 7), { "delete", "c" } },
        { { "count", "c", expected = 0 }, { "check", "b", expected = 7 }, { "check", "a", expected = 3 } })
      assert.same({ 0, 0, 0, 0, 0, 0 }, answers)
      assert.equal("a b", keys(snapshot():scan {}))
      assert.same({ "3", 3 }, { snapshot():get("a") })
    end)

    --- 60 records, from the last to the first, and of each the row "i" before it and after; `ops` are put behind the middle.
    local function large(...)
      local batch = {}
      for n = 60, 1, -1 do
        local id = string.pack(">I8", n << 23 | 1)
        table.move({ put("i" .. id, ""), put("E" .. id, tostring(n), ABSENT, 1), { "delete", "i" .. id }, put("i" .. id, "") }, 1, 4,
          #batch + 1, batch)
        if n == 30 then table.move({ ... }, 1, select("#", ...), #batch + 1, batch) end
      end
      return batch
    end

    it("writes a large batch in whichever order its keys come", function()
      assert.same({ 0 }, commit(large(put("same", "1"), put("s", ""), put("same", "2"), put("gone", ""), put("g", ""),
        { "delete", "gone" })))
      local rows = snapshot():scan {}
      assert.equal(123, #rows)
      for n = 1, 60 do
        local id = string.pack(">I8", n << 23 | 1)
        assert.same({ "E" .. id, tostring(n) }, { rows[n][1], rows[n][2] })
        assert.equal("i" .. id, rows[61 + n][1]) -- behind "g"
      end
      assert.equal("2", (snapshot():get("same")))
    end)

    it("leaves a large batch out whole that loses, and names the op that lost", function()
      commit { put("F", "", ABSENT, 1) }
      local batch = large(put("F", "lost", 2, 3))
      assert.same({ status = CONFLICT, lost = 31 * 4 + 1 }, assert(answers_to(batch))[1])
      assert.equal("F", keys(snapshot():scan {}))
      assert.same({ CONFLICT, 0 }, commit(batch, { put("G", "") }))
      assert.same({ 0, CONFLICT }, commit({ put("H", "") }, batch))
      assert.equal("F G H", keys(snapshot():scan {}))
    end)

    it("looks at what batches of a group rely on as each of them finds it", function()
      local function check(key, expected) return { { "check", key, expected = expected }, put("x", "") } end
      commit { put("a", "", ABSENT, 1), put("b", "", ABSENT, 1) }
      assert.same({ 0, 0, 0, 0, 0, 0, 0, 0 }, commit(
        check("a", 1), check("a", 1), check("b", 1), { put("a", "", 1, 2) }, check("a", 2), check("a", 2),
        { { "delete", "a", expected = 2 } }, check("a", ABSENT)))
      assert.same({ 0, 0, CONFLICT }, commit(check("b", 1), { put("b", "", 1, 2) }, check("b", 1)))
    end)

    it("looks anew where a batch of a group expects something else than the one before it", function()
      local function check(expected) return { { "check", "a", expected = expected }, put("x", "") } end
      commit { put("a", "", ABSENT, 1) }
      assert.same({ 0, CONFLICT, 0, CONFLICT }, commit(check(1), check(2), check(1), check(ABSENT)))
    end)

    it("loses no update between threads, though the map grows under them", function()
      assert.equal(0, store:hammer(4, 50, 128 * 1024))
      assert.same({ "", 200 }, { snapshot():get("counter") })
      assert.equal(201, store:stats().entries)
    end)
  end)
end

describe("a store on disk", function()
  --- A batch loses between two others; how many groups are written batch by batch from then on.
  local function losses_after(wary)
    local store = assert(inside.open { memory = false })
    assert(store:commit { { put("a", "1", ABSENT, 1) } })
    local answers = assert(store:commit {
      { put("b", "1", ABSENT, 1) }, { put("a", "2", ABSENT, 2), wary = wary }, { put("c", "1", ABSENT, 1) },
    })
    local losses = store:losses()
    store:close()
    assert.same({ 0, CONFLICT, 0 }, { answers[1].status, answers[2].status, answers[3].status })
    return losses
  end

  it("writes groups batch by batch for a while once a batch has lost", function() assert.equal(32, losses_after(false)) end)

  it("goes on writing them by kind where only batches lose that were expected to", function()
    assert.equal(0, losses_after(true))
  end)

  it("goes on writing them by kind when a batch has lost that came alone", function()
    local store = assert(inside.open { memory = false })
    assert(store:commit { { put("a", "1", ABSENT, 1) } })
    assert.equal(CONFLICT, assert(store:commit { { put("a", "2", ABSENT, 2) } })[1].status)
    assert.equal(0, store:losses())
    store:close()
  end)
end)

describe("store digest", function()
  it("is the same for the same content in any store, and differs with it", function()
    local digests = {}
    for i, kind in ipairs { "memory", "lmdb", postgres.is_installed() and "postgresql" or nil } do
      local store = open(kind)
      store:commit { { put("a", "1", ABSENT, 1), put("b", "2") } }
      local view = assert(store:snapshot())
      digests[i] = view:digest()
      store:commit { { { "delete", "b" }, put("b2", "") } }
      view:renew()
      assert.not_equal(digests[i], view:digest())
      view:close()
      store:close()
    end
    for _, digest in ipairs(digests) do assert.equal(digests[1], digest) end
  end)
end)

describe("store_crc32c", function()
  local function reference(text)
    local crc = 0xFFFFFFFF
    for i = 1, #text do
      crc = crc ~ text:byte(i)
      for _ = 1, 8 do crc = (crc >> 1) ~ (0x82F63B78 * (crc & 1)) end
    end
    return crc ~ 0xFFFFFFFF
  end

  it("is CRC-32C at every length and alignment", function()
    assert.equal(0xE3069283, inside.crc32c("123456789"))
    assert.equal(0, inside.crc32c(""))
    for size = 1, 40 do
      local text = ("The quick brown fox jumps over the lazy dog"):sub(-size)
      assert.equal(reference(text), inside.crc32c(text))
    end
  end)
end)
