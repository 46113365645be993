--- orrery schema: makes a PostgreSQL database a store that many machines share.
local args = require "orrery.cli.args"
local core = require "orrery.core"

local function run(options, out)
  if not core.store_is_url(options[1]) then
    args.usage "a schema is made in a database: postgresql://USER@HOST/DATABASE, or service=NAME"
  end
  core.store_make_schema(options[1], options.grant)
  out:event({ event = "schema", grant = options.grant },
    options.grant and ("the schema is there; %s may use it"):format(options.grant) or "the schema is there")
  return 0
end

return {
  spec = {
    name = "schema", summary = "Makes a PostgreSQL database a store, or brings an older one up to date.",
    arguments = { { "URL", "postgresql://USER@HOST:PORT/DATABASE, or service=NAME" } },
    options = {
      { "--grant", "let the engines' role use it, which then owns nothing", value = "ROLE" },
      { "--json", "one JSON object a line" },
    },
    notes = "The URL is what every command takes instead of a store's folder. It is made in the first schema of the search path, so that\n"
      .. "...?options=-csearch_path=NAME keeps several stores apart in one database. A password belongs in PGPASSFILE or the service\n"
      .. "file: what stands on a command line, others can read. Done again it changes nothing.",
  },
  run = run,
}
