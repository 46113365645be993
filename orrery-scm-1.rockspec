-- For `luarocks make` in a clone. The libraries that Orrery stands on are the system's: README.md names the Debian packages.
rockspec_format = "3.0"
package = "orrery"
version = "scm-1"
source = { url = "git+file://." }
description = {
  summary = "A BPMN 2.0 workflow runtime that a program embeds",
  detailed = "Processes drawn in BPMN, tasks written in Lua, one durable store on disk, and a command that runs it all.",
  license = "MIT",
}
supported_platforms = { "linux" }
dependencies = { "lua ~> 5.4" }
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
    ORRERY_LUA_FILES = "$(LUADIR)",
    ORRERY_LUA_LIBRARIES = "$(LIBDIR)",
    ORRERY_EXAMPLES = "OFF",
    ORRERY_LIBRARY = "OFF",
    ORRERY_TESTS = "OFF",
  },
}
