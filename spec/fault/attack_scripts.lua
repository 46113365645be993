--- Scripts that would go on for ever, or take all memory, by name, and the processes that run them.
local M = {}

local loop = "while true do end"
M.endless = {
  ["a loop"] = loop,
  ["a loop that catches what stops it"] = "local function f() while true do end end while true do pcall(f) end",
  ["loops in loops that catch"] = "local function f(n) while true do pcall(n > 0 and f or error, n - 1) end end f(20)",
  ["a handler of xpcall"] = "local function f() while true do end end xpcall(f, f)",
  ["a jump"] = "::again:: goto again",
  ["tail calls"] = "local function f() return f() end f()",
  ["a metamethod"] = "local t = setmetatable({}, { __index = function() while true do end end }) return t.a",
  ["an iterator"] = "for _ in function() return 1 end do end",
  ["loaded text"] = 'load "while true do end"()',
  ["a sort whose order never ends"] = "table.sort({ 3, 2, 1 }, function() while true do end end)",
  ["an error that is shown for ever"] = "error(setmetatable({}, { __tostring = function() while true do end end }))",
  ["an error that is shown for ever, in a message"] = "error { message = nil, x = setmetatable({}, { __tostring = error }) } " .. loop,
  ["something that closes for ever"] = "local x <close> = setmetatable({}, { __close = function() while true do end end })",
  ["something that closes for ever after an error"] =
    'local x <close> = setmetatable({}, { __close = function() while true do end end }) error "gone"',
  ["something that closes for ever after its budget"] =
    "local x <close> = setmetatable({}, { __close = function() while true do end end }) while true do end",
  ["many things that close for ever"] = [[
    local function deep(n)
      local x <close> = setmetatable({}, { __close = function() while true do end end })
      return n > 0 and deep(n - 1) or error "gone"
    end
    deep(50)]],
  ["a pattern that backtracks"] = '("a"):rep(2000):find ".-.-.-.-b"',
  ["a pattern of choices"] = '("a"):rep(28):find(("a?"):rep(28) .. ("a"):rep(28))',
  ["patterns by every function"] = [[
    local s, p = ("a"):rep(3000), ".-.-.-.-b"
    pcall(string.match, s, p) pcall(string.gsub, s, p, "") pcall(string.gmatch(s, p)) string.find(s, p)]],
  ["a balance that is looked for again and again"] = 'for _ = 1, 1e9 do ("("):rep(5000):find "%b()x" end',
  ["a callback of gsub"] = '("x"):gsub(".", function() while true do end end)',
  ["a method of texts"] = 'local s = ("a"):rep(3000) s:match ".-.-.-.-b"',
  ["table.insert into what says it is long"] = "table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 1)",
  ["table.insert into what says it is longer the second time"] =
    "local n = 0 table.insert(setmetatable({}, { __len = function() n = n + 1 return n > 1 and 1 << 60 or 1 end }), 1, 1) " .. loop,
  ["table.remove from what says it is long"] = "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)",
  ["table.concat of what says it is long"] =
    "table.concat(setmetatable({}, { __len = function() return 1 << 60 end, __index = type }))",
  ["table.unpack, again and again"] = "while true do pcall(table.unpack, {}, 1, 900000) end",
  ["table.insert, again and again"] = "local t = {} for i = 1, 300000 do t[i] = i end while true do table.insert(t, 1, 1) end",
  ["sorting, again and again"] = "local t = {} for i = 1, 100000 do t[i] = -i end while true do table.sort(t) table.sort(t, math.ult) end",
  ["a wide select"] = "local function f(...) while true do select('#', ...) end end f(1)",
  ["long numbers, again and again"] = 'local s = ("1"):rep(1000000) while true do tonumber(s) end',
  ["much text, again and again"] = 'while true do ("x"):rep(1000000) end',
  ["much program text, again and again"] = 'local s = ("x = 1 "):rep(30000) while true do load(s) end',
  ["long texts that are compared"] = 'local a, b = ("x"):rep(8000000) .. 1, ("x"):rep(8000000) .. 2 while true do local _ = a < b end',
  ["short coroutines"] = "while true do coroutine.wrap(function() end)() end",
  ["calls of the engine"] = "while true do execution.engine:definitions {} end",
}

M.greedy = {
  ["one large text"] = 'local s = ("x"):rep(1 << 30)',
  ["a text that doubles"] = 'local s = "x" while true do s = s .. s end',
  ["an endless table"] = "local t = {} while true do t[#t + 1] = t end",
  ["an endless table of texts"] = 'local t = {} while true do t[#t + 1] = ("x"):rep(10000) .. #t end',
  ["large texts, caught"] = 'while true do pcall(string.rep, "x", 1 << 34) end',
  ["all memory, then more of it, caught"] = [[
    local t = {} pcall(function() while true do t[#t + 1] = {} end end)
    while true do pcall(function() t[#t + 1] = { {} } end) end]],
  ["text that replaces text"] = '("x"):rep(1000000):gsub("x", ("y"):rep(1000000))',
  ["texts put together"] = 'local t, s = {}, ("x"):rep(100000) for i = 1, 100000 do t[i] = s end return table.concat(t)',
  ["functions"] = "local t = {} while true do local n = #t t[n + 1] = function() return n end end",
}

--- What ends by itself, with an error or none, and does not harm.
M.harmless = {
  ["a finalizer"] = "setmetatable({}, { __gc = function() while true do end end })",
  ["a finalizer put in later"] = "local m = {} setmetatable({}, m) m.__gc = function() while true do end end",
  ["a coroutine from before"] = "coroutine.create(print)",
  ["another method for all texts"] = 'getmetatable("").__index.upper = print',
  ["nothing, very often"] = 'return string.rep("", math.maxinteger)',
  ["nothing, by a method"] = 'return (""):rep(math.maxinteger)',
  ["moving much of nothing"] = "table.move({}, 1, math.maxinteger - 1, 2)",
  ["moving much of nothing, by texts"] = 'table.move({}, "1", "9223372036854775806", 2)',
  ["moving much of nothing, by fractions"] = "table.move({}, 1.0, 2.0^62, 2)",
  ["deep recursion"] = "local function f() return 1 + f() end f()",
  ["deep recursion through C"] = 'local function f(s) return (s:gsub(".", f)) end f "x"',
  ["deep recursion by metamethods"] = "local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k] end return t.x",
  ["nested parentheses"] = 'assert(load("return " .. ("("):rep(100000) .. ("1") .. (")"):rep(100000)))',
  ["bytecode"] = 'assert(load("\\27Lua\\84"))',
  ["dumped code"] = "string.dump(function() end)",
  ["dumped code by a method"] = '("").dump(function() end)',
  ["a table that says it is long, sorted"] = "table.sort(setmetatable({}, { __len = function() return 1 << 30 end }))",
  ["a wide unpack"] = "return table.unpack({}, 1, 1 << 31)",
  ["an error that cannot be shown"] = "error(setmetatable({}, { __tostring = function() error 'again' end, __name = 7 }))",
}

--- Their names, in an order.
function M.sorted(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return names
end

function M.process(key, text, attributes)
  local xml = [==[<process id="KEY" isExecutable="true"><startEvent id="sKEY"/><sequenceFlow id="fKEY" sourceRef="sKEY" targetRef="tKEY"/>
    <scriptTask id="tKEY" scriptFormat="lua" ATTRIBUTES><script><![CDATA[TEXT]]></script></scriptTask>
    <sequenceFlow id="gKEY" sourceRef="tKEY" targetRef="eKEY"/><endEvent id="eKEY"/></process>]==]
  return (xml:gsub("%u%u%u+", { KEY = key, ATTRIBUTES = attributes or "", TEXT = text }))
end

function M.model(processes)
  return { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="spec">]] .. table.concat(processes) .. "</definitions>" }
end

M.limits = { instructions = 20 * 1000 * 1000, memory = 32 * 1024 * 1024, seconds = 2 }

return M
