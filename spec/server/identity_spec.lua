-- What front ends ask for when somebody logs in: users, groups, and what one may do.
local shapes = require "spec.server.shapes"
local support = require "spec.server.support"

describe("the server's file of users", function()
  local server

  setup(function()
    local build = os.getenv "ORRERY_BUILD"
    local pipe <close> = assert(io.popen(("printf secret | %s/orrery serve --hash"):format(build)))
    local hash = pipe:read "l"
    local users = ("user ann operate,deploy %s clerks,managers\nuser bob read %s clerks\nuser cid read %s\n"):format(hash, hash, hash)
    local started = support.order:gsub('id="order"',
      [[id="started" camunda:candidateStarterUsers="ann"
      camunda:candidateStarterGroups="clerks"]])
    server = support.serve { files = { users = users, ["order.bpmn"] = support.order,
      ["started.bpmn"] = started },
      arguments = "--auth %f/users --deploy %f/order.bpmn --deploy %f/started.bpmn" }
  end)
  teardown(function() server:close() end)

  local function ask(method, path, body, wanted, who)
    local status, answer = server:ask(method, path, body, "-u " .. (who or "ann") .. ":secret")
    assert.equal(wanted or 200, status, method .. " " .. path .. " " .. tostring(type(answer) == "table" and answer.message or answer))
    return answer
  end

  local function ids(list)
    local out = {}
    for i, one in ipairs(list) do out[i] = one.id end
    return table.concat(out, " ")
  end

  it("names groups, each once, by whoever is in them, and in pages", function()
    local all = ask("GET", "/group")
    assert.same({}, shapes.problems("", "[GroupDto]", all))
    assert.equal("clerks managers", ids(all))
    assert.equal("clerks", ids(ask("GET", "/group?member=bob")))
    assert.equal("clerks managers", ids(ask("GET", "/group?member=ann")))
    assert.equal("", ids(ask("GET", "/group?member=cid")))
    assert.equal("managers", ids(ask("GET", "/group?idIn=managers,none")))
    assert.equal("managers", ids(ask("POST", "/group", { idIn = { "managers", "none" } })))
    assert.equal("managers", ids(ask("GET", "/group?firstResult=1&maxResults=5")))
    assert.equal("clerks", ids(ask("GET", "/group?maxResults=1")))
    assert.equal(2, ask("GET", "/group/count").count)
    assert.equal(1, ask("POST", "/group/count", { name = "clerks" }).count)
    assert.equal("clerks", ask("GET", "/group/clerks").name)
    ask("GET", "/group/none", nil, 404)
    assert.equal("clerks", ids(ask("GET", "/group?nameLike=c%25")))
    assert.equal("clerks managers", ids(ask("GET", "/group?nameLike=%25er%25")))
    assert.equal("managers", ids(ask("POST", "/group", { nameLike = "_anager_" })))
    assert.equal("", ids(ask("GET", "/group?nameLike=clerk")))
    assert.equal("", ids(ask("GET", "/group?type=WORKFLOW")) .. ids(ask("GET",
      "/group?memberOfTenant=t")))
    ask("GET", "/group?maxResults=-1", nil, 400)
    ask("POST", "/group", { id = { 7 } }, 400)
    assert.equal("bob", ids(ask("GET", "/user?firstResult=1&maxResults=1")))
    ask("GET", "/user?firstResult=x", nil, 400)
  end)

  it("is asked for users by what they are, and by the groups that they are in", function()
    for query, wanted in pairs { ["memberOfGroup=managers"] = "ann",
      ["memberOfGroup=clerks"] = "ann bob",
      ["memberOfGroup=none"] = "", ["memberOfTenant=t"] = "", ["idIn=cid,ann,none"] = "ann cid",
        ["id=bob&idIn=ann"] = "",
      ["firstName=bob"] = "bob", ["firstName=x"] = "", ["firstNameLike=%25n%25"] = "ann",
        ["lastNameLike=%25"] = "ann bob cid",
      ["lastName=x"] = "", ["email=a%40b"] = "", ["emailLike=%25"] = "",
        ["memberOfGroup=clerks&id=bob"] = "bob" } do
      assert.equal(wanted, ids(ask("GET", "/user?" .. query)), query)
      local n = select(2, wanted:gsub("%w+", ""))
      assert.equal(n, ask("GET", "/user/count?" .. query).count, query)
    end
  end)

  it("tells who may start a process, by the model and by the role", function()
    local id = ask("GET", "/process-definition/key/started").id
    assert.equal("ann bob", ids(ask("GET", "/user?potentialStarter=" .. id)))
    assert.equal("", ids(ask("GET", "/user?potentialStarter=" .. ask("GET",
      "/process-definition/key/order").id)))
    assert.equal("", ids(ask("GET", "/user?potentialStarter=none")))
    for _, case in ipairs { { "ann", "true", 2 }, { "bob", "true", 0 }, { "bob", "false", 2 },
      { "bob", "", 2 } } do
      local path = "/process-definition/count?startablePermissionCheck=" .. case[2]
      assert.equal(case[3], ask("GET", path, nil, 200, case[1]).count, case[1] .. " " .. case[2])
      assert.equal(case[3], #ask("GET", (path:gsub("/count", "")), nil, 200, case[1]))
    end
  end)

  it("says whose password it is", function()
    local function verify(name, password) return ask("POST", "/identity/verify", { username = name, password = password }) end
    local good = verify("bob", "secret")
    assert.same({}, shapes.problems("", "AuthenticationResult", good))
    assert.same({ true, "bob" }, { good.authenticated, good.authenticatedUser })
    assert.is_false(verify("bob", "wrong").authenticated)
    assert.is_false(verify("nobody", "secret").authenticated)
    ask("POST", "/identity/verify", { username = "bob" }, 400)
    ask("POST", "/identity/verify", { username = "bob", password = { 7 } }, 400)
    ask("GET", "/identity/password-policy", nil, 404)
  end)

  it("never takes a password for wrong because many ask at once", function()
    server:file("sent", '{"username": "bob", "password": "secret"}')
    local script = server:file("ask.sh", ([[for i in $(seq 12); do
        curl -s -m 60 -u ann:secret -H 'Content-Type: application/json' -d @FOLDER/sent URL/engine-rest/identity/verify -o FOLDER/said$i &
      done
      wait]]):gsub("FOLDER", server.folder):gsub("URL", server.url))
    assert(os.execute("sh " .. script))
    local known = 0
    for i = 1, 12 do
      local file <close> = assert(io.open(server:file("said" .. i)))
      local text = file:read "a"
      assert.is_nil(text:find('"authenticated":false', 1, true))
      if text:find('"authenticated":true', 1, true) then known = known + 1 end
    end
    assert.is_true(known > 0)
  end)

  it("tells what a role allows as Camunda's permissions", function()
    local function may(who, permission, resource)
      return ask("GET", ("/authorization/check?permissionName=%s&resourceName=x&resourceType=%d"):format(permission, resource), nil, 200,
        who).authorized
    end
    assert.same({ true, true, true }, { may("ann", "READ", 6), may("ann", "UPDATE", 8), may("ann", "CREATE", 9) })
    assert.same({ true, false, false }, { may("bob", "READ", 6), may("bob", "UPDATE", 8), may("bob", "CREATE", 9) })
    ask("GET", "/authorization/check?permissionName=READ", nil, 400)
    ask("GET", "/authorization/check?permissionName=READ&resourceName=x&resourceType=six", nil, 400)
    ask("GET", "/authorization/check?permissionName=READ&resourceName=x&resourceType=6&userId=bob", nil, 400)
  end)

  it("answers what there is none of with 404, and reports nothing", function()
    for _, path in ipairs { "/authorization/1", "/tenant/t", "/filter/1", "/filter/1/list", "/filter/1/count", "/filter/1/singleResult" } do
      ask("GET", path, nil, 404)
    end
    ask("POST", "/filter/1/list", {}, 404)
    assert.is_false(ask("GET", "/telemetry/configuration").enableTelemetry)
    local data = ask("GET", "/engine/default/telemetry/data")
    assert.same({}, shapes.problems("", "TelemetryDataDto", data))
    assert.equal("Orrery", data.product.name)
  end)
end)
