-- What is done, counted: a number that is the same on every machine, in the builds that count (spec/counted/).
local count = require("orrery_inside").work.count

local work = {}

--- How much fn() does; nil in a build that does not count.
function work.done_by(fn)
  local before = count()
  fn()
  return before and count() - before
end

--- Holds how much is done with the size against how much is done with a part; both are what done(size)
--- returns. A build that does not count does only the part.
function work.assert_grows_with_size(done, part, size, dearer_max)
  local least = done(part)
  if not least then return end
  assert(least > 0, "nothing was counted")
  local most = done(size)
  if most > dearer_max * least then error(("%d, %.1f times %d"):format(most, most / least, least), 2) end
end

return work
