-- The manual of settings against the other manuals: what it names exists, with the default that it gives.
-- Marks: load
local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

-- Rows of "| a | b | ... |" as arrays of cells.
local function rows(text)
  local out = {}
  for line in text:gmatch "[^\n]+" do
    if line:find "^|" and not line:find "^|%-" then
      local cells = {}
      for cell in line:gmatch "([^|]+)" do cells[#cells + 1] = cell:match "^%s*(.-)%s*$" end
      out[#out + 1] = cells
    end
  end
  return out
end

local function names(cell)
  local out = {}
  for name in cell:gmatch "`([%w_]+)`" do out[#out + 1] = name end
  return out
end

-- The options that a manual's tables name, with the text of their row's default.
local function options(path)
  local out = {}
  for _, cells in ipairs(rows(read(path))) do
    for _, name in ipairs(names(cells[1])) do out[name] = cells[2] end
  end
  return out
end

local table_rows = rows(read "docs/configuration.md")
local jobs, net = options "docs/job-executor.md", options "docs/integration.md"

describe("the manual of settings", function()
  it("has five cells in each row", function()
    for _, cells in ipairs(table_rows) do assert.equal(5, #cells, table.concat(cells, "|")) end
  end)

  it("names no option that the manual of jobs does not have", function()
    local elsewhere = { executor = true, sandbox = true, log = true, user = true, http = true, acquisition = true }
    for _, cells in ipairs(table_rows) do
      if cells[3]:find "^executor `" or cells[3]:find "^engine `" then
        for _, name in ipairs(names(cells[3])) do
          assert.truthy(jobs[name] or elsewhere[name] or name:find "^o$" or cells[3]:find("o:" .. name, 1, true), name)
        end
      end
    end
  end)

  it("gives the defaults that the manual of jobs gives", function()
    local checked = 0
    for _, cells in ipairs(table_rows) do
      local all = names(cells[3])
      if cells[3]:find "^executor `" and #all == 1 and jobs[all[1]] then
        local plain = cells[4]:gsub("`", "")
        assert.truthy(jobs[all[1]]:find(plain, 1, true), all[1] .. ": " .. cells[4] .. " / " .. jobs[all[1]])
        checked = checked + 1
      end
    end
    assert.is_true(checked >= 10)
  end)

  it("names the options of the network's manual", function()
    for _, name in ipairs { "connect_timeout", "stall_timeout", "connections_per_host", "retries", "verify", "host", "port", "tls", "from",
      "force_to" } do assert.truthy(net[name], name) end
  end)

  it("has every setting that the guides name", function()
    local text = read "docs/configuration.md"
    for name in ([[jobExecutorActivate asyncExecutorActivate maxJobsPerAcquisition waitTimeInMillis maxWait jobExecutorAcquireByPriority
      jobExecutorPreferTimerJobs jobExecutorAcquireByDueDate jobExecutorPriorityRangeMin jobExecutorPriorityRangeMax
      jobExecutorDeploymentAware jobExecutorAcquireExclusiveOverProcessHierarchies producePrioritizedJobs batchJobPriority
      historyCleanupJobPriority ensureJobDueDateNotNull failedJobRetryTimeCycle customPostBPMNParseListeners FailedJobParseListener
      delegateExpressionFieldInjectionMode businessCalendarName autoStoreVariables mailServerHost mailServerPort mailServerForceTo
      mailServerDefaultFrom mailServerUsername mailServerPassword mailServerUseSSL mailServerUseTLS httpClientConfig connectTimeout
      socketTimeout connectionRequestTimeout requestRetryLimit disableCertVerify]]):gmatch "%S+" do
      assert.truthy(text:find("`" .. name .. "`", 1, true), name)
    end
  end)
end)
