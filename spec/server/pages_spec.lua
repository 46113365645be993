-- A list over REST reads its page from PostgreSQL with a few statements, whatever its rows show.
-- Marks: load
local postgres = require "spec.support.postgres"
local support = require "spec.server.support"

local ROWS <const>, MOST <const> = 25, 15

local order = support.model([[<startEvent id="s"/><parallelGateway id="g"/>
  <sequenceFlow id="f0" sourceRef="s" targetRef="g"/>
  <sequenceFlow id="f1" sourceRef="g" targetRef="look"/><userTask id="look" camunda:assignee="ann"/>
  <sequenceFlow id="f2" sourceRef="g" targetRef="pay"/>
  <serviceTask id="pay" camunda:type="external" camunda:topic="pay"/>
  <sequenceFlow id="f3" sourceRef="g" targetRef="w"/>
  <scriptTask id="w" scriptFormat="lua" camunda:asyncBefore="true"><script>error "no"</script>
  </scriptTask>]], "order")

describe("over REST, a page of a store in PostgreSQL", function()
  local it = postgres.with(it, pending)
  local database, server

  setup(function()
    if not postgres.is_installed() then return end
    database = postgres.start()
    local url = database:schema()
    database:query "ALTER SYSTEM SET log_statement = 'all'"
    database:query "SELECT pg_reload_conf()"
    local schema = "%s/orrery schema '%s' >/dev/null"
    assert(os.execute(schema:format(os.getenv "ORRERY_BUILD", url)))
    server = support.serve { store = url, files = { ["order.bpmn"] = order,
        conf = 'return { options = { history = "full" } }' },
      arguments = "--config %f/conf --no-executor --deploy %f/order.bpmn" }
    for i = 1, ROWS do
      server:ask("POST", "/process-definition/key/order/start", { businessKey = "k" .. i,
        variables = { n = { value = i, type = "Short" } } })
    end
    for _, job in ipairs(select(2, server:ask("GET", "/job"))) do
      server:ask("PUT", "/job/" .. job.id .. "/retries", { retries = 0 })
    end
    for _, task in ipairs(select(2, server:ask("GET", "/task"))) do
      server:ask("POST", "/task/" .. task.id .. "/comment/create", { message = "so it is" })
    end
  end)
  teardown(function()
    if server then server:close() end
    if database then database:stop() end
  end)

  -- How many statements the database has been sent; each of its sessions logs before it answers.
  local function statements()
    local n = 0
    for line in io.lines(database.folder .. "/log") do
      if line:find "LOG:  execute" or line:find "LOG:  statement" then n = n + 1 end
    end
    return n
  end

  local function read(path)
    local before = statements()
    local status, rows = server:ask("GET", path)
    assert.equal(200, status, path)
    assert.equal(ROWS, #rows, path)
    local count = statements() - before
    assert.is_true(count > 0 and count <= MOST, path .. ": " .. count .. " statements")
    return rows
  end

  for _, path in ipairs { "/task", "/task?assignee=ann&sortBy=name&sortOrder=asc",
    "/process-instance", "/job", "/external-task", "/variable-instance",
    "/history/process-instance", "/history/task", "/history/variable-instance" } do
    it("is read as one: " .. path, function()
      read(path .. (path:find "?" and "&" or "?") .. "maxResults=50")
    end)
  end

  it("is read as one with comments and variables of each task", function()
    local rows = read "/task?withCommentAttachmentInfo=true&withTaskVariablesInReturn=true"
    for _, row in ipairs(rows) do
      assert.same({ true, false, "Short" }, { row.comment, row.attachment, row.variables.n.type })
    end
    assert.same({}, read("/task?withTaskLocalVariablesInReturn=true")[1].variables)
  end)

  it("is read as one with the job definition of each incident", function()
    for _, path in ipairs { "/incident", "/history/incident" } do
      assert.equal("string", type(read(path)[1].jobDefinitionId))
    end
  end)
end)
