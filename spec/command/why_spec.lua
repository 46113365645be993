-- job:why(): every reason, each brought about for real.
local support = require "spec.command.support"

describe("why a job does not run", function()
  local engine, job

  local function open(options)
    engine = support.engine(options)
    engine:register("work", function() error "out of order" end)
    support.async(engine)
    engine:start "p"
    job = engine:job {}
  end

  after_each(function() engine:close() end)

  local function is(reason, pattern)
    local why = job:why()
    assert.equal(reason, why.reason)
    if pattern then assert.truthy(why.text:find(pattern, 1, true), why.text) end
    assert.truthy(#why.cure > 0)
  end

  it("nobody runs jobs", function()
    open()
    is "no_executor"
  end)

  it("it is not due", function()
    open()
    job:set_due(engine:now() + 60)
    is("not_due", "2026-01-01T00:01:00Z")
  end)

  it("it, its instance or its job definition is suspended", function()
    open()
    job:suspend()
    is("suspended", "the job is suspended")
    engine:job_definition({}):suspend {}
    is("suspended", "job definition")
    engine:instance({}):suspend()
    is("suspended", "process instance")
  end)

  it("it has no retries left, and what failed last", function()
    open { retries = 1 }
    engine:run_jobs()
    is("no_retries", "out of order")
  end)

  it("its priority is outside the range", function()
    open { acquisition = { priority_min = 5 } }
    is("priority", "priority 0")
    job:set_priority(5)
    is "no_executor"
  end)

  it("its deployment is not registered here", function()
    open { acquisition = { deployment_aware = true } }
    engine:unregister_deployment(job.deployment_id)
    is "deployment"
    engine:register_deployment(job.deployment_id)
    is "no_executor"
  end)

  it("somebody has it, and with it its instance", function()
    open()
    local seen
    engine:register("work", function(execution) seen = execution.engine:job(job.id):why() end)
    engine:run_jobs()
    assert.equal("locked", seen.reason)
    assert.truthy(seen.text:find("until 2026-01-01T00:05:00Z", 1, true), seen.text)
  end)
end)

describe("registered deployments", function()
  local engine
  before_each(function() engine = support.engine() end)
  after_each(function() engine:close() end)

  it("are those deployed here, and may come and go", function()
    local first, second = support.user_task(engine), support.user_task(engine)
    assert.same({ first.id, second.id }, engine:registered_deployments())
    engine:unregister_deployment(first.id)
    engine:unregister_deployment(first.id)
    assert.same({ second.id }, engine:registered_deployments())
    engine:register_deployment(first.id)
    engine:register_deployment(first.id)
    assert.same({ first.id, second.id }, engine:registered_deployments())
  end)

  it("exist", function()
    support.refused("not_found", engine.register_deployment, engine, 4711)
    assert.same({}, engine:registered_deployments())
  end)
end)
