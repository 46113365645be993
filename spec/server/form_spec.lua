-- Forms over HTTP, in Camunda's shapes.
local support = require "spec.server.support"

local MODEL = support.model([[<startEvent id="s"><extensionElements>
  <camunda:formData businessKey="name">
    <camunda:formField id="name" label="Who &lt;are&gt; you?" type="string"
        defaultValue="a &quot;b&quot;">
      <camunda:validation><camunda:constraint name="minlength" config="2"/></camunda:validation>
        </camunda:formField>
    <camunda:formField id="n" type="long"><camunda:validation><camunda:constraint name="required"/>
      </camunda:validation>
    </camunda:formField></camunda:formData></extensionElements></startEvent>
  <sequenceFlow id="f" sourceRef="s" targetRef="t"/>
  <userTask id="t"><extensionElements><camunda:formData>
    <camunda:formField id="n" type="long"><camunda:validation>
      <camunda:constraint name="max" config="9"/></camunda:validation>
    </camunda:formField>
    <camunda:formField id="day" type="date" datePattern="yyyy-MM-dd" defaultValue="2026-12-24"/>
    <camunda:formField id="size" type="enum" defaultValue="l"><camunda:value id="s" name="Small"/>
      <camunda:value id="l" name="Large"/></camunda:formField>
    <camunda:formField id="ok" type="boolean" defaultValue="true"/>
    <camunda:formField id="bad" type="long" defaultValue="${no.such}"/>
  </camunda:formData></extensionElements></userTask>
  <sequenceFlow id="g" sourceRef="t" targetRef="u"/>
    <userTask id="u" camunda:formRef="pay" camunda:formRefBinding="latest"/>]],
  "forms")

describe("a form", function()
  local server, definition

  local function ask(method, path, body, wanted)
    local status, answer = server:ask(method, path, body)
    assert.equal(wanted or 200, status, method .. " " .. path)
    return answer
  end
  local function text(path)
    local _, answer = server:curl(server.url .. "/engine-rest" .. path)
    return answer
  end
  local function task(instance) return "/task/" .. ask("GET", "/task?processInstanceId="
    .. instance)[1].id end
  local function start(n)
    return ask("POST", "/process-definition/key/forms/submit-form",
      { variables = { n = { value = n } } }).id
  end

  setup(function()
    server = support.serve { files = { ["forms.bpmn"] = MODEL,
      ["pay.form"] = '{"id": "pay", "components": ['
        .. '{"type": "number", "key": "amount", "validate": {"max": 5}}]}' } }
    assert.equal(200,
      (server:curl(("-F forms.bpmn=@%s -F pay.form=@%s %s/engine-rest/deployment/create")
      :format(server:file "forms.bpmn", server:file "pay.form", server.url))))
    definition = ask("GET", "/process-definition?key=forms")[1].id
  end)
  teardown(function() server:close() end)

  it("to start with has a key, variables and HTML", function()
    local path = "/process-definition/" .. definition
    assert.equal(("embedded:engine://engine/:engine%s/rendered-form"):format(path), ask("GET", path
      .. "/startForm").key)
    local variables = ask("GET", path .. "/form-variables")
    assert.same({ "String", 'a "b"', "Null" }, { variables.name.type, variables.name.value,
      variables.n.type })
    assert.is_nil(ask("GET", path .. "/form-variables?variableNames=n").name)
    local html = text(path .. "/rendered-form")
    assert.truthy(html:find('<label class="control-label" for="name">Who &lt;are&gt; you?</label>',
      1, true), html)
    assert.truthy(html:find('cam-variable-name="name" cam-variable-type="String" minlength="2"', 1,
      true), html)
    assert.truthy(html:find('value="a &quot;b&quot;"', 1, true), html)
    assert.truthy(html:find('cam-variable-type="Long" required="required"', 1, true), html)
  end)

  it("that is submitted to start gives the business key, and is refused where it does not fit",
    function()
    local path = "/process-definition/key/forms/submit-form"
    local answer = ask("POST", path, { variables = { name = { value = "kermit" },
      n = { value = 1 } } })
    assert.equal("kermit", answer.businessKey)
    answer = ask("POST", path, { variables = { name = { value = "kermit" } } }, 400)
    assert.equal("Cannot instantiate process definition forms: "
      .. 'field "n": a value is required (required)', answer.message)
    answer = ask("POST", path, { variables = { name = { value = "k" }, n = { value = 1 } } }, 400)
    assert.truthy(answer.message:find("(minlength)", 1, true))
  end)

  it("of a task shows what its fields have, and the task's other variables", function()
    local path = task(start(3))
    assert.equal(("embedded:engine://engine/:engine%s/rendered-form"):format(path), ask("GET", path
      .. "/form").key)
    local variables = ask("GET", path .. "/form-variables")
    assert.same({ "Long", 3, "String", "2026-12-24", "String", 'a "b"', "Null" },
      { variables.n.type, variables.n.value,
      variables.day.type, variables.day.value, variables.name.type, variables.name.value,
        variables.bad.type })
    local html = text(path .. "/rendered-form")
    assert.truthy(html:find('<option value="s">Small</option>'
      .. '<option value="l" selected="selected">Large</option>', 1, true), html)
    assert.truthy(html:find('type="checkbox" class="form-control" name="ok"', 1, true), html)
    assert.truthy(html:find('checked="checked"', 1, true), html)
    ask("GET", path .. "/deployed-form", nil, 400)
  end)

  it("of a task is refused where it does not fit, and completes it otherwise", function()
    local instance = start(3)
    local path = task(instance)
    local answer = ask("POST", path .. "/submit-form", { variables = { n = { value = 10 },
      bad = { value = 1 } } }, 400)
    assert.equal(("Cannot submit task form %s: field \"n\": 10 is more than 9 (max)"):format(
      path:match "%d+$"), answer.message)
    assert.equal("RestException", answer.type)
    ask("POST", path .. "/submit-form", { variables = { n = { value = 9 }, bad = { value = 1 } } },
      204)
    local variables = ask("GET", "/process-instance/" .. instance .. "/variables")
    assert.same({ 9, "Date", "l", true },
      { variables.n.value, variables.day.type, variables.size.value, variables.ok.value })
  end)

  it("of form-js is told by its reference, is there to download, and checks what it is given",
    function()
    local instance = start(3)
    ask("POST", task(instance) .. "/submit-form", { variables = { bad = { value = 1 } } }, 204)
    local path = task(instance)
    local form = ask("GET", path .. "/form")
    assert.same({ "pay", "latest" }, { form.camundaFormRef.key, form.camundaFormRef.binding })
    assert.truthy(text(path .. "/deployed-form"):find('"key": "amount"', 1, true))
    ask("POST", path .. "/submit-form", { variables = { amount = { value = 6 } } }, 400)
    ask("POST", path .. "/submit-form", { variables = { amount = { value = 5 } } }, 204)
    ask("GET", "/process-instance/" .. instance, nil, 404)
  end)
end)
