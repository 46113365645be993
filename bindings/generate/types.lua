-- How C types of orrery.h cross into Lua, and what does not cross.
--   read   C expression for the argument at stack index %d (%s: "true" when it is optional)
--   lua    its LuaCATS type
--   option how a member of an option struct is read (orrl_option_type)
return {
  parameters = {
    ["const char *"] = { c = "const char *", read = "orrl_text(&c, %d, %s)", lua = "string", option = "TEXT" },
    ["orr_id"] = { c = "orr_id ", read = "orrl_id(&c, %d, %s)", lua = "orrery.core.Id", option = "ID" },
    ["int64_t"] = { c = "int64_t ", read = "orrl_integer(&c, %d, %s)", lua = "integer", option = "INTEGER" },
    ["uint32_t"] = { lua = "integer", option = "UINT32" },
    ["double"] = { c = "double ", read = "orrl_number(&c, %d, %s)", lua = "number", option = "NUMBER" },
    -- A flag that is not given is off, as in option tables.
    ["bool"] = { c = "bool ", read = "orrl_boolean(&c, %d, true)", lua = "boolean", option = "BOOLEAN", optional = true },
    -- Enumerations with two words stand for booleans.
    ["orr_cascade"] = { c = "orr_cascade ", read = "orrl_cascade(&c, %d)", lua = 'boolean|"quietly"', optional = true },
    ["orr_reach"] = { c = "orr_reach ", read = "orrl_boolean(&c, %d, true) ? ORR_LOCAL : ORR_VISIBLE", lua = "boolean", optional = true },
    ["orr_due_basis"] = { c = "orr_due_basis ", read = "orrl_boolean(&c, %d, true) ? ORR_FROM_CREATION : ORR_FROM_NOW", lua = "boolean",
      optional = true },
    ["orr_cron_rules"] = { c = "orr_cron_rules ", read = "orrl_boolean(&c, %d, true) ? ORR_CRON_CAMUNDA : ORR_CRON_QUARTZ",
      lua = "boolean", optional = true },
    ["orr_time"] = { c = "orr_time ", read = "orrl_time(&c, %d, %s)", lua = "orrery.Time", option = "TIME" },
    ["orr_duration"] = { c = "orr_duration ", read = "orrl_duration(&c, %d, %s)", lua = "orrery.Duration", option = "DURATION" },
    ["orr_switch"] = { lua = "boolean", option = "SWITCH" },
    ["const orr_value *"] = { c = "const orr_value *", read = "orrl_value(&c, %d, %s, NULL)", lua = "orrery.Value", option = "VALUE" },
  },

  -- Enumerations as texts, in the order of their numbers; the first stands for 'not given'.
  enums = {
    orr_history_level = { "default", "none", "activity", "audit", "full" },
    orr_dialect = { "auto", "camunda", "flowable", "orrery" },
  },

  -- What members of option structs are called in Lua, where that is not their name in C.
  member_names = {
    orr_batch_options = { job_size = "size", job_priority = "value", definition = "definition_id" },
  },

  -- Results through pointers.
  results = {
    ["orr_records **"] = { declare = "orr_records *%s = NULL;", pass = "&%s", push = "orrl_push_records(&c, %s);", lua = "table[]" },
    ["orr_builder *"] = { declare = "orr_builder *%s = orrl_builder(&c);", pass = "%s", push = "orrl_push_built(&c, %s);",
      lua = "orrery.Value" },
    ["int64_t *"] = { declare = "int64_t %s = 0;", pass = "&%s", push = "lua_pushinteger(L, %s);", lua = "integer" },
    ["bool *"] = { declare = "bool %s = false;", pass = "&%s", push = "lua_pushboolean(L, %s);", lua = "boolean" },
    ["orr_time *"] = { declare = "orr_time %s = 0;", pass = "&%s", push = "lua_pushnumber(L, (lua_Number)%s / 1000);", lua = "number" },
    ["orr_duration *"] = { declare = "orr_duration %s = 0;", pass = "&%s", push = "lua_pushnumber(L, (lua_Number)%s / 1000);",
      lua = "number" },
    ["orr_executor **"] = { declare = "orr_executor *%s = NULL;", pass = "&%s", push = "orrl_box_new(L, &orrl_executor_class, %s, false);",
      lua = "orrery.core.Executor" },
    ["orr_feed **"] = { declare = "orr_feed *%s = NULL;", pass = "&%s", push = "orrl_box_new(L, &orrl_feed_class, %s, false);",
      lua = "orrery.core.Feed" },
  },

  -- Results by value.
  returns = {
    ["void"] = {},
    ["bool"] = { push = "lua_pushboolean(L, %s);", lua = "boolean" },
    ["int"] = { push = "lua_pushinteger(L, %s);", lua = "integer" },
    ["orr_time"] = { push = "lua_pushnumber(L, (lua_Number)%s / 1000);", lua = "number" },
    ["int64_t"] = { push = "lua_pushinteger(L, %s);", lua = "integer" },
    ["const char *"] = { push = "lua_pushstring(L, %s);", lua = "string" },
  },

  -- Members of option structs that only C programs set.
  c_members = { orr_log_fn = true, orr_progress_fn = true, orr_log_level = true, ["void *"] = true, orr_allocator = true,
    ["const orr_scripts *"] = true, ["const void *"] = true },

  -- Functions that only C programs call, with the reason.
  c_only = {
    { "^orr_strerror$", "errors arrive as tables" }, { "^orr_error_", "errors arrive as tables" },
    { "^orr_null$", "Lua values are converted" }, { "^orr_bool$", "Lua values are converted" }, { "^orr_int$", "Lua values are converted" },
    { "^orr_float$", "Lua values are converted" }, { "^orr_string$", "Lua values are converted" },
    { "^orr_bytes$", "Lua values are converted" },
    { "^orr_seconds$", "Lua has seconds" }, { "^orr_milliseconds$", "Lua has seconds" },
    { "^orr_iterate$", "Lua values are converted" }, { "^orr_next$", "Lua values are converted" },
    { "^orr_map_get$", "Lua values are converted" },
    { "^orr_count$", "Lua values are converted" }, { "^orr_value_type_name$", "orrery.typed's objects have it" },
    { "^orr_builder_", "Lua values are converted" },
    { "^orr_records_", "records arrive as tables" },
    { "^orr_config_init$", "a table without entries is the default" },
    { "^orr_engine_open$", "bindings/module.c opens engines, because it brings the script host" },
    { "^orr_engine_commit_defer$", "it is told on another thread" }, { "^orr_engine_commit_deferred$", "it is told on another thread" },
    { "^orr_engine_waits_watch$", "Lua waits for its commands" },
    { "^orr_engine_waits_end$", "it is for who serves others, as orrery serve does" },
    { "^orr_store_upgrade$", "bindings/progress.c tells a function of Lua how far it is" },
    { "^orr_engine_copy_to$", "bindings/progress.c tells a function of Lua how far it is" },
    { "^orr_engine_verify$", "bindings/progress.c tells a function of Lua how far it is" },
    { "^orr_engine_delegate_register$", "bindings/host/host_names.c registers Lua's delegates" },
    { "^orr_execution_", "bindings/host/host_execution.c is the execution that Lua sees" },
  },
}
