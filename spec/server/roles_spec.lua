-- Each operation of the table asks for the role that the table names, of everybody, and of nobody for more.
local support = require "spec.server.support"

local build = os.getenv "ORRERY_BUILD"

local function hash(secret)
  local pipe = assert(io.popen(("printf %%s '%s' | %s/orrery serve --hash --token"):format(secret, build)))
  local text = pipe:read "l"
  pipe:close()
  return text
end

-- What docs/server.md says: which role may do what the table marks with which.
local may = {
  nobody = { any = true },
  read = { any = true, read = true, worker_read = true },
  worker = { any = true, worker = true, worker_read = true },
  operate = { any = true, read = true, worker = true, worker_read = true, operate = true },
  deploy = { any = true, read = true, worker_read = true, deploy = true },
  task = { any = true, people = true },
}

local operations = {}
for _, subject in ipairs(require "server.subjects") do
  for _, op in ipairs(require("server.table." .. subject[1]).operations) do
    local method, handler = op[1], op[3]
    local reads = method == "GET" or handler == "list" or handler == "count" or op.query or op.command == false
    operations[#operations + 1] = { method = method, path = op[2], role = op.role or reads and "read", form = op.multipart,
      forbidden = handler == "forbidden", unbuilt = op.unbuilt, people = op.people }
  end
end

-- Ids that lead nowhere, so that who may do it changes nothing; the stream of events would not end.
local function address(op) return (op.path:gsub("{[^}]+}", "999999")) .. (op.path:find "events$" and "?scope=none" or "?") end

describe("the roles of operations", function()
  local server
  local token = "a-token-as-long-as-a-key-for-%s"

  setup(function()
    local lines = {}
    for role in pairs(may) do
      if role ~= "nobody" then lines[#lines + 1] = ("token t-%s %s %s\n"):format(role, role, hash(token:format(role))) end
    end
    server = support.serve { files = { users = table.concat(lines), ["order.bpmn"] = support.order },
      arguments = "--auth %f/users --deploy %f/order.bpmn" }
  end)
  teardown(function() server:close() end)

  -- The statuses of all operations for one role, by one run of curl.
  local function statuses(role)
    local config = {}
    for i, op in ipairs(operations) do
      config[#config + 1] = i > 1 and "next" or ""
      config[#config + 1] = 'silent\nmax-time = 120\noutput = "/dev/null"\nwrite-out = "%{http_code}\\n"'
      config[#config + 1] = ('request = "%s"\nurl = "%s/engine-rest%s"'):format(op.method, server.url, address(op))
      if role ~= "nobody" then config[#config + 1] = ('header = "Authorization: Bearer %s"'):format(token:format(role)) end
      if op.form then config[#config + 1] = 'form = "deployment-name=x"'
      elseif op.method == "POST" or op.method == "PUT" then
        config[#config + 1] = 'header = "Content-Type: application/json"\ndata = "{"'
      end
    end
    local pipe = assert(io.popen("curl -K " .. server:file("calls", table.concat(config, "\n") .. "\n") .. " 2>/dev/null"))
    local out = {}
    for line in pipe:lines() do out[#out + 1] = tonumber(line) end
    pipe:close()
    assert.equal(#operations, #out)
    return out
  end

  for role, allowed in pairs(may) do
    it("are held for " .. role, function()
      local wrong, let, kept_out = {}, 0, 0
      for i, status in ipairs(statuses(role)) do
        local op = operations[i]
        local refused = status == 401 or status == 403
        local may_do = allowed[op.role] or op.people and allowed.people
        local fine = may_do and not refused
        if may_do and op.forbidden then fine = status == 403 or status == 400 end
        if not may_do then fine = status == (role == "nobody" and 401 or 403) end
        if may_do and op.path == "/orrery/session" then fine = status ~= 403 end -- it checks who logs in itself
        if not fine then wrong[#wrong + 1] = ("%s %s (%s): %d"):format(op.method, op.path, tostring(op.role), status) end
        if may_do then let = let + 1 else kept_out = kept_out + 1 end
      end
      table.sort(wrong)
      assert.same({}, wrong)
      assert.is_true(let > 0 and kept_out > 0)
    end)
  end

  it("are what OPTIONS offers", function()
    local function offered(role, path)
      local status, answer = server:ask("OPTIONS", path, nil,
        ("-H 'Authorization: Bearer %s'"):format(token:format(role)))
      assert.equal(200, status, path)
      local out = {}
      for i, link in ipairs(answer.links) do
        assert.equal("/engine-rest" .. path, link.href:sub(1, #path + 12))
        out[i] = link.method .. " " .. link.rel
      end
      return table.concat(out, ", ")
    end
    for _, role in ipairs { "read", "operate", "deploy" } do
      for _, path in ipairs { "/user", "/group", "/tenant", "/authorization", "/filter" } do
        assert.equal("GET list, GET count", offered(role, path), role .. path)
      end
      assert.equal("GET self", offered(role, "/user/ann"))
      assert.equal("GET self", offered(role, "/group/clerks"))
      assert.equal("", offered(role, "/group/clerks/members"))
      assert.equal("GET self, GET singleResult, POST singleResult, GET list, POST list, \z
        GET count, POST count", offered(role, "/filter/1"))
    end
    for _, path in ipairs { "/user", "/user/ann", "/filter/1", "/tenant/t/user-members" } do
      assert.equal("", offered("worker", path))
    end
    assert.equal(401, (server:ask("OPTIONS", "/user")))
  end)

  it("are told by the manual as the table has them", function()
    local manual = assert(io.open "docs/rest.md"):read "a"
    for _, op in ipairs(operations) do
      local told = manual:match("| `" .. (op.method .. " " .. op.path):gsub("%p", "%%%0") .. "` | ([^|]+) |")
      local role = op.role == "any" and "anybody" or op.role:gsub("_", " or ") .. (op.people and ", task" or "")
      assert.equal(role, told, op.path)
    end
  end)

  it("are told with what lists are sorted by, where they are", function()
    local manual = assert(io.open "docs/rest.md"):read "a"
    assert.is_nil(manual:find("Sorted by: .", 1, true))
    assert.matches("\n%*%*GET /orrery/flows%*%*\n\n[^*]*\nTakes no `sortBy`%.\n", manual)
    local contract = assert(io.open "docs/openapi.json"):read "a"
    assert.is_nil(contract:find '"enum": *%[%s*%]')
  end)
end)
