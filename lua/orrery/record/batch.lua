--- A batch: one thing done to many, by jobs.
local errors = require "orrery.errors"
local records = require "orrery.record"

local Batch = records.class "batches"

function Batch:suspend() self.engine.core:batch_suspend(self.id) end
function Batch:activate() self.engine.core:batch_activate(self.id) end
function Batch:cancel() self.engine.core:batch_cancel(self.id) end

--- With `cascade` one that runs ends first.
function Batch:delete(options)
  self.engine.core:delete_batch(self.id, errors.check_options("delete", 1, options, { "cascade" }).cascade)
end

--- Gives those of its jobs that have no tries left new ones.
function Batch:retry(retries)
  errors.check_type("retry", 1, retries, "number", "nil")
  self.engine:transaction(function()
    for _, job in ipairs(self.engine:jobs { batch_id = self.id, no_retries = true }) do job:set_retries(retries or 1) end
  end)
end

return Batch
