-- Recorded runs on which this engine differs by intent: by file and seed, what docs/bpmn.md says.
local ORPHAN <const> = "a BPMN error at one instance of a multi-instance task leaves a task "
  .. "that belongs to nothing"
local OWN <const> = "an event sub-process ends on an event that its own scope throws"
local ON_ENTRY <const> = "a sub-process that is interrupted on entry counts as canceled and goes on"
local HANDLER <const> = "a modification cannot start a compensation handler"
local BESIDE <const> = "an event sub-process catches what is thrown beside the sub-process "
  .. "it stands in"
local DEAF <const> = "event sub-processes stop listening while all tokens are on their way, "
  .. "at a join or in a multi-instance"
local NEVER <const> = "a sub-process beside a boundary event or behind a compensation never ends"
local AGAIN <const> = "an event sub-process that starts itself for ever ends by chance"
local WORKER <const> = "a completion that fails costs the worker's task a try, and the lock stays"

return {
  ["camunda-base"] = {},
  ["camunda-wide"] = {
    [60008] = ORPHAN, [60044] = ORPHAN, [60050] = ORPHAN, [60078] = ORPHAN, [60120] = ORPHAN,
    [60136] = ORPHAN, [60016] = OWN, [60204] = ON_ENTRY, [60314] = HANDLER,
  },
  ["flowable-base"] = {
    [50002] = BESIDE, [50038] = BESIDE, [50008] = DEAF, [50428] = NEVER, [50040] = AGAIN,
  },
  ["flowable-wide"] = {
    [60016] = WORKER, [60184] = WORKER, [60204] = DEAF, [60280] = NEVER,
  },
}
