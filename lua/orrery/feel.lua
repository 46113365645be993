--- What compiled FEEL calls: the language's values, operators and built-in functions
-- (runtime/decision/feel/unit.h says what compiles to what).
local f = {}

require "orrery.feel.value"(f)
require "orrery.feel.number"(f)
require "orrery.feel.temporal"(f)
require "orrery.feel.text"(f)
require "orrery.feel.operators"(f)
require "orrery.feel.path"(f)
require "orrery.feel.types"(f)
require "orrery.feel.call"(f)
require "orrery.feel.convert"(f)
require "orrery.feel.functions"(f)

return f
