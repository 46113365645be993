--- Two groups, one after the other: accountancy writes the report, management checks it.
return {
  options = { clock = "manual" },
  setup = function(engine)
    local groups = { fozzie = { "accountancy" }, kermit = { "management" } }
    engine:set_groups(function(user) return groups[user] or {} end)
  end,
  step = function(engine, _, say)
    for _, user in ipairs { "fozzie", "kermit" } do
      local task = engine:task { candidate_user = user }
      if task then
        say("%s claims and completes '%s'", user, task.name)
        task:claim(user)
        task:complete()
        return true
      end
    end
    return false
  end,
}
