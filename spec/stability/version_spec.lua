-- The version stands in the public header; everything else reads it, or is held to it here.
local command = require "spec.cli.command"
local folder = require "spec.support.folder"
local orrery = require "orrery"

local header = folder.read "runtime/include/orrery.h"
local version = header:match '#define ORR_VERSION "(%d+%.%d+%.%d+)"'

describe("the version", function()
  it("is the header's everywhere", function()
    local major, minor, patch = version:match "(%d+)%.(%d+)%.(%d+)"
    assert.equal(major * 10000 + minor * 100 + patch,
      tonumber(header:match "ORR_VERSION_NUMBER (%d+)"))
    assert.equal(version, orrery.version)
    assert.equal(("orrery %s (%s)\n"):format(version, _VERSION), select(2,
      command.run { "version" }))
    assert.equal(version, folder.read(command.build
      .. "/orrery-uninstalled.pc"):match "Version: (%S+)")
    assert.equal(version, folder.read "docs/openapi.json":match '"version": "([^"]+)"')
    assert.equal(version .. "\n", select(2, command.execute { "packaging/version.sh" }))
    assert.equal(version, folder.read "debian/changelog":match "^orrery %(([%d.]+)%)")
    for library in folder.read "debian/control":gmatch "\nPackage: liborrery%D*(%d+)\n" do
      assert.equal(major, library)
    end
  end)

  it("has a heading in CHANGELOG.md", function()
    assert.equal(version, folder.read "CHANGELOG.md":match "\n## (%d+%.%d+%.%d+)\n")
  end)

  it("stands in no other source", function()
    local _, out = command.execute { "grep", "-rlF", "--include=*.lua", "--include=*.txt",
      "--include=*.in", "--include=*.json", "--include=*.sh", '"' .. version .. '"', "cmake",
      "CMakeLists.txt", "bindings", "server", "packaging", "runtime", "ui/package.json" }
    assert.equal("", out)
  end)
end)
