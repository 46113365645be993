-- Requests that another program on the way may read otherwise are refused, and nothing behind them
-- is read.
local support = require "spec.server.support"

local HOST <const> = "Host: localhost\r\n"
local JSON <const> = "Content-Type: application/json\r\n"
local GET <const> = "GET /engine-rest/version HTTP/1.1\r\n"
local POST <const> = "POST /engine-rest/external-task/1/unlock HTTP/1.1\r\n"
-- What would be answered, if what comes behind a request were taken for another one.
local BEHIND <const> = "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

-- Sends bytes; what comes back until the server closes, and whether it did.
local function raw(server, bytes)
  local path = server:file("raw", bytes)
  local pipe = assert(io.popen(([[bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d; cat %s >&3
    timeout 50 cat <&3; echo; echo END $?' 2>&1]]):format(server.port, path)))
  local text = pipe:read "a"
  pipe:close()
  return text, text:find "END 0\n$" ~= nil
end

-- An answer of who took a request for one.
local function served(text)
  return text:find("HTTP/1.1 2", 1, true) or text:find("HTTP/1.1 404", 1, true)
end

describe("a request that could be smuggled", function()
  local server

  setup(function() server = support.serve() end)
  teardown(function() server:close() end)

  -- Each stands before a request that must not be answered.
  local REFUSED <const> = {
    ["a blank before a colon"] = GET .. "Host : localhost\r\n\r\n",
    ["a blank before another colon"] = GET .. HOST .. "X-A : b\r\n\r\n",
    ["a tab before a colon"] = POST .. HOST .. JSON .. "Content-Length\t: 2\r\n\r\n{}",
    ["a blank before the colon of a coding"] = POST .. HOST .. JSON .. "Content-Length: 2\r\n\z
      Transfer-Encoding : chunked\r\n\r\n{}",
    ["a blank before the first header"] = GET .. " Host: localhost\r\n\r\n",
    ["a blank before the first header, and a good one"] = GET .. " X-A: b\r\n" .. HOST .. "\r\n",
    ["a tab before the first header"] = GET .. "\tX-A: b\r\n" .. HOST .. "\r\n",
    ["a line of blanks before the first header"] = GET .. " \r\n" .. HOST .. "\r\n",
    ["a first header that goes on"] = GET .. "X-A: b\r\n c\r\n" .. HOST .. "\r\n",
    ["a header that goes on"] = GET .. HOST .. "X-A: b\r\n c\r\nX-B: d\r\n\r\n",
    ["a header that goes on with a tab"] =
      GET .. HOST .. "X-A: b\r\n\tContent-Length: 2\r\nX-B: d\r\n\r\n",
    ["a last header that goes on"] = GET .. HOST .. "X-A: b\r\n c\r\n\r\n",
    ["a host that goes on"] = GET .. "Host: localhost\r\n .evil.example\r\n\r\n",
    ["a header without a name"] = GET .. HOST .. ": b\r\n\r\n",
    ["a line of a colon alone"] = GET .. HOST .. ":\r\n",
    ["a line of a colon, and a length"] =
      POST .. HOST .. JSON .. ":\r\nContent-Length: 2\r\n\r\n{}",
    ["a line that begins with a NUL"] = GET .. HOST .. "\0X-A: b\r\n\r\n",
    ["a last line that ends otherwise"] = GET .. HOST .. "\n",
    ["a name of other bytes"] = GET .. HOST .. "X(A): b\r\n\r\n",
    ["a name that is not ASCII"] = GET .. HOST .. "X-\xc3\xa4: b\r\n\r\n",
    ["a line without a colon"] = GET .. HOST .. "X-A\r\n\r\n",
    ["a NUL in a name"] = GET .. HOST .. "X\0-A: b\r\n\r\n",
    ["a NUL in a value"] = GET .. HOST .. "X-A: b\0c\r\n\r\n",
    ["a CR in a value"] = GET .. HOST .. "X-A: b\rContent-Length: 2\r\n\r\n",
    ["a DEL in a value"] = GET .. HOST .. "X-A: b\x7f\r\n\r\n",
    ["two kinds of line ends"] = GET .. HOST .. "X-A: b\nX-B: c\r\n\r\n",
    ["a request line that ends otherwise"] = GET:gsub("\r", "") .. HOST .. "X-A: b\r\n\r\n",
    ["chunks in HTTP/1.0"] =
      POST:gsub("1%.1", "1.0") .. HOST .. JSON .. "Connection: keep-alive\r\n\z
      Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ["chunks and a length"] =
      POST .. HOST .. JSON .. "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n\z
      2\r\n{}\r\n0\r\n\r\n",
    ["a length and chunks"] =
      POST .. HOST .. JSON .. "Transfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n\z
      2\r\n{}\r\n0\r\n\r\n",
    ["another coding"] = POST .. HOST .. JSON .. "Transfer-Encoding: identity\r\n\r\n",
    ["two codings in one"] =
      POST .. HOST .. JSON .. "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ["two codings"] =
      POST .. HOST .. JSON .. "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n\z
      2\r\n{}\r\n0\r\n\r\n",
    ["a coding that is nearly right"] =
      POST .. HOST .. JSON .. "Transfer-Encoding: xchunked\r\n\r\n",
    ["a coding with a tab before it and a mark behind"] =
      POST .. HOST .. JSON .. "Transfer-Encoding:\tchunked;\r\n\r\n",
    ["no coding"] = POST .. HOST .. JSON .. "Transfer-Encoding:\r\n\r\n",
    ["two lengths"] = POST .. HOST .. JSON .. "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    ["two lengths in one"] = POST .. HOST .. JSON .. "Content-Length: 2, 2\r\n\r\n{}",
    ["a length with a sign"] = POST .. HOST .. JSON .. "Content-Length: +2\r\n\r\n{}",
    ["a length below nought"] = POST .. HOST .. JSON .. "Content-Length: -2\r\n\r\n{}",
    ["a length in hexadecimal"] = POST .. HOST .. JSON .. "Content-Length: 0x2\r\n\r\n{}",
    ["a length with a point"] = POST .. HOST .. JSON .. "Content-Length: 2.0\r\n\r\n{}",
    ["no length"] = POST .. HOST .. JSON .. "Content-Length:\r\n\r\n",
    ["a length that is too large for any"] =
      POST .. HOST .. JSON .. "Content-Length: 18446744073709551618\r\n\r\n{}",
    ["two blanks before the target"] = "GET  /engine-rest/version HTTP/1.1\r\n" .. HOST .. "\r\n",
    ["two blanks behind the target"] = "GET /engine-rest/version  HTTP/1.1\r\n" .. HOST .. "\r\n",
    ["a blank behind the version"] = "GET /engine-rest/version HTTP/1.1 \r\n" .. HOST .. "\r\n",
    ["a blank in the target"] = "GET /engine-rest/version HTTP/1.1 HTTP/1.1\r\n" .. HOST .. "\r\n",
    ["a tab for a blank"] = "GET\t/engine-rest/version HTTP/1.1\r\n" .. HOST .. "\r\n",
    ["a NUL in the target"] = "GET /engine-rest/version\0x HTTP/1.1\r\n" .. HOST .. "\r\n",
    ["a control character in the target"] =
      "GET /engine-rest/version\x01 HTTP/1.1\r\n" .. HOST .. "\r\n",
    ["a target that is not ASCII"] =
      "GET /engine-rest/version?x=\xc3\xa4 HTTP/1.1\r\n" .. HOST .. "\r\n",
    ["a fragment"] = "GET /engine-rest/version#x HTTP/1.1\r\n" .. HOST .. "\r\n",
    ["a method that is no token"] = "G(T /engine-rest/version HTTP/1.1\r\n" .. HOST .. "\r\n",
    ["no method"] = " /engine-rest/version HTTP/1.1\r\n" .. HOST .. "\r\n",
    ["no version"] = "GET /engine-rest/version\r\n" .. HOST .. "\r\n",
    ["another protocol's version"] = "GET /engine-rest/version HTTP/2.0\r\n" .. HOST .. "\r\n",
    ["a version in small letters"] = "GET /engine-rest/version http/1.1\r\n" .. HOST .. "\r\n",
    ["no host"] = GET .. "\r\n",
    ["two hosts"] = GET .. HOST .. HOST .. "\r\n",
    ["two hosts in one"] = GET .. "Host: localhost, localhost\r\n\r\n",
    ["a host with a path"] = GET .. "Host: localhost/x\r\n\r\n",
    ["a host with a user"] = GET .. "Host: x@localhost\r\n\r\n",
  }

  for name, bytes in pairs(REFUSED) do
    it("is refused: " .. name, function()
      local text, closed = raw(server, bytes .. BEHIND)
      assert.is_true(closed, text)
      assert.falsy(text:find("live", 1, true), text)
      assert.falsy(served(text), text)
    end)
  end

  it("says what is wrong with its head", function()
    local text = raw(server, REFUSED["a blank before another colon"])
    assert.truthy(text:find("HTTP/1.1 400", 1, true), text)
    assert.truthy(text:find("not well formed: a header's name has a blank", 1, true), text)
  end)

  it("is not what stands behind chunks, of whose lines programs read the ends otherwise", function()
    local head = POST .. HOST .. JSON .. "Transfer-Encoding: chunked\r\n\r\n"
    for _, body in ipairs { "2\r\n{}\r\n0\r\n\r\n", "2;x\n{}\r\n0\r\n\r\n", "2\n{}\n0\n\n",
      "2;x=\"\r\n{}\r\n0\r\n\r\n" } do
      local text, closed = raw(server, head .. body .. BEHIND)
      assert.is_true(closed, text)
      assert.falsy(text:find("live", 1, true), text)
    end
    for _, body in ipairs { "2\r\n{}0\r\n\r\n", "2\r\n{}xx0\r\n\r\n",
      "0x2\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n",
      " 2\r\n{}\r\n0\r\n\r\n", "ffffffffffffffff1\r\n{}\r\n0\r\n\r\n" } do
      local text, closed = raw(server, head .. body .. BEHIND)
      assert.is_true(closed, text)
      assert.falsy(text:find("live", 1, true), text)
      assert.falsy(served(text), body .. text)
    end
  end)
end)

describe("a request that is well formed", function()
  it("is followed by the next one of its connection", function()
    local server <close> = support.serve()
    local good = { GET .. HOST .. "\r\n", GET .. HOST .. "X-A:\r\nX-B:b\r\nX-C: c \r\n\r\n",
      "GET /engine-rest/version HTTP/1.1\nHost: localhost\n\n",
      GET .. "hOsT: localhost:80\r\nX-!#$%&'*+-.^_`|~: \xc3\xa4\r\n\r\n",
      "GET /engine-rest/version?a=%C3%A4&b HTTP/1.1\r\n" .. HOST .. "\r\n",
      "\r\n" .. GET .. HOST .. "\r\n",
      POST .. HOST .. JSON .. "Content-Length: 0000000002\r\n\r\n{}" }
    for _, bytes in ipairs(good) do
      local text, closed = raw(server, bytes .. BEHIND)
      assert.is_true(closed, text)
      assert.truthy(text:find("live", 1, true), bytes .. text)
    end
  end)
end)
