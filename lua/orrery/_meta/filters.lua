---@meta orrery.filters
-- What lists take beside the fields of their records; see orrery.lua beside this file.
error "this file is for editors"

-- # Filters

--- Every list takes equality on any field of its record and, behind a field's name: `_in = { … }`, `_like = "%x%"` (SQL's patterns),
--- `_before` and `_after` for times (`started_before` for `started_at_before`), `_gt`, `_ge`, `_lt`, `_le` for numbers. An `_id` at
--- the end may be left out: `instance` for `instance_id`; `key` is the definition's, where the record has none, `super` the calling
--- instance.
---@class orrery.Filter
---@field order_by? string|table a field, or `{ { "field", "desc" }, … }`; default: in the order of creation
---@field limit? integer
---@field offset? integer
---@field [string] any

---@class orrery.InstanceFilter: orrery.Filter
---@field variables? table `{ x = 1, y = { gt = 5 } }`; conditions are `ne`, `gt`, `ge`, `lt`, `le`, `like`, `in`
---@field active? boolean not suspended
---@field root_only? boolean called by none
---@field called? orrery.Id the instance that called this one
---@field activity? string a token stands there
---@field incident? true|string has an open incident; a text: whose message is like that

---@class orrery.ExecutionFilter: orrery.Filter
---@field active? boolean
---@field message? string|true waits for this message
---@field signal? string|true waits for this signal
---@field variables? table as of instances

---@class orrery.TaskFilter: orrery.Filter
---@field unassigned? boolean
---@field candidate_user? string whom, or whose groups, it is offered to; assigned ones are left out
---@field candidate_group? string
---@field candidate_groups? string[]
---@field include_assigned? boolean with the three above
---@field involved_user? string tied to it by any link
---@field business_key? string of its instance
---@field business_key_like? string
---@field variables? table as of instances
---@field active? boolean

---@class orrery.JobFilter: orrery.Filter
---@field active? boolean
---@field executable? boolean due, with tries left, and not suspended
---@field with_error? boolean it failed
---@field no_retries? boolean
---@field locked? boolean

---@class orrery.JobDefinitionFilter: orrery.Filter
---@field active? boolean

---@class orrery.ExternalTaskFilter: orrery.Filter
---@field active? boolean
---@field locked? boolean
---@field no_retries? boolean

---@class orrery.DefinitionFilter: orrery.Filter
---@field latest? boolean the newest version of each
---@field active? boolean
---@field message? string a message start event of it waits for this
---@field startable_by? string a user who may start it

---@class orrery.HistoryInstanceFilter: orrery.Filter
---@field finished? boolean
---@field variables? table as of instances

---@class orrery.HistoryTaskFilter: orrery.Filter
---@field variables? table as of instances
