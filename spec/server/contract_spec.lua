-- Every operation and every parameter of Camunda's contract is accounted for, and what is answered has exactly the contract's
-- fields. differences.lua holds what is otherwise, each with its reason.
local seeded = require "spec.server.seeded"

local shapes = require "spec.server.shapes"
local contract, fits, note = shapes.contract, shapes.fits, shapes.note

-- Our table.
local ours, queries = {}, {}
for _, subject in ipairs(require "server.subjects") do
  local t = require("server.table." .. subject[1])
  for _, op in ipairs(t.operations) do ours[op[1] .. " " .. op[2]] = op end
  for name, q in pairs(t.queries) do queries[name] = q end
end

local function params_of(op)
  local out = {}
  for _, p in ipairs(op.query and queries[op.query].params or type(op.args) == "table" and op.args or {}) do out[p[1]] = p end
  return out
end

describe("the contract", function()
  it("has each of its operations in our table", function()
    local missing = {}
    for _, op in ipairs(contract) do
      if not ours[op.key] then missing[#missing + 1] = op.key end
    end
    assert.same({}, missing)
    assert.equal(399, #contract)
  end)

  it("has each parameter of what is built mapped, or known as not built", function()
    local missing, count, paging = {}, 0, { sortBy = true, sortOrder = true, firstResult = true, maxResults = true }
    for _, op in ipairs(contract) do
      local own = ours[op.key]
      local known = own and params_of(own)
      for name in op.params:gmatch "[^,]+" do
        count = count + 1
        local fine = not own or own.unbuilt or own.args == "ignored" or known[name] or (paging[name] and own.query)
        if not fine then missing[#missing + 1] = op.key .. " " .. name end
      end
    end
    assert.same({}, missing)
    assert.equal(1685, count)
  end)

  it("has each member of a body of what is built read, refused, or known as one that Camunda ignores, too", function()
    local missing, count = {}, 0
    for key, members in pairs(shapes.bodies) do
      local own = ours[key]
      local known = { sorting = own.query and true }
      for _, m in ipairs(own.ignored or {}) do known[m[1]] = true end
      for _, list in ipairs { own.body or {}, own.query and queries[own.query].params or {} } do
        for _, m in ipairs(list) do known[m[1]] = true end
      end
      for name in members:gmatch "[^,]+" do
        count = count + 1
        local fine = own.unbuilt or own[3] == "forbidden" or known[name]
        if not fine then missing[#missing + 1] = key .. " " .. name end
      end
    end
    table.sort(missing)
    assert.same({}, missing)
    assert.is_true(count > 1000, count .. " members")
  end)
end)

local samples = { text = "x", lower = "PENDING", like = "x%25", id = "1", ids = "1,2", texts = "a,b", int = "1", time =
  "2026-01-31T12:00:00.000%2B0000", flag = "true", bool = "false", ["not"] = "true", none = "true", some = "true", beside = "true",
  word = "true",
  variables = "a_eq_1,a_neq_2,b_like_x%25", value = "x", times = "lt_2026-01-31T12:00:00.000%2B0000", switch = "true",
  before_or_none = "2026-01-31T12:00:00.000%2B0000", row = "0:1", rows = "0:1,7:2",
  own = "a_eq_1", cased = "x", idle = "true", log = "0:1:2",
  types = "string,Long" }

describe("a seeded server", function()
  local server, seed

  local function call(method, path, body)
    local status, answer = server:ask(method, path, body)
    return status, answer
  end

  local function good(method, path, body)
    local status, answer = call(method, path, body)
    assert(status == 200 or status == 204, ("%s %s: %s %s"):format(method, path, tostring(status), type(answer) == "table"
      and tostring(answer.message) or tostring(answer)))
    return answer
  end

  setup(function()
    server, seed = seeded.serve()
  end)

  teardown(function() server:close() end)

  it("takes every parameter that is mapped, refuses every one that is not, and sorts by every key", function()
    local wrong = {}
    for key, op in pairs(ours) do
      if op[1] == "GET" and op[3] == "list" and not op.unbuilt then
        for _, p in ipairs(queries[op.query].params) do
          if p[2] ~= "any" then
            local value = samples[p[2]] or "true"
            local with = p[1] == "includeAssignedTasks" and "&candidateGroup=x"
              or p[1] == "variableValue" and "&variableName=x" or "" -- refused alone
            local status = call("GET", ("%s?%s=%s%s"):format(op[2], p[1], value, with))
            if status ~= (p[2] == "unbuilt" and 400 or 200) then wrong[#wrong + 1] = ("%s %s: %s"):format(key, p[1], tostring(status)) end
          end
        end
        for sort, field in pairs(queries[op.query].sorts) do
          local status = call("GET", ("%s?sortBy=%s&sortOrder=desc"):format(op[2], sort))
          local alone = field and not field:find "%.$" -- else it wants the name of a variable
          if status ~= (alone and 200 or 400) then wrong[#wrong + 1] = ("%s sorted by %s: %s"):format(key, sort, tostring(status)) end
        end
      end
    end
    table.sort(wrong)
    assert.same({}, wrong)
  end)

  local function filled(path) return seeded.filled(seed, path) end

  -- Nothing is there to be found for these with the seed.
  local absent = { ["GET /execution/{id}/localVariables/{varName}"] = 404,
    ["GET /execution/{id}/localVariables/{varName}/data"] = 404, ["GET /task/{id}/variables/{varName}"] = 404,
    ["GET /task/{id}/localVariables/{varName}"] = 404, ["GET /task/{id}/variables/{varName}/data"] = 404,
    ["GET /task/{id}/localVariables/{varName}/data"] = 404, ["GET /process-definition/{id}/deployed-start-form"] = 400,
    ["GET /process-definition/key/{key}/deployed-start-form"] = 400, ["GET /history/variable-instance/{id}/data"] = 400,
    ["GET /process-definition/{id}/rendered-form"] = 404, ["GET /process-definition/key/{key}/rendered-form"] = 404,
    ["GET /task/{id}/rendered-form"] = 404, ["GET /history/cleanup/job"] = 404, ["GET /history/detail/{id}/data"] = 400,
    ["GET /process-definition/key/{key}/tenant-id/{tenant-id}/deployed-start-form"] = 400,
    ["GET /process-definition/key/{key}/tenant-id/{tenant-id}/rendered-form"] = 404 }
  -- There are no authorizations, tenants and filters; without a file of users there is nobody; what must be asked for, is missing.
  local never = { ["/authorization/{id}"] = 404, ["/tenant/{id}"] = 404, ["/filter/{id}"] = 404, ["/filter/{id}/count"] = 404,
    ["/filter/{id}/list"] = 404, ["/filter/{id}/singleResult"] = 404, ["/group/{id}"] = 404, ["/user/{id}/profile"] = 404,
    ["/identity/password-policy"] = 404, ["/identity/groups"] = 400, ["/authorization/check"] = 400,
    ["/history/process-instance/report"] = 400, ["/history/task/report"] = 400 }

  it("answers each GET with exactly the contract's fields", function()
    local problems = {}
    for _, op in ipairs(contract) do
      local own = ours[op.key]
      if op.method == "GET" and (op.tier < 3 or not own.unbuilt) then
        local status, answer = call("GET", filled(op.path) .. "?") -- /metrics alone is the server's own
        local wanted = own.unbuilt and 501 or absent[op.key] or never[op.path] or status == 204 and 204 or 200
        if status ~= wanted then note(problems, op.key, tostring(status) .. " " .. tostring(type(answer) == "table" and answer.message)) end
        local is_form = op.path:find "form$" and status == 200 -- whatever was deployed
        if status == 200 and op.answer and not is_form then fits(problems, op.key, op.answer, answer) end
      end
    end
    table.sort(problems)
    assert.same({}, problems)
  end)

  it("answers each POST of a query as its GET", function()
    local problems = {}
    for _, op in ipairs(contract) do
      local own = ours[op.key]
      if op.method == "POST" and own.query and not own.unbuilt then
        local _, by_get = call("GET", op.path)
        local status, answer = call("POST", op.path, {})
        if status ~= 200 then note(problems, op.key, tostring(status)) end
        local function same(other) return op.path:find "/count$" and answer.count == other.count or #answer == #other end
        -- A job may have been tried again between the two.
        if not same(by_get) and not same(select(2, call("GET", op.path))) then note(problems, op.key, "other than GET") end
        if (call("POST", op.path, { sorting = { { sortBy = "nonsense",
            sortOrder = "asc" } } })) ~= (op.path:find "/count$" and 200 or 400) then
          note(problems, op.key, "sorted by nonsense")
        end
        if (call("POST", op.path, "[]")) ~= 400 then note(problems, op.key, "took an array") end
      end
    end
    assert.same({}, problems)
  end)

  it("has the contract's fields in what commands answer", function()
    local problems = {}
    fits(problems, "start", "ProcessInstanceWithVariablesDto", seed.started)
    fits(problems, "fetchAndLock", "[LockedExternalTaskDto]", seed.locked)
    fits(problems, "deploy", "DeploymentWithDefinitionsDto", seed.deployed)
    local plan = good("POST", "/migration/generate", { sourceProcessDefinitionId = seed.definition, targetProcessDefinitionId =
      seed.definition })
    fits(problems, "generate", "MigrationPlanDto", plan)
    fits(problems, "validate", "MigrationPlanReportDto", good("POST", "/migration/validate", plan))
    fits(problems, "message", "[MessageCorrelationResultWithVariableDto]", good("POST", "/message", { messageName = "paid",
      businessKey = "w", resultEnabled = true, variablesInResultEnabled = true }))
    fits(problems, "batch", "BatchDto", good("POST", "/process-instance/job-retries", { processInstances = { seed.failing }, retries = 1 }))
    assert.same({}, problems)
  end)

  -- One that there is not, and a body that is none: never 200, never a fault of ours, always Camunda's three fields.
  it("answers bad calls of every operation with an error that says what is wrong", function()
    local problems = {}
    local function bad(op, path, body, why)
      local status, answer = call(op.method, path, body)
      local told = type(answer) == "table" and type(answer.type) == "string" and type(answer.message) == "string" and answer.code == 0
      if not status or status < 400 or not told then note(problems, op.key, why .. ": " .. tostring(status)) end
      if status == 503 or status == 0 then note(problems, op.key, why .. ": the server is not well") end
    end
    for _, op in ipairs(contract) do
      local own = ours[op.key]
      local asks = not own.unbuilt and own[3] ~= "forbidden" and op.method ~= "OPTIONS"
      if asks and op.path:find "{" and not op.path:find "^/process%-definition.*diagram" then
        local path = op.path:gsub("{[^}]+}", "999999999999")
        bad(op, path, (op.method == "POST" or op.method == "PUT") and not op.path:find "/data$" and {} or nil, "unknown id")
        if op.path:find "{id}" then bad(op, (path:gsub("999999999999", "no-id")), op.method == "PUT" and {} or nil, "no id") end
      end
      local reads = own.body or own.multipart or own.query -- else nobody looks at it
      if asks and reads and (op.method == "POST" or op.method == "PUT") then bad(op,
        filled(op.path), "{", "half a body") end
    end
    table.sort(problems)
    assert.same({}, problems)
  end)

  it("ignores what neither Camunda nor Orrery knows, as Camunda does", function()
    local known = good("GET", "/process-instance?businessKey=b")
    assert.same(known, good("GET", "/process-instance?businessKey=b&nobodysParameter=1"))
    assert.same(known, good("POST", "/process-instance", { businessKey = "b", nobodysMember = { 1, 2 } }))
    assert.equal(400, (call("GET", "/process-instance?caseInstanceId=1")))
  end)

  it("says 501 to what is not built", function()
    local wrong = {}
    for key, op in pairs(ours) do
      if op.unbuilt then
        local body = (op[1] == "POST" or op[1] == "PUT") and {} or nil
        local status, answer = call(op[1], op[2]:gsub("{[^}]+}", "1") .. "?", body)
        if status ~= 501 or not answer.message:find("not built", 1, true) then wrong[#wrong + 1] = key .. " " .. tostring(status) end
      end
    end
    assert.same({}, wrong)
    for _, path in ipairs { "/case-definition", "/case-instance/count",
      "/case-execution/1/complete",
      "/history/case-instance", "/history/case-definition/1/statistics" } do
      local status, answer = call("GET", path)
      assert.same({ 501, "This is not built: cases (CMMN)" }, { status, answer.message }, path)
    end
    for _, path in ipairs { "/case", "/process-definitoin", "/history/process-case-instance" } do
      assert.equal(404, (call("GET", path)), path)
    end
  end)

  it("pages and counts what it lists", function()
    for _ = 1, 7 do good("POST", "/process-definition/key/waiting/start", { businessKey = "page" }) end
    local all = good("GET", "/process-instance?businessKey=page&sortBy=instanceId&sortOrder=asc")
    assert.equal(7, #all)
    assert.equal(7, good("GET", "/process-instance/count?businessKey=page").count)
    local pages = {}
    for first = 0, 6, 3 do
      for _, one in ipairs(good("GET", "/process-instance?businessKey=page&sortBy=instanceId&sortOrder=asc&maxResults=3&firstResult="
        .. first)) do pages[#pages + 1] = one.id end
    end
    local ids = {}
    for i, one in ipairs(all) do ids[i] = one.id end
    assert.same(ids, pages)
  end)

  it("finds by either of several conditions", function()
    local found = good("POST", "/process-instance", { orQueries = { { businessKey = "b", processDefinitionKey = "failing" } },
      sorting = { { sortBy = "instanceId", sortOrder = "asc" } } })
    local keys = {}
    for i, one in ipairs(found) do keys[i] = one.definitionKey end
    assert.same({ "order", "failing" }, keys)
    assert.equal(0, #good("POST", "/process-instance", { businessKey = "none", orQueries = { { processDefinitionKey = "failing" } } }))
    local tasks = good("GET", "/task?followUpBeforeOrNotExistent=2026-01-31T12:00:00.000%2B0000")
    assert.equal(1, #tasks)
    assert.equal(0, #good("GET", "/task?nameNotEqual=Look"))
  end)
end)
