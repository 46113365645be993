--- Functions of dates.
local C = require "orrery.feel.calendar"

return function(f, define)
  local T = f.temporal
  local days = { "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday" }
  local months = { "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December" }

  define("day of year", "date: temporal", function(date) return T.day_of(date) - C.days(date.year, 1, 1) + 1 end)
  define("day of week", "date: temporal", function(date) return days[C.weekday(T.day_of(date))] end)
  define("month of year", "date: temporal", function(date) return months[date.month] end)

  --- ISO 8601: the week of its Thursday's year.
  define("week of year", "date: temporal", function(date)
    local day = T.day_of(date)
    local thursday = day - C.weekday(day) + 4
    return (thursday - C.days((C.date(thursday)), 1, 1)) // 7 + 1
  end)
end
