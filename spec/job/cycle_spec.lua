-- Repeating timers: the next job of a cycle.
local support = require "spec.support.process"

describe("A cycle whose firing failed", function()
  it("fires next when it should, however long its own retry waits", function()
    local engine <close> = support.engine()
    support.failing(engine)
    support.deploy(engine, ([[<startEvent id="s"/><userTask id="task"/>
      <boundaryEvent id="every" attachedToRef="task" cancelActivity="false">%s
      <timerEventDefinition><timeCycle>R3/PT1M</timeCycle></timerEventDefinition></boundaryEvent>
      <serviceTask id="fails" camunda:class="work"/>]]):format(support.cycle "R2/PT10M"), "s -> task every -> fails")
    local begin = engine:now()
    engine:start "p"
    engine:advance(61)
    engine:run_jobs()
    local waits = {}
    for i, job in ipairs(engine:jobs { order_by = "due" }) do waits[i] = job.due - begin end
    assert.same({ 120, 661 }, waits)
  end)
end)

describe("A cycle that is evaluated again when it is due", function()
  local engine, current, begin

  before_each(function()
    engine = support.engine { reevaluate_time_cycle_when_due = true }
    begin = engine:now()
    engine:register("plan", { cycle = function() return current end })
    current = "R2/PT1H"
    support.deploy(engine, [[<startEvent id="s">
        <timerEventDefinition><timeCycle>${plan.cycle()}</timeCycle></timerEventDefinition></startEvent>
      <userTask id="u"/>]], "s -> u")
  end)
  after_each(function() engine:close() end)

  --- Fires what there is, with another cycle after the first firings; the hours at which it fired.
  local function firings(first, changed)
    local hours = {}
    for i = 1, 9 do
      local job = engine:job {}
      if not job then break end
      hours[i] = (job.due - begin) / 3600
      if i > first then current = changed end
      engine:set_time(job.due)
      engine:run_jobs()
    end
    return hours
  end

  it("goes on counting where it gives the same", function() assert.same({ 1, 2 }, firings(0, "R2/PT1H")) end)
  it("begins another with a firing", function() assert.same({ 1, 3, 5 }, firings(0, "R2/PT2H")) end)
  it("begins another with the last firing, too", function() assert.same({ 1, 2, 4, 6 }, firings(1, "R2/PT2H")) end)
  it("takes a cron expression for an interval", function() assert.equal(4, firings(0, "0 0 0/2 * * ?")[3]) end)
  it("keeps what it has where the new one cannot be read", function() assert.same({ 1, 2 }, firings(0, "R2 PT2H")) end)
end)
