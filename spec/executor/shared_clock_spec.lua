-- The clock that all machines have from the database: engines go by it, and when it jumps nothing is taken until that is certain.
-- Marks: load
local orrery = require "orrery"
local inside = require("orrery_inside").store
local postgres = require "spec.support.postgres"
local process = require "spec.support.process"

describe("an executor on a store in PostgreSQL", function()
  local it = postgres.with(it, pending)

  it("takes nothing while the server's clock is in doubt, says so, and goes by it afterwards", function()
    local server = postgres.shared()
    local url, name = server:schema()
    assert(inside.make_schema(url))
    -- the store finds this clock first
    server:query([[CREATE TABLE shift (by interval); INSERT INTO shift VALUES ('0');
      CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT pg_catalog.clock_timestamp() + by FROM shift $$;]], { schema = name })
    local said = {}
    local engine <close> = orrery.open(url:gsub("(csearch_path%%3D%w+)", "%1,pg_catalog"), { log = function(_, message)
      said[#said + 1] = message
    end })
    process.single(engine)
    engine:deploy { ["timer.bpmn"] = process.definitions([[<process id="timer" isExecutable="true">
      <startEvent id="s"><timerEventDefinition><timeDuration>PT2H</timeDuration></timerEventDefinition></startEvent>
      <sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/></process>]]) }
    engine:start_executor { threads = 1 }
    assert.equal(1, engine:count "jobs")
    server:query("UPDATE shift SET by = '3 hours'", { schema = name })
    local function has_said()
      for _, message in ipairs(said) do
        if message:find("seems to have jumped by 10[78]%d+ ms: no jobs are taken until it is certain") then return true end
      end
    end
    repeat engine:poll(0) until has_said() -- which hears what the log of other threads has to say
    repeat until engine:count "jobs" == 0 -- due by now, by that clock
    assert.is_true(engine:now() > os.time() + 2 * 3600)
  end)
end)
