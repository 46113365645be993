--- Somebody looks into the failure and mends it within the four hours that the model allows.
return {
  options = { clock = "manual" },
  start = { variables = { affectedCustomer = "ACME", severity = "high" } },
  step = function(engine, _, say)
    local task = engine:tasks({ order_by = "created", limit = 1 })[1]
    if not task then return false end
    engine:advance "PT1H"
    say("an hour later: %s", task.name)
    task:complete()
    return true
  end,
}
