-- What `cmake --install` leaves works from where it lies, with nothing set.
local command = require "spec.cli.command"

local function found(root, name)
  local pipe = assert(io.popen(("find '%s' -name '%s'"):format(root, name)))
  local path = pipe:read "l"
  pipe:close()
  return path
end

describe("an installed Orrery", function()
  it("has the command, the module, the library, the header, and what finds them", function()
    local dir <close> = command.folder()
    local code, _, err = command.execute { "cmake", "--install", command.build, "--prefix", dir.path .. "/usr" }
    assert.same({ 0, "" }, { code, err })
    local moved = dir.path .. "/moved"
    assert.is_truthy(os.execute(("mv '%s/usr' '%s'"):format(dir.path, moved)))
    for _, name in ipairs { "orrery.so", "liborrery.so", "liborrery.a", "orrery.h", "orrery-config.cmake", "init.lua" } do
      assert.is_truthy(found(moved, name), name)
    end
    local plain = { "env", "-u", "LUA_PATH", "-u", "LUA_CPATH", moved .. "/bin/orrery" }
    local ran, out = command.execute(table.move({ "version" }, 1, 1, #plain + 1, plain))
    assert.equal(0, ran)
    assert.matches("^orrery " .. require "orrery".version, out)
    local pc = found(moved, "orrery.pc"):match "^(.*)/"
    local _, cflags = command.execute { "env", "PKG_CONFIG_PATH=" .. pc, "pkg-config", "--cflags", "orrery" }
    local include = cflags:match "%-I(%S+)"
    assert.is_truthy(include and io.open(include .. "/orrery.h"), cflags)
  end)
end)
