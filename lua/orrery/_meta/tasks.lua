---@meta orrery.tasks
-- The engine's methods about work for people and for other programs.
error "this file is for editors"

-- # Tasks

---@class orrery.Engine
local Engine = {}

--- Creates a task without a process, or a subtask, which ends with its parent. It has variables of its own and no listeners.
---@param fields? orrery.NewTask
---@return orrery.Task
---@core orr_engine_task_create
function Engine:create_task(fields) end

---@class orrery.NewTask
---@field name? string
---@field description? string
---@field assignee? string
---@field owner? string
---@field priority? integer 50
---@field due? orrery.Time
---@field follow_up? orrery.Time
---@field category? string
---@field delegation? "pending"|"resolved"
---@field parent_id? orrery.Id the task that it is a part of
---@field tenant? string the parent's
---@field own_id? string lists find it by that, too; refused when a task has it already

--- Comments on a task or an instance, which may have ended. Those there are: `engine:comments { task = id }`, `{ instance = id }`.
---@param to orrery.Id
---@param message string at most 64 KiB
---@return orrery.Comment
---@core orr_engine_comment_add
function Engine:add_comment(to, message) end

--- Changes what a comment says.
---@param comment orrery.Id
---@param message string
---@core orr_engine_comment_update
function Engine:update_comment(comment, message) end

--- Takes a comment away.
---@param comment orrery.Id
---@core orr_engine_comment_delete
function Engine:delete_comment(comment) end

--- Attaches a document to a task or an instance: its content, or where it is. Those there are: `engine:attachments { task = id }`.
---@param to orrery.Id
---@param attachment orrery.NewAttachment
---@return orrery.Attachment
---@core orr_engine_attachment_add
function Engine:add_attachment(to, attachment) end

---@class orrery.NewAttachment
---@field name? string
---@field type? string such as a media type
---@field description? string
---@field content? string any bytes
---@field url? string instead of a content

--- What is in an attachment; nil when it has a url instead.
---@param attachment orrery.Id
---@return string?
---@core orr_engine_attachment_content
function Engine:attachment_content(attachment) end

--- Takes an attachment and its content away.
---@param attachment orrery.Id
---@core orr_engine_attachment_delete
function Engine:delete_attachment(attachment) end

-- # External tasks

--- Locks tasks for a worker and gives them, with variables.
---@param request orrery.FetchRequest
---@return orrery.ExternalTask[]
function Engine:fetch_and_lock(request) end

---@class orrery.FetchRequest
---@field worker string
---@field max integer at most so many tasks
---@field use_priority? boolean the higher ones first
---@field order_by? string|table `"created"`, or `{ { "created", "desc" } }`
---@field topics orrery.FetchTopic[]

---@class orrery.FetchTopic
---@field name string
---@field lock orrery.Duration
---@field variables? string[] which ones to fetch; default: all
---@field local_variables? boolean only those of the task's own scope
---@field extension_properties? boolean
---@field business_key? string
---@field definition_id? orrery.Id
---@field definition_key? string
---@field version_tag? string
---@field match? orrery.Variables
---@field tenant? string

--- The distinct topics, sorted.
---@param filter? table as of `engine:external_tasks`
---@return string[]
function Engine:external_topics(filter) end

--- Unlocks every task of a worker, of a topic, or of both.
---@param options { worker?: string, topic?: string }
function Engine:unlock_external_tasks(options) end
