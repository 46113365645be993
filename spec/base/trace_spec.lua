-- The grammar of W3C's trace context, sampling, and spans as OTLP's JSON.
local inside = require("orrery_inside").trace
local json = require "orrery".json

local TRACE <const>, SPAN <const> = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
local GOOD <const> = ("00-%s-%s-01"):format(TRACE, SPAN)

local function read(...) return (inside.trace_read(...)) end

describe("traceparent", function()
  it("is read as W3C writes it", function()
    for flags, kept in pairs { ["00"] = "00", ["01"] = "01", ["02"] = "02", ["03"] = "03", ["ff"] = "03", ["09"] = "01" } do
      assert.equal(GOOD:gsub("01$", kept), (read((GOOD:gsub("01$", flags)))))
    end
  end)

  it("of a later version is read as far as it is promised, and passed on as version 00", function()
    for _, later in ipairs { "01", "cc", "fe" } do
      assert.equal(GOOD, read((GOOD:gsub("^00", later))))
      assert.equal(GOOD, read((GOOD:gsub("^00", later)) .. "-and.more"))
      assert.equal(GOOD, read((GOOD:gsub("^00", later):gsub("01$", "03")))) -- what its other flags mean is not known
      assert.is_nil(read((GOOD:gsub("^00", later)) .. ".more"))
    end
  end)

  it("that is malformed is none", function()
    for _, bad in ipairs { "", "00", GOOD:sub(1, -2), GOOD .. "-", GOOD .. "0", " " .. GOOD, GOOD .. " ", GOOD:upper(),
      (GOOD:gsub("^00", "ff")), (GOOD:gsub("^00", "0")), (GOOD:gsub("^00", "0x")), (GOOD:gsub("%-", "_")), (GOOD:gsub("01$", "0g")),
      (GOOD:gsub(TRACE, ("0"):rep(32))), (GOOD:gsub(SPAN, ("0"):rep(16))), (GOOD:gsub("4bf9", "4bg9")),
      GOOD:sub(1, 30) .. "\0" .. GOOD:sub(32),
      (GOOD:gsub(TRACE, TRACE:sub(2))), ("00-%s-%s-01"):format(TRACE .. "0", SPAN) } do
      assert.is_nil(read(bad), bad)
    end
  end)
end)

describe("tracestate", function()
  local function state(...)
    local text = read(GOOD, ...)
    return text:sub(1, 55) == GOOD and text:sub(57) or error(text)
  end

  it("is kept as a list, of several headers as well", function()
    assert.equal("a=1", state "a=1")
    assert.equal("a=1,b=2,c=3", state(" a=1 ,\tb=2", "c=3"))
    assert.equal("a=1,b=2", state("a=1,,", "", " ,b=2 , "))
    assert.equal("0t@s=v,a_b-c*d/e=v w!\"#$%&'()*+-./:;<>?@[]^_`{|}~", state "0t@s=v,a_b-c*d/e=v w!\"#$%&'()*+-./:;<>?@[]^_`{|}~")
    assert.equal(("k"):rep(256) .. "=v", state(("k"):rep(256) .. "=v"))
    assert.equal("k=" .. ("v"):rep(256), state("k=" .. ("v"):rep(256)))
    assert.equal(("t"):rep(241) .. "@" .. ("s"):rep(14) .. "=v", state(("t"):rep(241) .. "@" .. ("s"):rep(14) .. "=v"))
  end)

  it("that is malformed is forgotten as a whole; the trace goes on", function()
    for _, bad in ipairs { "a", "a=", "=1", "A=1", "1=1", "a=1,a=2", "a=1;b=2=3", "a=b=c", "a =1", "a=1,é=2", "a=é", "a=x\ty", "@s=1",
      "t@=1", "t@0=1", "t@S=1", "a@b@c=1", ("k"):rep(257) .. "=v", "k=" .. ("v"):rep(257), ("t"):rep(242) .. "@s=v",
      "t@" .. ("s"):rep(15) .. "=v" } do
      assert.equal("", state(bad), bad)
      assert.equal("", state("fine=1", bad), bad)
    end
  end)

  it("has 32 members at most, and 512 bytes are passed on, in whole members", function()
    local members = {}
    for i = 1, 32 do members[i] = "k" .. i .. "=v" end
    local most = table.concat(members, ",")
    assert.equal(most, state(most))
    assert.equal("", state(most, "k33=v"))
    local long = "a=" .. ("v"):rep(250) .. ",b=" .. ("v"):rep(250)
    assert.equal(505, #long)
    assert.equal(long .. ",d=1234", state(long .. ",c=" .. ("v"):rep(9) .. ",d=1234"))
  end)
end)

describe("A sampler", function()
  it("records all, none, or a share of the traces that begin here", function()
    assert.equal(1000, (inside.trace_sampled(true, 1, 1000)))
    assert.equal(0, (inside.trace_sampled(true, 0, 1000)))
    local some = inside.trace_sampled(true, 0.25, 10000)
    assert.truthy(some > 2000 and some < 3000, some)
  end)

  it("follows the caller when it is parent-based, and its own mind else", function()
    local off = GOOD:gsub("01$", "00")
    assert.equal(10, (inside.trace_sampled(true, 0, 10, GOOD)))
    assert.equal(0, (inside.trace_sampled(true, 1, 10, off)))
    assert.equal(0, (inside.trace_sampled(false, 0, 10, GOOD)))
    assert.equal(10, (inside.trace_sampled(false, 1, 10, off)))
  end)

  it("tells children of a trace that is not recorded, too; of none where none ever begins", function()
    local off = GOOD:gsub("01$", "00")
    assert.equal(off .. " a=1", select(2, inside.trace_sampled(true, 1, 1, off .. " a=1")))
    assert.equal(off, select(2, inside.trace_sampled(false, 0, 1, GOOD)))
    assert.equal("02", select(2, inside.trace_sampled(true, 1e-9, 1)):sub(-2))
    assert.is_nil(select(2, inside.trace_sampled(true, 0, 1)))
    local told = select(2, inside.trace_sampled(true, 1, 1, GOOD .. " a=1"))
    assert.equal("00-" .. TRACE .. "-", told:sub(1, 36))
    assert.not_equal(SPAN, told:sub(37, 52))
    assert.equal("-01 a=1", told:sub(53))
  end)
end)

describe("A span in JSON", function()
  local function span(...)
    local request = json.decode((inside.trace_json(...)))
    assert.equal("spec", request.resourceSpans[1].resource.attributes[1].value.stringValue)
    return request.resourceSpans[1].scopeSpans[1].spans[1]
  end

  it("has what OTLP wants, in its spelling", function()
    local s = span("name", "value", 1, 0)
    assert.truthy(s.traceId:find "^%x+$" and #s.traceId == 32 and #s.spanId == 16)
    assert.same({ "1000000000", "1000000500", 1, "name" }, { s.startTimeUnixNano, s.endTimeUnixNano, s.kind, s.name })
    assert.same({ { key = "text", value = { stringValue = "value" } } }, s.attributes)
    assert.is_nil(s.parentSpanId)
  end)

  it("is JSON whatever bytes a text has", function()
    local text = 'a"\\\1\n\u{e9}\u{20ac}\u{1f600}'
    assert.equal(text .. "\u{fffd}", span("n", text .. "\xff", 1, 0).attributes[1].value.stringValue)
    for _, bad in ipairs { "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "\xf0\x80\x80\x80" } do
      assert.truthy(span("n", bad, 1, 0).attributes[1].value.stringValue:find "^\u{fffd}", bad)
    end
  end)

  it("is bounded: what finds no room is counted", function()
    local s = span("n", "x", 100, 0)
    assert.same({ 16, 84 }, { #s.attributes, s.droppedAttributesCount })
    s = span("n", ("x"):rep(600), 3, 0)
    assert.same({ 1, 2 }, { #s.attributes, s.droppedAttributesCount })
    assert.equal(255, #span(("n"):rep(5000), "x", 1, 0).name)
  end)

  it("follows a wall clock that is set", function()
    assert.equal("61000000000", span("n", "x", 1, 60000).endTimeUnixNano)
  end)
end)
