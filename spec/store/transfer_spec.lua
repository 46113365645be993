-- Copies from one kind of store into another: whole, compared, and until then nothing that could be taken for a store.
local inside = require("orrery_inside").store
local folder = require "spec.support.folder"
local postgres = require "spec.support.postgres"

local STATE, STORE, MEMORY = -10, -13, -14
local ROWS <const> = 9000 -- more than go at a stroke
local LARGE <const> = 9 << 20 -- bytes, more than go at a stroke

local function names(path)
  local pipe <close> = assert(io.popen(("ls -A '%s'"):format(path)))
  local out = {}
  for name in pipe:lines() do out[#out + 1] = name end
  return out
end

local function digest(store)
  local view = assert(store:snapshot())
  local sum = assert(view:digest())
  view:close()
  return sum
end

local function filled(options)
  local store = assert(inside.open(options))
  local rows = {}
  for i = 1, ROWS do
    rows[i] = i % 2 == 0 and { "put", ("row%05d"):format(i), "" }
      or { "put", ("k%05d"):format(i), ("x"):rep(i % 90), expected = 0, revision = 1 + i % 7 }
  end
  rows[ROWS + 1] = { "put", "large", ("y"):rep(LARGE), expected = 0, revision = 3 }
  rows[ROWS + 2] = { "put", "nul\0in it", ("\0\xff"):rep(20), expected = 0, revision = 4 }
  assert(store:commit { rows })
  return store
end

--- The store at a path: its digest, and that it can be worked on.
local function look_at(path)
  local store = assert(inside.open { path = path })
  local sum = digest(store)
  assert.equal(0, store:commit({ { { "put", "k00001", "more", expected = 2, revision = 3 } } })[1].status)
  assert.equal(0, store:close())
  return sum
end

describe("a copy into another kind of store", function()
  local room, store
  local it_of_servers = postgres.with(it, pending)

  before_each(function() room = folder.make() end)
  after_each(function()
    if store then assert.equal(0, store:close()) end
    store = nil
    folder.remove(room)
  end)

  local function database()
    local url, schema = postgres.shared():schema()
    assert(inside.make_schema(url))
    return url, schema
  end

  it("takes a store in memory to a folder", function()
    store = filled { memory = true }
    assert(store:copy_to(room .. "/copy"))
    assert.same({ "copy" }, names(room))
    assert.same({ "data.mdb" }, names(room .. "/copy"))
    assert.equal(digest(store), look_at(room .. "/copy"))
  end)

  it_of_servers("takes a folder to a database, and a database to a folder", function()
    store = filled { path = room .. "/store" }
    local url = database()
    assert(store:copy_to(url))
    local there = assert(inside.open { path = url })
    assert.equal(digest(store), digest(there))
    assert(there:copy_to(room .. "/back"))
    assert.equal(0, there:close())
    assert.equal(digest(store), look_at(room .. "/back"))
    assert.equal(digest(store), look_at(url))
  end)

  it_of_servers("takes a database to another", function()
    local from, to = database(), database()
    store = filled { path = from }
    assert(store:copy_to(to))
    assert.equal(digest(store), look_at(to))
  end)

  it("leaves no folder behind when it fails", function()
    store = filled { memory = true, fault = true }
    for _, call in ipairs { "snapshot", "scan", "next" } do
      store:arm(call, call == "next" and ROWS // 2 or 1)
      local _, message, code = store:copy_to(room .. "/copy")
      store:arm("any", 0)
      assert.same({ STORE, {} }, { code, names(room) }, message)
    end
    local _, message, code = store:copy_to(room .. "/none/copy")
    assert.equal(STORE, code)
    assert.matches("none/copy.*No such file", message)
    assert(store:copy_to(room .. "/copy"))
  end)

  it("stands an allocation that fails anywhere", function()
    store = filled { memory = true }
    for n = 1, 100 do
      store:fail_memory(n)
      local done, message, code = store:copy_to(room .. "/copy")
      store:fail_memory(0)
      if done then return assert.is_true(n < 100) end
      assert.same({ MEMORY, {} }, { code, names(room) }, message)
    end
    error "it never succeeded"
  end)

  it_of_servers("that ends half-way is no store, and is begun anew", function()
    store = filled { memory = true, fault = true }
    local url = database()
    store:arm("next", ROWS - 10)
    assert.equal(STORE, select(3, store:copy_to(url)))
    store:arm("any", 0)
    local _, message, code = inside.open { path = url }
    assert.equal(STORE, code)
    assert.matches("is a copy that was not finished: make it again, with orrery copy", message)
    assert(store:commit { { { "delete", "row00002" } } }) -- which the first attempt had copied
    assert(store:copy_to(url))
    assert.equal(digest(store), look_at(url))
  end)

  it_of_servers("takes no database that holds a store, and says so", function()
    local url = database()
    local taken = filled { path = url }
    local before = digest(taken)
    assert.equal(0, taken:close())
    store = filled { memory = true }
    local _, message, code = store:copy_to(url)
    assert.equal(STATE, code)
    assert.matches("there is a store already", message)
    assert.equal(before, look_at(url))
  end)

  it_of_servers("notices another one that is made into the same database", function()
    local url, schema = database()
    store = filled { memory = true }
    -- As the second copy takes the mark over: every stroke of the first relies on it.
    postgres.shared():query(([[
      CREATE FUNCTION %s.take_over() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE %s.orrery_entry SET v = set_byte(v, 4, get_byte(v, 4) + 1) WHERE k = '\x00756e66696e697368656420636f7079'::bytea;
        RETURN NULL;
      END $$;
      CREATE TRIGGER second AFTER INSERT ON %s.orrery_entry FOR EACH STATEMENT EXECUTE FUNCTION %s.take_over()]])
      :format(schema, schema, schema, schema))
    local _, message, code = store:copy_to(url)
    assert.equal(STATE, code)
    assert.matches("another copy is being made into it", message)
  end)

  for what, statement in pairs { ["takes an entry out of"] = "DELETE FROM", ["changes an entry of"] = "UPDATE" } do
    it_of_servers("notices what else " .. what .. " the database meanwhile", function()
      local url, schema = database()
      store = filled { memory = true }
      postgres.shared():query(([[
        CREATE FUNCTION %s.disturb() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          %s %s.orrery_entry %s WHERE k = 'row00002'::bytea;
          RETURN NULL;
        END $$;
        CREATE TRIGGER disturbing AFTER INSERT ON %s.orrery_entry FOR EACH STATEMENT EXECUTE FUNCTION %s.disturb()]])
        :format(schema, statement, schema, statement == "UPDATE" and "SET v = 'x'" or "", schema, schema))
      local _, message, code = store:copy_to(url)
      assert.equal(STORE, code)
      assert.matches("the copy is not what was copied", message)
      assert.equal(STORE, select(3, inside.open { path = url }))
    end)
  end
end)
