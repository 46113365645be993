-- Comments and attachments of tasks and instances.
local L = require "server.lines"

local no_task, no_instance = "No task found for task id %s", "No process instance found for id %s"
local message = { { "id", "id" }, { "message", "text" } }
local operations = {
  { "POST", "/task/{id}/comment/create", "comment_create", "Adds a comment.", role = "operate", returns = "CommentDto",
    people = "task",
    body = { { "message", "text" }, { "processInstanceId", "id" } }, ignored = L.comment_facts,
    missing_status = 400, missing = "No matching task with id %s" },
  { "GET", "/task/{id}/comment/{commentId}", "comment_get", "One comment.", returns = "CommentDto",
    people = "task", missing = no_task },
  { "GET", "/task/{id}/attachment", "attachment_list", "Lists its attachments.", returns = "[AttachmentDto]",
    people = "task", missing = no_task },
  { "POST", "/task/{id}/attachment/create", "attachment_create", "Attaches a document: part content, or url.", role = "operate",
    people = "task", multipart = true, returns = "AttachmentDto", missing_status = 400, missing = "No matching task with id %s" },
  { "GET", "/task/{id}/attachment/{attachmentId}", "attachment_get", "One attachment, without its content.", returns = "AttachmentDto",
    people = "task", missing = no_task },
  { "GET", "/task/{id}/attachment/{attachmentId}/data", "attachment_data", "Its content.", returns = "bytes",
    people = "task", missing = no_task },
  { "DELETE", "/task/{id}/attachment/{attachmentId}", "attachment_delete", "Takes it away.", role = "operate", missing = no_task },
}
for path, missing in pairs { ["/task"] = no_task, ["/process-instance"] = no_instance } do
  for _, op in ipairs {
    { "GET", path .. "/{id}/comment", "comment_list", "Lists its comments, the newest first.", returns = "[CommentDto]",
      people = path == "/task" and "task" or nil },
    { "PUT", path .. "/{id}/comment", "comment_update", "Changes what a comment says.", role = "operate", body = message,
      ignored = L.comment_facts },
    { "DELETE", path .. "/{id}/comment", "comment_delete_all", "Takes all of its comments away.", role = "operate" },
    { "DELETE", path .. "/{id}/comment/{commentId}", "comment_delete", "Takes a comment away.", role = "operate" },
  } do
    op.missing = missing
    operations[#operations + 1] = op
  end
end

return {
  dtos = {
    CommentDto = {
      { "id", "id", "id" }, { "userId", "text", "user" },
      { "taskId", "computed", "dto_task_of", type = "id" },
      { "processInstanceId", "id", "instance_id" },
      { "time", "time", "time" }, { "message", "text", "message" }, { "removalTime", "null" }, { "rootProcessInstanceId", "null" },
      { "links", "empty" },
    },
    AttachmentDto = {
      { "id", "id", "id" }, { "name", "text", "name" }, { "description", "text", "description" },
      { "taskId", "computed", "dto_task_of", type = "id" },
      { "type", "text", "type" }, { "url", "text", "url" }, { "createTime", "time", "time" }, { "removalTime", "null" },
      { "rootProcessInstanceId", "null" }, { "links", "empty" },
    },
  },
  queries = {},
  operations = operations,
}
