-- Every call and every allocation of a store fails once; nothing may be half done, and the next call must work.
local inside = require("orrery_inside").store

local CONFLICT, STORE, MEMORY = -7, -13, -14

local function scenario(store)
  local view, message, code = store:snapshot()
  if not view then return nil, message, code end
  local rows, value
  local answers, m, c = store:commit { { { "put", "a", "1" }, { "put", "b", "2" } }, { { "put", "c", "3", expected = 0, revision = 1 } } }
  if answers and answers[1].status ~= 0 then answers, m, c = nil, "a batch failed", answers[1].status end
  if answers and answers[2].status == CONFLICT then answers[2].status = 0 end -- from an earlier round
  if answers and answers[2].status ~= 0 then answers, m, c = nil, "a batch failed", answers[2].status end
  if answers then answers, m, c = view:renew() end
  if answers then value, m, c = view:get("a") end
  if value then rows, m, c = view:scan {} end
  view:close()
  if not rows then return nil, m, c end
  return #rows
end

for _, memory in ipairs { true, false } do
  local name = memory and "memory" or "lmdb"

  describe("faults, " .. name, function()
    it("fails each call in turn with ORR_E_STORE, then works", function()
      for n = 1, 100 do
        local store = assert(inside.open { memory = memory, fault = true })
        store:arm("any", n, false)
        local rows, message, code = scenario(store)
        store:arm("any", 0)
        if not rows then
          assert.equal(STORE, code)
          assert.matches("injected fault", message, 1, true)
        end
        assert.equal(3, scenario(store))
        assert.equal(0, store:close())
        if rows then
          assert.is_true(n > 5)
          return
        end
      end
      error("the scenario never passed")
    end)

    it("fails calls of one kind for ever", function()
      local store = assert(inside.open { memory = memory, fault = true })
      store:arm("commit", 1, true)
      for _ = 1, 3 do
        local _, _, code, statuses = store:commit { { { "put", "a", "" } } }
        assert.equal(STORE, code)
        assert.equal(STORE, statuses[1].status)
      end
      assert.equal(0, store:stats().entries)
      store:close()
    end)

    it("survives each failed allocation of opening", function()
      for n = 1, 50 do
        local store, message, code = inside.open { memory = memory, fail_at = n }
        if store then
          store:close()
          assert.is_true(n > 1)
          return
        end
        assert.equal(MEMORY, code, message)
      end
      error("opening never passed")
    end)

    it("survives each failed allocation of working", function()
      for n = 1, 200 do
        local store = assert(inside.open { memory = memory })
        store:fail_memory(n)
        local rows, message, code = scenario(store)
        store:fail_memory(0)
        if not rows then assert.equal(MEMORY, code, message) end
        assert.equal(3, scenario(store))
        assert.equal(0, store:close())
        if rows and n > 20 then return end
      end
      error("the scenario never passed")
    end)

    it("leaves a commit that ran out of memory for ever without a trace", function()
      local store = assert(inside.open { memory = true })
      for i = 1, 20 do store:commit { { { "put", "k" .. i, "old" } } } end
      local view = store:snapshot()
      local before = view:digest()
      local batch = {}
      for i = 1, 20 do batch[i] = { i % 3 == 0 and "delete" or "put", "k" .. i, "new" } end
      for n = 1, 60 do
        store:fail_memory(n, true)
        local answers = store:commit { batch }
        store:fail_memory(0)
        if answers then
          view:close()
          assert.is_true(n > 20)
          assert.equal(14, store:stats().entries)
          assert.equal(0, store:close())
          return
        end
        assert.equal(before, view:renew():digest())
      end
      error("the commit never passed")
    end)
  end)
end
