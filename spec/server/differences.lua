-- Fields in which an answer differs from Camunda's published contract, each with its reason. true: it may be absent, or is beside it.
local published = "the published contract has it for one of two answers of the same path"
local all = {}
for field, why in pairs {
  ["HistoricDetailDto.fieldId"] = published .. ": fields of forms are not recorded apart from variables",
  ["HistoricDetailDto.fieldValue"] = published .. ": fields of forms are not recorded apart from variables",
  ["TaskWithAttachmentAndCommentDto.attachment"] = "comments and attachments are not served: withCommentAttachmentInfo answers 400",
  ["TaskWithAttachmentAndCommentDto.comment"] = "comments and attachments are not served: withCommentAttachmentInfo answers 400",
  ["TaskWithAttachmentAndCommentDto.variables"] = published .. "; variables of tasks within a list answer 400",
  ["ProcessInstanceWithVariablesDto.variables"] = "written when withVariablesInReturn asks for it, as Camunda does",
  ["MessageCorrelationResultWithVariableDto.variables"] = "written when variablesInResultEnabled asks for it, as Camunda does",
  ["ActivityInstanceIncidentDto.activityId"] = "an incident of an instance as a whole has no activity",
} do
  local shape, name = field:match "^(.-)%.(.+)$"
  all[shape] = all[shape] or {}
  all[shape][name] = why
end
return all
