--- kermit does nothing for five minutes, and the case goes to management.
return {
  options = { clock = "manual" },
  step = function(engine, _, say)
    if engine:task { key = "firstLineSupport" } then
      say "five minutes go by"
      engine:advance "PT5M"
      return true
    end
    local escalated = engine:task { candidate_group = "management" }
    if not escalated then return false end
    say("management: %s", escalated.name)
    escalated:complete()
    return true
  end,
}
