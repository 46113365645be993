-- What an engine remembers of job definitions is never longer believed than it is true, whoever changes it.
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

local MODEL = support.model([[<startEvent id="s"/><serviceTask id="t" o:class="work" o:asyncBefore="true"/>]], "s -> t")

describe("a new job", function()
  local path, engine, definition

  before_each(function()
    path = folder.make()
    engine = orrery.open(path, { log = "none" })
    engine:deploy { ["p.bpmn"] = MODEL }
    engine:start "p"
    definition = engine:job_definition { activity_id = "t" }
  end)

  after_each(function()
    engine:close()
    folder.remove(path)
  end)

  --- `code` runs in another process, with the job definition as `definition`.
  local function elsewhere(code) support.elsewhere(path, 'local definition = engine:job_definition { activity_id = "t" }\n' .. code) end

  --- Whether new jobs are suspended, and their priority: of two, for the second may go by what the first has read.
  local function made()
    local jobs = {}
    for i = 1, 2 do jobs[i] = engine:job { instance_id = engine:start "p".id } end
    assert.same({ definition.id, definition.id }, { jobs[1].job_definition_id, jobs[2].job_definition_id })
    assert.equal(jobs[1].suspended, jobs[2].suspended)
    assert.equal(jobs[1].priority, jobs[2].priority)
    return { jobs[2].suspended, jobs[2].priority }
  end

  it("goes by its job definition as it is now, in the same transaction, too", function()
    assert.same({ false, 0 }, made())
    definition:suspend {}
    assert.same({ true, 0 }, made())
    definition:set_priority(7)
    assert.same({ true, 7 }, made())
    engine:transaction(function()
      definition:activate {}
      assert.same({ false, 7 }, made())
      definition:set_priority(8)
      assert.same({ false, 8 }, made())
    end)
    assert.same({ false, 8 }, made())
    pcall(engine.transaction, engine, function()
      definition:suspend {}
      assert.same({ true, 8 }, made())
      error "not after all"
    end)
    assert.same({ false, 8 }, made())
  end)

  it("goes by it as another process has changed it", function()
    assert.same({ false, 0 }, made())
    elsewhere "definition:suspend {}"
    assert.same({ true, 0 }, made())
    elsewhere "definition:activate {} definition:set_priority(9)"
    assert.same({ false, 9 }, made())
  end)

  it("is not committed by what an older view showed, nor is that remembered", function()
    assert.same({ false, 0 }, made())
    local committed, why = pcall(engine.transaction, engine, function()
      engine:job_definition(definition.id)
      elsewhere "definition:suspend {}"
      made() -- as this transaction has read it
    end)
    assert.is_false(committed)
    assert.equal("conflict", why.kind)
    assert.same({ true, 0 }, made())
  end)
end)
