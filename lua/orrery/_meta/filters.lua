---@meta orrery.filters
-- What lists take beside the fields of their records; see orrery.lua beside this file.
error "this file is for editors"

-- # Filters

--- Every list takes equality on any field of its record (`orrery.null`: not set) and, behind a field's name: `_ne`, `_in = { … }`,
--- `_not_in`, `_like = "%x%"` (SQL's patterns), `_not_like`; without regard to case `_ieq`, `_ine`, `_ilike`, `_not_ilike`; `_before`
--- and `_after` for times (`started_before` for `started_at_before`), `_gt`, `_ge`, `_lt`, `_le`. An `_id` at the end may be left
--- out: `instance` for `instance_id`; `key` is the definition's, where the record has none, `super` the calling instance. All
--- conditions must hold. `docs/lists.md` says more, and what a list costs.
---@class orrery.Filter
---@field any? table[] filters: at least one of them fits
---@field all? table[] each fits
---@field none? table[] not one fits
---@field order_by? string|table a field, or `{ { "field", "desc" }, … }`; default: in the order of creation
---@field limit? integer
---@field offset? integer
---@field with_fields? string[] fields that are filtered by and not shown: each record has them, too
---@field [string] any

--- Of records with variables. They are also ordered by `"variables.NAME"`, `"process_variables.NAME"`, `"local_variables.NAME"`.
---@class orrery.VariablesFilter: orrery.Filter
---@field variables? table as seen from the record: `{ x = 1, y = { gt = 5 } }`; the operators are those of fields
---@field process_variables? table those of the instance
---@field local_variables? table those of the record's own scope
---@field variable_names_ignore_case? boolean a name means each that is the same but for case
---@field variable_values_ignore_case? boolean texts are compared without regard to case
---@field with_variables? true|string[] each record has them (of these names) in `fetched_variables`
---@field with_local_variables? true|string[] those of its own scope, in `fetched_local_variables`

---@class orrery.InstanceFilter: orrery.VariablesFilter
---@field active? boolean not suspended
---@field root_only? boolean called by none
---@field leaf_only? boolean calls none
---@field called? orrery.Id the instance that called this one
---@field activity? string a token stands there
---@field activity_in? string[] a token stands at one of these
---@field involved_user? string who started it, or takes or took part in a task of it
---@field incident? boolean|string has an open incident; a text: whose message is like that
---@field incident_id? orrery.Id it has this incident
---@field incident_type? string "failed_job", "failed_external_task", …
---@field incident_message? string
---@field incident_message_like? string
---@field definition_name? string
---@field deployment_id? orrery.Id

---@class orrery.ExecutionFilter: orrery.VariablesFilter
---@field active? boolean
---@field message? string|boolean waits for this message
---@field signal? string|boolean waits for this signal
---@field incident_id? orrery.Id it has this incident
---@field incident_type? string "failed_job", "failed_external_task", …
---@field incident_message? string
---@field incident_message_like? string

---@class orrery.TaskFilter: orrery.VariablesFilter
---@field active? boolean
---@field assigned? boolean
---@field unassigned? boolean
---@field candidate_user? string whom, or whose groups, it is offered to; assigned ones are left out
---@field candidate_group? string
---@field candidate_groups? string[]
---@field candidate_group_like? string
---@field include_assigned? boolean with the four above
---@field with_candidate_groups? boolean it has any
---@field with_candidate_users? boolean it has any
---@field involved_user? string tied to it by any link
---@field business_key? string of its instance
---@field definition_name? string
---@field root_id? orrery.Id
---@field commented? boolean somebody has said something about it
---@field attached? boolean it has an attachment

---@class orrery.JobFilter: orrery.Filter
---@field active? boolean
---@field executable? boolean due, with tries left, and not suspended
---@field with_error? boolean it failed
---@field no_retries? boolean
---@field locked? boolean
---@field business_key? string of its instance

---@class orrery.JobDefinitionFilter: orrery.Filter
---@field active? boolean

---@class orrery.ExternalTaskFilter: orrery.VariablesFilter
---@field active? boolean
---@field locked? boolean
---@field no_retries? boolean
---@field definition_name? string
---@field root_id? orrery.Id

---@class orrery.DefinitionFilter: orrery.Filter
---@field latest? boolean the newest version of each
---@field active? boolean
---@field message? string a message start event of it waits for this
---@field startable_by? string a user who may start it
---@field startable_by_groups? string[] its model names one of these groups as who may start it
---@field deployed_at? orrery.Moment
---@field incident_id? orrery.Id it has this incident
---@field incident_type? string "failed_job", "failed_external_task", …
---@field incident_message? string
---@field incident_message_like? string

---@class orrery.IncidentFilter: orrery.Filter
---@field business_key? string of its instance
---@field job_definition_id? orrery.Id
---@field about? string its `configuration`, else the id of its job or external task

---@class orrery.VariableFilter: orrery.Filter
---@field business_key? string of its instance
---@field definition_id? orrery.Id
---@field definition_key? string
---@field root_id? orrery.Id

---@class orrery.HistoryInstanceFilter: orrery.VariablesFilter
---@field finished? boolean
---@field root_only? boolean called by none
---@field called? orrery.Id the instance that called this one
---@field involved_user? string who started it, or takes or took part in a task of it
---@field activity_in? string[] a token stands at one of these now
---@field executed_activity_in? string[] one of these has ended in it
---@field active_activity_in? string[] one of these has begun in it, and not ended
---@field executed_activity_before? orrery.Moment an activity ended in it by then
---@field executed_activity_after? orrery.Moment an activity ended in it since
---@field executed_job_before? orrery.Moment a job of it ran by then
---@field executed_job_after? orrery.Moment a job of it ran since
---@field jobs_retrying? boolean a job of it has failed and will be tried again
---@field with_incidents? boolean it has, or had, an incident
---@field with_root_incidents? boolean one that no called instance caused
---@field incident_id_in? orrery.Id[]
---@field incident_status? "open"|"resolved"|"deleted"
---@field incident_id? orrery.Id it has this incident
---@field incident_type? string "failed_job", "failed_external_task", …
---@field incident_message? string
---@field incident_message_like? string
---@field definition_name? string

---@class orrery.HistoryActivityFilter: orrery.Filter
---@field finished? boolean

---@class orrery.HistoryTaskFilter: orrery.VariablesFilter
---@field finished? boolean
---@field assigned? boolean
---@field unassigned? boolean
---@field process_finished? boolean its instance has ended
---@field involved_user? string assignee or owner at last, or tied to it by any link, now or before (`history = "full"`)
---@field involved_group? string tied to it by any link, now or before
---@field had_candidate_user? string was a candidate
---@field had_candidate_group? string
---@field with_candidate_groups? boolean it has, or had, any
---@field business_key? string of its instance
---@field definition_name? string
---@field root_id? orrery.Id

---@class orrery.HistoryVariableFilter: orrery.Filter
---@field definition_id? orrery.Id
---@field definition_key? string

---@class orrery.DecisionFilter: orrery.Filter
---@field latest? boolean the newest version of each
---@field latest_model? boolean of the newest deployment of its model
---@field first_of_model? boolean one for each deployed model: its first decision
---@field model? orrery.Id the first decision of its model
---@field model_version? integer counted among those that there are
---@field deployed_at? orrery.Moment

---@class orrery.HistoryDecisionFilter: orrery.Filter
---@field root_only? boolean what was asked for, not what it required
---@field model? orrery.Id the first decision of its model
---@field model_id? string the id of its model

---@class orrery.HistoryIncidentFilter: orrery.Filter
---@field business_key? string of its instance
---@field job_definition_id? orrery.Id
---@field about? string its `configuration`, else the id of its job or external task

---@class orrery.HistoryJobFilter: orrery.Filter
---@field business_key? string of its instance
---@field deployment_id? orrery.Id
---@field job_definition_id? orrery.Id
