-- Fields in which an answer differs from Camunda's published contract, each with its reason. true: it may be absent, or is beside it.
local published = "the published contract has it for one of two answers of the same path"
local all = {}
for field, why in pairs {
  ["HistoricDetailDto.fieldId"] = published .. ": fields of forms are not recorded apart from variables",
  ["HistoricDetailDto.fieldValue"] = published .. ": fields of forms are not recorded apart from variables",
  ["TaskWithAttachmentAndCommentDto.attachment"] = "written when withCommentAttachmentInfo asks for it, as Camunda does",
  ["TaskWithAttachmentAndCommentDto.comment"] = "written when withCommentAttachmentInfo asks for it, as Camunda does",
  ["TaskWithAttachmentAndCommentDto.variables"] = "written when withTaskVariablesInReturn or its local sister asks for it",
  ["ProcessInstanceWithVariablesDto.variables"] = "written when withVariablesInReturn asks for it, as Camunda does",
  ["MessageCorrelationResultWithVariableDto.variables"] = "written when variablesInResultEnabled asks for it, as Camunda does",
  ["ActivityInstanceIncidentDto.activityId"] = "an incident of an instance as a whole has no activity",
} do
  local shape, name = field:match "^(.-)%.(.+)$"
  all[shape] = all[shape] or {}
  all[shape][name] = why
end
for _, row in ipairs { "ProcessInstance", "ActivityInstance", "TaskInstance", "VariableInstance",
  "Detail", "Incident", "JobLog", "ExternalTaskLog", "IdentityLinkLog", "DecisionInstance" } do
  local shape = "Historic" .. row .. "Dto"
  all[shape] = all[shape] or {}
  all[shape].orrery = "the engine's order, which the published contract does not tell"
end
all.UserOperationLogEntryDto = { orrery = all.HistoricDetailDto.orrery }
return all
