-- Bodies of forms with files: read alike however they arrive, and refused where they make no sense.
local support = require "spec.server.support"

-- Sends requests on connections of their own, one after the other, and gives the status of each.
local function send(server, requests)
  local names = {}
  for i, bytes in ipairs(requests) do names[i] = server:file("request" .. i, bytes) end
  local list = server:file("requests", table.concat(names, "\n") .. "\n")
  local pipe = assert(io.popen(([[bash -c 'while read -r f; do exec 3<>/dev/tcp/127.0.0.1/%d;
    printf "%%s\n" "$(<$f)" >&3; read -r line <&3; echo "$line"; read -r -d "" rest <&3; exec 3>&-;
    done <%s' 2>&1]]):format(server.port, list)))
  local statuses = {}
  for line in pipe:lines() do
    statuses[#statuses + 1] = tonumber(line:match "^HTTP/1.1 (%d+)") or line
  end
  pipe:close()
  return statuses
end

-- A body in two chunks, the first of `at` bytes: so much of it arrives alone.
local function chunked(path, boundary, body, at)
  local function chunk(text) return ("%x\r\n%s\r\n"):format(#text, text) end
  return ("POST /engine-rest%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\z
    Content-Type: multipart/form-data; boundary=%s\r\n\z
    Transfer-Encoding: chunked\r\n\r\n%s%s0\r\n\r\n"):format(
    path, boundary, chunk(body:sub(1, at)), chunk(body:sub(at + 1)))
end

local function part(name, data, more)
  return ('Content-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'):format(
    name, more or "", data)
end

describe("a form with files", function()
  local server, instance
  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order },
      arguments = "--deploy %f/order.bpmn" }
    local _, started = server:ask("POST", "/process-definition/key/order/start", {})
    instance = "/process-instance/" .. started.id
  end)
  teardown(function() server:close() end)

  local function data_of(name)
    return server:curl(("%s/engine-rest%s/variables/%s/data"):format(server.url, instance, name))
  end

  -- Posts a body as it is, and gives the status and the file that is stored then.
  local function stored(boundary, body)
    local file = server:file("form", body)
    local status = server:curl(("-H 'Content-Type: multipart/form-data; boundary=%s' \z
      --data-binary @%s \z
      %s/engine-rest%s/variables/f/data"):format(boundary, file, server.url, instance))
    return status, (select(2, data_of "f"))
  end

  it("is stored whole wherever its bytes are split", function()
    local body = "--XYZ\r\n" .. part("valueType", "Bytes") .. "--XYZ\r\n"
      .. part("data", "ABCDEFGHIJ") .. "--XYZ--\r\n"
    local requests, expected = {}, {}
    for at = 1, #body - 1 do
      requests[at] = chunked(("%s/variables/v%d/data"):format(instance, at), "XYZ", body, at)
      expected[at] = 204
    end
    assert.same(expected, send(server, requests))
    local _, all = server:ask("GET", instance .. "/variables")
    for at = 1, #body - 1 do
      local v = all["v" .. at]
      assert.same({ "Bytes", "QUJDREVGR0hJSg==" }, { v.type, v.value }, "split behind byte " .. at)
    end
  end)

  it("may have any boundary, and text before and behind", function()
    local file = '; filename="a.txt"'
    for boundary, case in pairs {
      x = { "--x\r\n" .. part("data", "abc", file) .. "--x--\r\n", "abc" },
      ['"a b"'] = { "--a b\r\n" .. part("data", "abc", file) .. "--a b--", "abc" },
      p = { "before\r\n--p\r\n" .. part("data", "abc", file)
        .. "--p--\r\nbehind\r\n--p\r\n", "abc" },
      s = { "--s \t\r\n" .. part("data", "abc", file) .. "--s-- \r\n", "abc" },
      ab = { "--ab\r\n" .. part("data", "1\r\n--abc\r\n--a\r\n2", file) .. "--ab--",
        "1\r\n--abc\r\n--a\r\n2" },
      nul = { "--nul\r\n" .. part("data", "\0\r\n\0", file) .. "--nul--", "\0\r\n\0" },
      e = { "--e\r\n" .. part("data", "", file) .. "--e--", "" },
      n = {
        '--n\r\nContent-Disposition: form-data; name="data"; filename="a.txt"\r\n\r\n--n--', "" },
    } do
      assert.same({ 204, case[2] }, { stored(boundary, case[1]) }, boundary)
    end
  end)

  it("keeps a file's name as it is quoted", function()
    for quoted, name in pairs { ['a\\"b.txt'] = 'a"b.txt', ["C:\\x\\a.txt"] = "C:\\x\\a.txt",
      ["a;b.txt"] = "a;b.txt" } do
      local file = ('; filename="%s"'):format(quoted)
      local body = ("--x\r\n%s--x--"):format(part("data", "abc", file))
      assert.equal(204, (stored("x", body)))
      local _, variable = server:ask("GET", instance .. "/variables/f")
      assert.equal(name, variable.valueInfo.filename)
    end
  end)

  it("is refused where it makes no sense, with the reason", function()
    local many = ("--x\r\n" .. part("data", "")):rep(1001)
    for body, why in pairs {
      ["--x\r\n" .. part("data", "abc")] = "the last part does not end with the boundary",
      ["--x\r\n" .. part("data", "abc") .. "--y--"] = "does not end with the boundary",
      ["--x\r\nContent-Type: text/plain\r\n\r\nabc\r\n--x--"] =
        "no Content-Disposition with a name",
      ['--x\r\nContent-Disposition: form-data; name="da\0ta"\r\n\r\nabc\r\n--x--'] =
        "no Content-Disposition with a name",
      ["--x--"] = "has no parts", ["abc"] = "has no parts", ["--xx\r\n"] = "has no parts",
      [many .. "--x--"] = "more than 1000 parts",
    } do
      local file = server:file("form", body)
      local status, answer = server:ask("POST", instance .. "/variables/f/data", nil,
        "-H 'Content-Type: multipart/form-data; boundary=x' --data-binary @" .. file)
      assert.equal(400, status)
      assert.truthy(answer.message:find(why, 1, true), answer.message)
    end
    local status, answer = server:ask("POST", instance .. "/variables/f/data", nil,
      "-H 'Content-Type: multipart/form-data' --data-binary x")
    assert.same({ 400, "The Content-Type names no boundary" }, { status, answer.message })
  end)
end)
