--- What a model from a stranger reaches through its scripts and expressions: no inside of the engine, nothing that others share and that
--- it could change, no file.
local model = require "spec.bindings.model"
local orrery = require "orrery"

local function opened(options)
  options = options or {}
  options.clock, options.log = "manual", "none"
  return orrery.open(nil, options)
end

--- Starts a process whose script this is; true and the instance, or false and the error.
local function run(engine, text)
  engine:deploy(model.script(text))
  return pcall(engine.start, engine, "p")
end

local function left(engine, text)
  local ok, instance = run(engine, text)
  if not ok then error(instance, 0) end
  return instance:variables()
end

-- Every method of engines: what scripts keep, and what is for programs and delegates.
local KEPT <const> = [[now transaction as evaluate send received deploy check undeploy delete_definition delete_decision resources resource
  suspend_definition activate_definition set_history_time_to_live set_decision_time_to_live called_definitions suspend_instances
  activate_instances suspend_jobs activate_jobs registered_deployments decide start start_by_id start_by_message modify migration_plan
  migrate restart trigger message evaluate_conditions signal external_topics count statistics history_statistics clean_history create_task
  add_comment update_comment delete_comment add_attachment attachment_content delete_attachment delete_history delete_history_variables
  durations create_incident annotate_operation run_jobs poll executor_active batch cancel_batch metrics delete_metrics metrics_text why
  executors nodes fetch_and_lock unlock_external_tasks
  model_dialect time_zone store_state start_form submit_start_form]]
local REFUSED <const> = [[close copy_to set_time advance register register_connector register_task_type route endpoint set_endpoint
  set_soap_headers set_groups start_executor stop_executor wait_idle serve feed register_deployment unregister_deployment set_limit
  clear_limit schedule_clean_history verify running threads
  set_time_zone]]

local function set_of(text)
  local set = {}
  for name in text:gmatch "%S+" do set[name] = true end
  return set
end

describe("the engine of a script", function()
  it("has each method of engines, or refuses it", function()
    local engine <close> = opened()
    local kept, refused = set_of(KEPT), set_of(REFUSED)
    for verb, one in pairs(require "orrery.gen.lists") do kept[verb], kept[one] = true, true end
    for name, f in pairs(getmetatable(engine)) do
      if type(f) == "function" and not name:find "^__" then
        assert.is_true((kept[name] or false) ~= (refused[name] or false), name .. ": kept or refused?")
        local what = left(engine, ([[local ok, problem = pcall(execution.engine["%s"], execution.engine, nil)
          execution:set("kind", not ok and type(problem) == "table" and problem.kind or "none")]]):format(name)).kind
        assert.equal(refused[name] or false, what == "unsupported", name)
      end
    end
  end)

  it("is not closed by what scripts and expressions reach", function()
    local engine <close> = opened()
    for _, text in ipairs { "local c = execution.engine.core c.__gc(c)", "execution.engine:close()",
      "execution.engine.close(execution.engine)",
      "execution.engine.__close(execution.engine)", "execution.engine:stop_executor()", "execution.engine.__index.close(execution.engine)",
      "execution.engine:transaction(function() execution.engine:close() end)", "execution.engine:definitions {} [1].engine.core:close()",
      "execution.job.engine.core:close()", "execution:getProcessEngineServices().core:close()" } do
      local ok = run(engine, text)
      assert.is_false(ok, text)
    end
    for _, text in ipairs { "execution.engine.core.__gc(execution.engine.core)", "execution.engine.close()", "execution.engine.core",
      "execution.processEngineServices.core.close()", "execution.engine.definitions()[0].engine.core.close()" } do
      engine:deploy(model.around(('<serviceTask id="t" camunda:expression="${%s}"/>'):format(text)))
      local ok, instance = pcall(engine.start, engine, "p")
      assert.is_true(not ok or text == "execution.engine.core" and instance:get "t" == nil, text)
    end
    assert.is_number(engine:count("instances", {}))
  end)

  it("says what it refuses, with kind unsupported", function()
    local engine <close> = opened()
    local ok, problem = run(engine, "execution.engine:set_time(0)")
    assert.is_false(ok)
    assert.equal("unsupported", problem.kind)
    assert.matches("engine:set_time is not for scripts", problem.message)
  end)

  it("deploys what a script gives, and neither paths nor program code", function()
    local engine <close> = opened()
    local text = [==[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x"><process id="q"
      isExecutable="true"><startEvent id="s"/></process></definitions>]==]
    local variables = left(engine, ([[local engine, kinds = execution.engine, {}
      local function kind(...)
        local ok, problem = pcall(...)
        kinds[#kinds + 1] = ok and "done" or problem.kind
      end
      local text = [=[%s]=]
      kind(engine.deploy, engine, "/etc/hostname")
      kind(engine.check, engine, "/etc/hostname")
      kind(engine.deploy, engine, { ["q.bpmn"] = text, ["q.lua"] = "return print" })
      kind(engine.deploy, engine, setmetatable({ ["q.bpmn"] = text, ["q.lua"] = "return print" },
        { __pairs = function() return next, {} end }))
      kind(engine.deploy, engine, { ["q.bpmn"] = text, ["q.rules.lua"] = "return {}" })
      execution:set("kinds", kinds) execution:set("started", engine:start "q".definition_key)]]):format(text))
    assert.same({ "unsupported", "unsupported", "unsupported", "unsupported", "done" }, variables.kinds)
    assert.equal("q", variables.started)
  end)

  it("runs processes, tasks, jobs and queries", function()
    local engine <close> = opened()
    engine:deploy { ["q.bpmn"] = (model.around('<userTask id="t"/>')["p.bpmn"]:gsub('id="p"', 'id="q"')),
      ["r.bpmn"] = (model.around('<userTask id="t" camunda:asyncBefore="true"/>')["p.bpmn"]:gsub('id="p"', 'id="r"')) }
    assert.same({ retries = 7, tasks = 1, mine = "kermit", order = { total = 5 }, user = "fozzie", sum = 3 }, left(engine, [[
      local engine = execution.engine
      local q = engine:start("q", { variables = { order = { total = 4 } } })
      engine:job({ instance = engine:start "r".id }):set_retries(7)
      execution:set("retries", engine:job({}).retries)
      local tasks = engine:tasks { instance = q.id }
      execution:set("tasks", #tasks)
      tasks[1]:claim "kermit"
      execution:set("mine", engine:task(tasks[1].id).assignee)
      local order = q:get "order"
      order.total = 5
      q:set("order", order)
      execution:set("order", engine:instance(q.id):variables().order)
      execution:set("user", engine:as("fozzie", function() return engine.user end))
      execution:set("sum", engine:evaluate("${a + b}", { variables = { a = 1, b = 2 } }))]]))
  end)
end)

describe("the data of the store, to a script,", function()
  it("is its own: other deployments, jobs, history, and whose name stands in it", function()
    local engine <close> = opened { history = "full" }
    local function deploy(key)
      local text = model.around('<userTask id="t" camunda:asyncBefore="true"/>')["p.bpmn"]
      return engine:deploy { [key .. ".bpmn"] = text:gsub('id="p"', ('id="%s"'):format(key)) }
    end
    local gone = deploy "gone"
    deploy "other"
    engine:start "gone"
    local ended, waiting = engine:start "other", engine:start "other"
    ended:delete "over"
    local job = engine:job { instance = waiting.id }
    left(engine, ([[
      local engine = execution.engine
      engine:undeploy(%d, { cascade = true })
      engine:job(%d):delete()
      engine:delete_history(%d)
      engine:clean_history { ended_before = execution.engine:now() + 1 }
      engine:as("kermit", function()
        engine:add_comment(%d, "paid")
      end)]]):format(gone.id, job.id, ended.id, waiting.id))
    assert.equal(0, engine:count("definitions", { key = "gone" }))
    assert.equal(0, engine:count("instances", { definition_key = "gone" }))
    assert.equal(0, engine:count("jobs", {}))
    assert.equal(0, engine:count("history_instances", { id = ended.id }))
    assert.equal("kermit", engine:comments { instance = waiting.id } [1].user)
  end)
end)

describe("an execution in a script", function()
  it("gives no delegate, no module and no field as the program knows it", function()
    local engine <close> = opened()
    for _, text in ipairs { 'execution:resolve "os"', 'execution:resolve("shop")', 'execution:handler("f", {})',
      "execution:connector_inputs()", "execution:connector_outputs {}" } do
      local ok, problem = run(engine, text)
      assert.is_false(ok, text)
      assert.equal("unsupported", problem.kind, text)
    end
    engine:deploy(model.around '<serviceTask id="t" camunda:delegateExpression="${execution.resolve(\'io\').tmpfile}"/>')
    local ok, problem = pcall(engine.start, engine, "p")
    assert.is_false(ok)
    assert.equal("unsupported", problem.kind)
  end)

  it("finds none of Lua's libraries and of Orrery's modules by a class's name", function()
    local engine <close> = opened()
    for _, name in ipairs { "os", "io", "debug", "package", "string", "orrery", "orrery.core", "orrery.worker" } do
      engine:deploy(model.class(name))
      local ok, problem = pcall(engine.start, engine, "p")
      assert.is_false(ok)
      assert.equal("not_found", problem.kind, name)
    end
  end)

  it("is the program's own again for a function of the program", function()
    local engine <close> = opened()
    local seen = {}
    engine:register("look", function(execution, of)
      seen.same, seen.core = execution.engine == engine, rawget(execution.engine, "core") ~= nil
      execution.engine:advance(1)
      seen.parent = of and of.engine == engine
    end)
    assert.is_true(run(engine, "look(execution, execution.parent)"))
    assert.same({ same = true, core = true, parent = true }, seen)
    engine:deploy(model.around '<serviceTask id="t" camunda:expression="${look(execution, null)}"/>')
    engine:start "p"
    assert.is_true(seen.same)
    engine:register("of_field", function(execution) seen.bean = execution:field "bean" end)
    local shop = { name = "shop" }
    engine:register("shop", shop)
    engine:deploy(model.around [[<serviceTask id="t" camunda:class="of_field"><extensionElements>
      <camunda:field name="bean"><camunda:expression>${shop}</camunda:expression></camunda:field></extensionElements></serviceTask>]])
    engine:start "p"
    assert.equal(shop, seen.bean)
  end)

  it("hears no secret's source, no groups, no connector by a registered name", function()
    local engine <close> = opened { secrets = function() return "hush" end }
    engine:set_groups(function() return {} end)
    engine:register_task_type("odd", function() end)
    assert.same({ a = "nil", b = "nil", c = "nil", d = "table" }, left(engine, [[
      execution:set("a", type(_ENV["secrets of:"])) execution:set("b", type(_ENV["groups of user:"]))
      execution:set("c", type(_ENV["type:odd"])) execution:set("d", type(secret))]]))
  end)
end)

describe("values that others share", function()
  it("are read-only for a script, all the way down, and their methods get the real object", function()
    local engine <close> = opened()
    local shop = setmetatable({ total = 1, prices = { tea = 3 }, list = { 5, 6 } }, { __index = { kind = "shop" } })
    function shop:add(n)
      self.total = self.total + n
      return self
    end
    function shop.each(f) f(shop.prices) end
    engine:register("shop", shop)
    engine:register("prices", function() return shop.prices end)
    engine:register("fails", function() error(shop.prices) end)
    for _, text in ipairs { "shop.total = 5", "shop.prices.tea = 1", "shop.new = 1", "table.insert(shop.list, 7)",
      "table.remove(shop.list)",
      "rawset(shop.prices, 'tea', 1)", "shop.add = nil", "prices().tea = 1", "shop:add(0).total = 7", "setmetatable(shop, {})",
      "shop.each(function(p) p.tea = 1 end)", "for _, v in pairs(shop) do if type(v) == 'table' then v.x = 1 end end",
      "local _, e = pcall(fails) e.tea = 1", "local _, v = next(shop, 'list') shop[v] = 1 shop.list[1] = 1", "orrery.array(shop.list)",
      "table.sort(shop.list, function(a, b) return a > b end)", "table.move({ 9 }, 1, 1, 1, shop.list)",
      "xpcall(fails, function(e) e.tea = 1 end)", "shop.prices = nil" } do
      assert.is_false(run(engine, text), text)
    end
    for _, text in ipairs { "shop.setTotal(9)", "shop.prices.put('tea', 1)", "shop.list.add(4)", "shop.list.clear()",
      "shop.list.set(0, 9)",
      "prices().remove('tea')", "dateTime().__index.put('plusDays', 1)", "JSON('{}').__index.put('prop', 1)",
        "now().__index.put('getTime', 1)", "orrery.json.put('decode', 1)" } do
      engine:deploy(model.around(('<serviceTask id="t" camunda:expression="${%s}"/>'):format(text)))
      assert.is_false((pcall(engine.start, engine, "p")), text)
    end
    assert.same({ tea = 3 }, shop.prices)
    assert.same({ 5, 6 }, shop.list)
    assert.equal(1, shop.total)
    assert.same({ total = 3, kind = "shop", keys = 5, n = 2, sum = 11, same = true, copy = { prices = { tea = 3 }, list = { 5, 6 } },
      json = '{"tea":3}', read = 3 }, left(engine, [[
      local keys, sum = 0, 0
      for _ in pairs(shop) do keys = keys + 1 end
      for _, n in ipairs(shop.list) do sum = sum + n end
      execution:set("total", shop:add(2).total) execution:set("kind", shop.kind) execution:set("keys", keys)
      execution:set("n", #shop.list) execution:set("sum", sum) execution:set("same", shop.prices == prices())
      execution:set("copy", { prices = shop.prices, list = shop.list }) execution:set("json", orrery.json.encode(shop.prices))
      execution:set("read", rawget(shop.prices, "tea"))]]))
    assert.equal(3, shop.total)
    engine:deploy(model.around '<serviceTask id="t" camunda:expression="${shop.add(2).prices}" camunda:resultVariable="r"/>')
    assert.same({ tea = 3 }, engine:start("p"):get "r")
    assert.equal(5, shop.total)
    assert.is_true(engine:evaluate "${shop.prices.containsKey('tea') and not empty shop.prices and shop.list.size() == 2}")
  end)

  it("are the script's own where they are values of variables", function()
    local engine <close> = opened()
    engine:deploy(model.script 'local o = order o.total = 5 o.lines[1].n = 2 execution:set("order", o)')
    local instance = engine:start("p", { variables = { order = { total = 1, lines = { { n = 1 } } } } })
    assert.same({ total = 5, lines = { { n = 2 } } }, instance:get "order")
  end)

  it("lead to no call that waits, by a token of the script's own making", function()
    local engine <close> = opened()
    for _, text in ipairs { "local f = orrery.future() f.waiters = { { execution, 1 } } f:resolve(1)",
      "local f = orrery.future() rawset(f, 'done', true)", "orrery.future().__index.resolve = print" } do
      assert.is_false(run(engine, text), text)
    end
    assert.same({ n = 7 }, left(engine, [[local f = orrery.future() f:resolve { n = 6 }
      local t = f:await() t.n = 7 execution:set("n", t.n)]]))
  end)

  it("draw no random numbers from the program's, and leave its seed", function()
    local engine <close> = opened()
    math.randomseed(7)
    local expected = { math.random(1 << 40), math.random(1 << 40) }
    math.randomseed(7)
    local drawn = { math.random(1 << 40) }
    local variables = left(engine, [[math.randomseed(42) local a, b = math.random(1 << 40), math.random(10, 20)
      math.randomseed(42) execution:set("again", math.random(1 << 40) == a) execution:set("b", b) execution:set("x", math.random())
      local low, high = 9, 0
      for _ = 1, 500 do local n = math.random(3) low, high = math.min(low, n), math.max(high, n) end
      execution:set("low", low) execution:set("high", high) execution:set("wrong", (pcall(math.random, 2, 1)))]])
    drawn[2] = math.random(1 << 40)
    assert.same(expected, drawn)
    assert.is_true(variables.again)
    assert.is_true(variables.b >= 10 and variables.b <= 20 and variables.x >= 0 and variables.x < 1)
    assert.same({ 1, 3, false }, { variables.low, variables.high, variables.wrong })
  end)
end)

-- The walk ----------------------------------------------------------------------------------------------------------------------------

local WALK <const> = [[
local seen, tried, todo = {}, 0, {}
local function look(value, path)
  local kind = type(value)
  if (kind == "table" or kind == "userdata") and not seen[value] then
    seen[value] = path
    todo[#todo + 1] = value
  end
end
local function change(value, key)
  tried = tried + 1
  pcall(function() value[key] = "SPOILT" end)
  pcall(rawset, value, key, "SPOILT")
end
local ways = {
  function(t) setmetatable(t, { __index = function() return "SPOILT" end }) end, function(t) orrery.array(t) end,
  function(t) table.insert(t, "SPOILT") end, function(t) table.insert(t, 1, "SPOILT") end, function(t) table.remove(t) end,
  function(t) table.move({ "SPOILT" }, 1, 1, 1, t) end, function(t) table.sort(t) end, function(t) t.__gc(t) end,
  function(t) t.__close(t) end, function(t) getmetatable(t).__index = "SPOILT" end, function(t) t.__index.spoilt = "SPOILT" end,
}
for _, name in ipairs(names) do
  local ok, value = pcall(function() return _ENV[name] end)
  if ok then look(value, name) end
end
local engine = execution.engine
for _, list in ipairs { "instances", "definitions", "deployments", "executions", "tasks", "jobs", "variables", "history_activities" } do
  for i, record in ipairs(engine[list](engine, {})) do look(record, list .. i) end
end
look(orrery.future(), "future") look(engine:migration_plan(execution.definition_id, execution.definition_id), "plan")
look(give(), "give()") look(execution.parent, "parent") look(select(2, pcall(raise)), "raised") look(getmetatable(""), "meta of texts")
while #todo > 0 do
  local value = table.remove(todo)
  look(getmetatable(value), seen[value] .. "<meta>")
  local keys = {}
  pcall(function() for key in pairs(value) do keys[#keys + 1] = key end end)
  for _, name in ipairs(names) do keys[#keys + 1] = name end
  for _, key in ipairs(keys) do
    local ok, item = pcall(function() return value[key] end)
    if ok and #seen[value] < 200 then look(item, seen[value] .. "." .. tostring(key)) end
    if seen[value] ~= "vars" then change(value, key) end
  end
  for _, way in ipairs(ways) do pcall(way, value) end
end
execution:set("tried", tried)]]

--- Every table that is reached from `roots` by fields and metatables, with what it holds; weak ones are caches.
local function inventory(roots)
  local held, todo = {}, { table.unpack(roots) }
  while #todo > 0 do
    local t = table.remove(todo)
    local meta = debug.getmetatable(t)
    if type(meta) == "table" and not held[meta] then todo[#todo + 1] = meta end
    if type(t) == "table" and not held[t] and not (type(meta) == "table" and meta.__mode) then
      local copy = {}
      for key, value in next, t do
        copy[key] = value
        if type(value) == "table" or type(value) == "userdata" then todo[#todo + 1] = value end
      end
      held[t] = { fields = copy, meta = meta }
    end
  end
  return held
end

describe("a script that walks all that it reaches and tries to change each thing", function()
  it("changes nothing of others'", function()
    local engine <close> = opened()
    local shared = setmetatable({ deep = { deeper = { n = 1 } }, list = { 1, 2 }, f = print, bytes = io.tmpfile() },
      { __index = { method = function(self) return self.deep end } })
    engine:register("shared", shared)
    engine:register("give", function() return shared.deep end)
    engine:register("raise", function() error(shared.deep) end)
    engine:deploy(model.script "wait = 1")
    engine:start "p" -- loads what is loaded late
    left(engine, "local _ = execution.engine:definitions {} [1]:reload() local _ = pcall(shared.method, shared)")
    local names = { "execution", "orrery", "shared", "give", "raise", "engine", "core", "__index", "__metatable", "__gc", "parent", "job",
      "json", "wait", "null", "secret", "definitions", "deep", "deeper", "list", "bytes", "user", "kept", "spelling", "variables",
      "local_variables", "waiters", "value", "id", "n", 1, 2 }
    for name in pairs(require "orrery.sandbox".new(engine)) do names[#names + 1] = name end
    local roots = { engine, shared, orrery, debug.getmetatable "", debug.getmetatable(orrery.array {}),
      debug.getmetatable(orrery.future()),
      debug.getmetatable(io.stdout), debug.getmetatable(orrery.null), shared.bytes }
    for _, name in ipairs { "string", "table", "math", "utf8", "os", "io", "debug", "package",
      "coroutine" } do roots[#roots + 1] = _G[name] end
    for name, value in pairs(package.loaded) do
      if name:find "^orrery" and type(value) == "table" then roots[#roots + 1] = value end
    end
    local before = inventory(roots)
    engine:register("names", names)
    local tried = left(engine, WALK).tried
    assert.is_true(tried > 1000, tried)
    for t, was in pairs(before) do
      if t ~= package.loaded then
        assert.is_true(debug.getmetatable(t) == was.meta)
        for key, value in next, was.fields do
          assert.is_true(rawequal(rawget(t, key), value) or type(value) == "number" or key == "changes", tostring(key))
        end
        for key, value in next, t do assert.is_true(value ~= "SPOILT" and key ~= "spoilt", tostring(key)) end
      end
    end
    assert.equal("file", io.type(shared.bytes))
    assert.is_true(engine:count("instances", {}) > 0)
    shared.bytes:close()
  end)
end)
