--- Reminds the managers: here a count of how often stands for the mail that a company would send.
return function(execution) execution:set("reminders", (execution:get "reminders" or 0) + 1) end
