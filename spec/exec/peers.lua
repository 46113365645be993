-- Specs that hold a behavior against each dialect: shows(name, probe, expected) runs `probe` on an engine of each.
local assert = require "luassert"
local it = require("busted").it
local orrery = require "orrery"

local peers = {}

peers.dialects = { "camunda", "flowable", "orrery" }

local HEAD <const> = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" '
  .. 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="spec">'
local SHARED <const> = '<message id="m" name="m"/><message id="m2" name="m2"/><signal id="sig" name="sig"/>'
  .. '<error id="err" errorCode="err"/>' .. '<escalation id="up" escalationCode="up"/>'

function peers.definitions(body) return HEAD .. SHARED .. body .. "</definitions>" end

--- "a -> b" lines as sequence flows.
function peers.flows(text)
  local out = {}
  for from, to in text:gmatch "(%S+)%s*%->%s*(%S+)" do
    out[#out + 1] = ('<sequenceFlow id="%s_to_%s" sourceRef="%s" targetRef="%s"/>'):format(from, to, from, to)
  end
  return table.concat(out)
end

function peers.process(body, flows, key)
  return ('<process id="%s" isExecutable="true">%s%s</process>'):format(key or "p", body, peers.flows(flows or ""))
end

function peers.deploy(engine, body) return engine:deploy { ["p.bpmn"] = peers.definitions(body) } end

--- Deploys a process of these elements and flows, and starts it.
function peers.run(engine, body, flows, options)
  peers.deploy(engine, peers.process(body, flows))
  return engine:start("p", options)
end

--- The kind of the error that `call` raises; nil and what it gave when there is none.
function peers.kind(call, ...)
  local ok, got = pcall(call, ...)
  if ok then return nil, got end
  return type(got) == "table" and got.kind or tostring(got), got
end

function peers.active(instance) return table.concat(instance:active(), " ") end

--- The keys of the user tasks there are, in alphabetical order.
function peers.tasks(engine)
  local keys = {}
  for i, task in ipairs(engine:tasks {}) do keys[i] = task.key end
  table.sort(keys)
  return table.concat(keys, " ")
end

function peers.engine(dialect, options, path)
  local merged = { clock = "manual", dialect = dialect, log = "none", durability = "none", history = "full" }
  for key, value in pairs(options or {}) do merged[key] = value end
  return orrery.open(path, merged)
end

--- One spec for each dialect. `expected`: a value for all, or one for each by the dialect's name.
function peers.shows(name, probe, expected)
  local by_dialect = type(expected) == "table" and (expected.camunda ~= nil or expected.flowable ~= nil or expected.orrery ~= nil)
  for _, dialect in ipairs(peers.dialects) do
    it(name .. " (" .. dialect .. ")", function()
      local engine <close> = peers.engine(dialect)
      local want
      if by_dialect then want = expected[dialect] else want = expected end
      assert.same(want, probe(engine, dialect))
    end)
  end
end

--- The same on disk: probe(reopen, dialect), where reopen(options) gives an engine of the store, which each further call closes and
--- opens again.
function peers.survives(name, probe, expected)
  local folder = require "spec.support.folder"
  local by_dialect = type(expected) == "table" and expected.camunda ~= nil
  for _, dialect in ipairs(peers.dialects) do
    it(name .. " (" .. dialect .. ")", function()
      local path, engine = folder.make(), nil
      local function reopen(options)
        local now = engine and engine:now()
        if engine then engine:close() end
        engine = peers.engine(dialect, options, path)
        if now and now > engine:now() then engine:advance(now - engine:now()) end
        return engine
      end
      local ok, got = pcall(probe, reopen, dialect)
      if engine then engine:close() end
      folder.remove(path)
      if not ok then error(got, 0) end
      local want = expected
      if by_dialect then want = expected[dialect] end
      assert.same(want, got)
    end)
  end
end

return peers
