--- JavaBean spellings, as models from Camunda and Flowable call them: execution.processInstanceId, task.getAssignee(), setVariable(...).
local bean = {}

--- What the vendors call by a name of their own; the value is a field's or method's name here.
local common = {
  processInstanceId = "instance_id", processDefinitionId = "definition_id", processDefinitionKey = "definition_key",
  processBusinessKey = "business_key", processInstanceBusinessKey = "business_key", businessKey = "business_key",
  rootProcessInstanceId = "root_id", tenantId = "tenant", eventName = "event_name", event = "event_name", deleteReason = "delete_reason",
}

local methods = {
  getVariable = "get", setVariable = "set", hasVariable = "has", removeVariable = "remove",
  getVariableLocal = "get_local", setVariableLocal = "set_local", removeVariableLocal = "remove_local", hasVariableLocal = "has_local",
  getVariableTyped = "get_typed", getVariableLocalTyped = "get_local_typed",
  getVariables = "variables", getVariablesLocal = "local_variables",
  setTransientVariable = "set_transient", setTransientVariableLocal = "set_transient_local",
}

bean.execution = {
  currentActivityId = "activity_id", currentActivityName = "activity_name", activityInstanceId = "id",
  currentTransitionId = "sequence_flow_id",
  superExecution = "parent", processEngine = "engine", processEngineServices = "engine", superExecutionId = "parent_id",
  multiInstanceRoot = "multi_instance_root", isMultiInstanceRoot = "multi_instance_root", isCanceled = "canceled",
}

bean.task = {
  taskDefinitionKey = "key", dueDate = "due", followUpDate = "follow_up", createTime = "created", formKey = "form_key",
  delegationState = "delegation",
}

--- For each class, what one of its methods does beyond calling another.
local function set_all(self, variables)
  for name, value in pairs(variables) do self:set(name, value) end
end

local function set_all_local(self, variables)
  for name, value in pairs(variables) do self:set_local(name, value) end
end

local function link(kind, who)
  return function(self, id) self:add_link(kind, { [who] = id }) end
end

local function links(kind, who)
  return function(self, ids)
    for _, id in ipairs(ids) do self:add_link(kind, { [who] = id }) end
  end
end

local extra = {
  setVariables = set_all, setVariablesLocal = set_all_local,
  addCandidateUser = link("candidate", "user"), addCandidateGroup = link("candidate", "group"),
  addCandidateUsers = links("candidate", "user"), addCandidateGroups = links("candidate", "group"),
  setAssignee = function(self, user) self:assign(user) end,
  setOwner = function(self, user) self:update { owner = user } end,
  setName = function(self, name) self:update { name = name } end,
  setDescription = function(self, text) self:update { description = text } end,
  setPriority = function(self, priority) self:update { priority = priority } end,
  setDueDate = function(self, due) self:update { due = due } end,
  setFollowUpDate = function(self, time) self:update { follow_up = time } end,
  setCategory = function(self, category) self:update { category = category } end,
}

local function snake(name)
  return (name:gsub("(%l)(%u)", "%1_%2"):lower())
end

local function field_of(aliases, name)
  return aliases[name] or common[name] or (name:find "%u" and snake(name)) or nil
end

--- The method of one object, called with a colon or, as models write it, with a dot: execution.setVariable("x", 1).
local function bound(method, object)
  return function(...)
    if rawequal((...), object) then return method(...) end
    return method(object, ...)
  end
end

--- A resolver (object, key) -> value for what a class's own __index did not find. Methods are made once and kept.
function bean.resolver(aliases)
  local kept = {}
  return function(object, key)
    if type(key) ~= "string" then return nil end
    local method = kept[key] or extra[key]
    if method then return bound(method, object) end
    if methods[key] then
      local name = methods[key]
      method = function(self, ...) return self[name](self, ...) end
    else
      local verb, property = key:match "^([a-z]-)(%u.*)$"
      local field = verb == "get" and field_of(aliases, property:sub(1, 1):lower() .. property:sub(2))
      if verb == "get" and not field then field = property:lower() end
      if verb == "is" then field = aliases[key] or snake(property) end
      if field then
        method = function(self) return self[field] end
      else
        field = field_of(aliases, key)
        return field and field ~= key and object[field] or nil
      end
    end
    kept[key] = method
    return bound(method, object)
  end
end

return bean
