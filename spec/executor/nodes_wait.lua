-- A delegate that is at it until its process ends.
return function() while true do require("orrery").sleep(3600) end end
