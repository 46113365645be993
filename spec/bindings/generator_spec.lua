-- The binding generator refuses what it cannot say correctly.
package.path = "bindings/generate/?.lua;" .. package.path
local header = require "header"
local reader = require "reader"
local check = require "check"
local types = require "types"
local glue = require "emit_glue"

local head = [[
typedef struct orr_value orr_value;
/// An engine.
typedef struct orr_engine orr_engine ORR_CLASS(destroy = orr_engine_close);
#define ORR_ERROR_MAP(X) \
  X(ARGUMENT, -1, "argument", "an argument is wrong") \
  X(STORE, -13, "store", "the store failed")
]]

local function read(text) return check.run(reader.read { { name = "orrery.h", text = head .. text } }, types) end

local function refused(text, pattern)
  local ok, problem = pcall(read, text)
  assert.is_false(ok)
  assert.matches(pattern, problem)
end

describe("the public header", function()
  local names = {}
  for i, part in ipairs(header.parts ".") do names[i] = part.name end

  it("includes each of its subjects' headers, but for that of the library with Lua", function()
    local there = { "orrery.h" }
    local pipe <close> = assert(io.popen "cd runtime/include && ls orrery/*.h")
    for name in pipe:lines() do
      if name ~= "orrery/lua.h" then there[#there + 1] = name end
    end
    local included = { table.unpack(names) }
    table.sort(there)
    table.sort(included)
    assert.same(there, included)
  end)

  it("has parts that can each be included alone", function()
    for _, name in ipairs(names) do
      local check = "echo '#include \"%s\"' | cc -std=c11 -Wall -Wextra -Werror -Iruntime/include -fsyntax-only -x c -"
      assert.is_true(os.execute(check:format(name)), name)
    end
  end)
end)

describe("the binding generator", function()
  it("makes a method of a function whose first parameter is a handle", function()
    local api = read [[
/// Starts.
ORR_API(1) ORR_ERR(ARGUMENT, STORE) int orr_engine_go(orr_engine *engine, const char *name ORR_OPT, int64_t *out ORR_OUT, orr_error *err);
]]
    local fn = api.functions[1]
    assert.equal("go", glue.method_name(fn))
    assert.is_true(fn.fallible)
    assert.equal(1, #fn.arguments)
    assert.is_true(fn.arguments[1].optional)
    local source = glue.source(api, types)
    assert.matches('orrl_begin%(&c, L, "engine:go", 1%)', source)
    assert.matches("static int %(%*const check_engine_go%)", source)
  end)

  it("takes a name of Lua from its table, whatever C calls the function", function()
    local names = require "lua_names"
    local api = read [[
/// Goes.
ORR_API(1) ORR_ERR(ARGUMENT) int orr_engine_way_go(orr_engine *engine, orr_error *err);
]]
    names.orr_engine_way_go = "go_way"
    local source, method = glue.source(api, types), glue.method_name(api.functions[1])
    names.orr_engine_way_go = nil
    assert.equal("go_way", method)
    assert.matches('{"go_way", l_engine_way_go}', source, 1, true)
    assert.matches('orrl_begin(&c, L, "engine:go_way", 0)', source, 1, true)
  end)

  it("makes milliseconds of Lua's seconds, in types and in names that end in _ms", function()
    local source = glue.source(read [[
/// Goes.
ORR_API(1) ORR_ERR(ARGUMENT) int orr_engine_go(orr_engine *engine, double wait_ms, double ratio, orr_error *err);
]], types)
    assert.matches("double wait_ms = orrl_number(&c, 2, false) * 1000;", source, 1, true)
    assert.matches("double ratio = orrl_number(&c, 3, false);", source, 1, true)
  end)

  it("refuses a name of Lua for what is no function, or for C alone", function()
    local api = read [[
/// Registers.
ORR_API(1) ORR_ERR(ARGUMENT) int orr_engine_delegate_register(orr_engine *engine, orr_error *err);
]]
    local ok, problem = pcall(check.lua_names, api,
      { orr_engine_gone = "gone", orr_engine_delegate_register = "register" })
    assert.is_false(ok)
    assert.matches("orr_engine_gone is no function", problem)
    assert.matches("orr_engine_delegate_register is for C alone", problem)
  end)

  it("reads what a tag says to the next tag, over several lines", function()
    local api = read [[
/// Goes.
/// @param name  whose way
/// it is
/// @return how far,
/// in steps
ORR_API(1) ORR_ERR(ARGUMENT) int orr_engine_go(orr_engine *engine, const char *name, int64_t *out ORR_OUT, orr_error *err);
]]
    local described = api.functions[1].described
    assert.same({ "Goes." }, described.text)
    assert.equal("whose way it is", described.params.name)
    assert.equal("how far, in steps", described.result)
  end)

  it("names the part of the header that it refuses", function()
    local ok, problem = pcall(reader.read, { { name = "orrery.h", text = head }, { name = "orrery/jobs.h", text = "\n???;\n" } })
    assert.is_false(ok)
    assert.matches("^orrery/jobs%.h:2: cannot parse '%?%?%?'", problem)
  end)

  it("reads the rules at the head, and what a host gives to be called", function()
    local api = reader.read { { name = "orrery.h", text = [[
/* go.h: goes.
 *
 * Rules
 * - One is
 *   long.
 * - Another
 *
 * Nothing that is a list. */
/// Called when it has gone.
typedef void (*orr_gone_fn)(void *ud, bool far) ORR_CALLBACK(call);
]] } }
    assert.same({ { title = "Rules", items = { "One is long.", "Another" } } }, api.lists)
    assert.same({ "orr_gone_fn", { "Called when it has gone." } }, { api.callbacks[1].name, api.callbacks[1].doc })
  end)

  it("reads option structs member by member", function()
    local api = read [[
typedef struct orr_go_options {
  uint32_t size;
  orr_id one, two;             /* two ids */
  const orr_value *a, *b;
  bool quick;
} orr_go_options ORR_OPTIONS;
]]
    local names = {}
    for i, member in ipairs(api.options[1].members) do names[i] = member.name end
    assert.same({ "size", "one", "two", "a", "b", "quick" }, names)
    assert.equal("const orr_value *", api.options[1].members[5].type)
    assert.equal("two ids", api.options[1].members[2].doc)
  end)

  it("refuses a line that it cannot parse, and names it", function()
    refused("something strange here;\n", "orrery%.h:7: cannot parse 'something strange here'")
  end)

  it("refuses a function without a level", function()
    refused("/// Does.\nvoid orr_engine_do(orr_engine *engine);\n", "orr_engine_do has no ORR_API level")
  end)

  it("refuses a function without a description", function()
    refused("ORR_API(1) void orr_engine_do(orr_engine *engine);\n", "orr_engine_do has no description")
  end)

  it("refuses a description of a parameter that is not there", function()
    refused("/// Does.\n/// @param nobody  is missing\nORR_API(1) void orr_engine_do(orr_engine *engine);\n",
      "parameter 'nobody' that it does not have")
  end)

  it("refuses types that are not in the table", function()
    refused("/// Does.\nORR_API(1) void orr_engine_do(orr_engine *engine, long double x);\n",
      "the type 'long double' of x is not in bindings/generate/types%.lua")
  end)

  it("refuses unknown and unsorted error codes", function()
    refused("/// Does.\nORR_API(1) ORR_ERR(STORE, ARGUMENT) int orr_engine_do(orr_engine *engine, orr_error *err);\n",
      "not sorted at ARGUMENT")
    refused("/// Does.\nORR_API(1) ORR_ERR(NONSENSE) int orr_engine_do(orr_engine *engine, orr_error *err);\n", "NONSENSE is no error code")
  end)

  it("refuses a handle without a class", function()
    refused("typedef struct orr_thing orr_thing;\n", "the handle orr_thing has no ORR_CLASS")
  end)

  it("refuses an option struct that does not begin with its size", function()
    refused("typedef struct orr_x_options {\n  bool quick;\n} orr_x_options ORR_OPTIONS;\n", "does not begin with uint32_t size")
  end)

  it("reports every problem at once", function()
    local ok, problem = pcall(read, "typedef struct orr_a orr_a;\ntypedef struct orr_b orr_b;\n")
    assert.is_false(ok)
    assert.matches("orr_a.*orr_b", problem)
  end)

  it("has committed what it writes", function()
    assert.is_true((os.execute "lua5.4 bindings/generate.lua --source . --check"))
  end)
end)
