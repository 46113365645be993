-- Web service tasks: spyne serves and judges what arrives, zeep what is sent; WSDLs with faults of their own.
local core = require "orrery.core"
local orrery = require "orrery"
local folder = require "spec.support.folder"
local servers = require "spec.support.servers"
local soap = require "orrery.outside.soap"
local with = servers.with(it, pending)
local wsdl = require "orrery.outside.wsdl"

local engine

local function model(options)
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="http://flowable.org/bpmn"
      xmlns:tns="spec" xmlns:counter="http://webservice.flowable.org/" targetNamespace="spec">
    <import importType="http://schemas.xmlsoap.org/wsdl/" location="%s" namespace="http://webservice.flowable.org/"/>
    <itemDefinition id="requestItem" structureRef="counter:prettyPrintCount"/>
    <itemDefinition id="responseItem" structureRef="counter:prettyPrintCountResponse"/>
    <message id="request" itemRef="tns:requestItem"/><message id="response" itemRef="tns:responseItem"/>
    <interface name="Counter Interface" implementationRef="counter:Counter">
      <operation id="called" name="called" implementationRef="counter:%s">
        <inMessageRef>tns:request</inMessageRef><outMessageRef>tns:response</outMessageRef></operation></interface>
    <process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
      <%s id="t" implementation="##WebService" operationRef="tns:%s"><extensionElements>%s</extensionElements>%s</%s>
      <sequenceFlow id="g" sourceRef="t" targetRef="after"/><userTask id="after"/>%s</process></definitions>]]):format(
    options.wsdl, options.operation or "prettyPrintCount", options.tag or "serviceTask", options.ref or "called", options.inside or "",
    options.data or "", options.tag or "serviceTask", options.after or "")
end

local function input(source, target)
  return ("<dataInputAssociation><sourceRef>%s</sourceRef><targetRef>%s</targetRef></dataInputAssociation>"):format(source, target)
end

local function output(source, target)
  return ("<dataOutputAssociation><sourceRef>%s</sourceRef><targetRef>%s</targetRef></dataOutputAssociation>"):format(source, target)
end

local function run(options, variables, resources)
  local all = { ["p.bpmn"] = model(options) }
  for name, text in pairs(resources or {}) do all[name] = text end
  engine:deploy(all)
  local ok, result = pcall(engine.start, engine, "p", { variables = variables })
  if ok then return result end
  return nil, result
end

local function problems(options, resources)
  local ok, problem = pcall(run, options, nil, resources)
  assert.is_false(ok)
  assert.same("deployment", problem.kind)
  return problem.problems[1].message
end

describe("the web service task", function()
  local service, newer
  setup(function()
    service = servers.has "soap" and servers.start("soap", "11")
    newer = servers.has "soap" and servers.start("soap", "12")
  end)
  teardown(function()
    if service then service:stop() end
    if newer then newer:stop() end
  end)
  before_each(function() engine = orrery.open(nil, { clock = "manual", log = "none" }) end)
  after_each(function() engine:close() end)

  local function url(of) return (of or service):url "/?wsdl" end

  with("soap", "calls with the simple associations of the guide", function()
    local instance = run({ wsdl = url(), data = input("PrefixVariable", "prefix") .. input("SuffixVariable", "suffix")
      .. output("prettyPrint", "OutputVariable") }, { PrefixVariable = "The counter has the value ", SuffixVariable = ". Good <&> \"ü\"" })
    assert.same('The counter has the value 7. Good <&> "ü"', instance:get "OutputVariable")
  end)

  with("soap", "calls with assignments and a transformation", function()
    local instance = run({ wsdl = url(), data = [[<ioSpecification><dataInput itemSubjectRef="tns:requestItem" id="dataInputOfServiceTask"/>
      <dataOutput itemSubjectRef="tns:responseItem" id="dataOutputOfServiceTask"/>
      <inputSet><dataInputRefs>dataInputOfServiceTask</dataInputRefs></inputSet>
      <outputSet><dataOutputRefs>dataOutputOfServiceTask</dataOutputRefs></outputSet></ioSpecification>
      <dataInputAssociation><sourceRef>dataInputOfProcess</sourceRef><targetRef>dataInputOfServiceTask</targetRef>
        <assignment><from>${dataInputOfProcess.prefix}</from><to>${dataInputOfServiceTask.prefix}</to></assignment>
        <assignment><from>${dataInputOfProcess.suffix}</from><to>${dataInputOfServiceTask.suffix}</to></assignment></dataInputAssociation>
      <dataOutputAssociation><targetRef>dataOutputOfProcess</targetRef>
        <transformation>${dataOutputOfServiceTask.prettyPrint}</transformation></dataOutputAssociation>]] },
      { dataInputOfProcess = { prefix = "<", suffix = ">" } })
    assert.same("<7>", instance:get "dataOutputOfProcess")
  end)

  with("soap", "takes a whole object, and gives it", function()
    local data = [[<ioSpecification><dataInput id="in"/><dataOutput id="out"/></ioSpecification>]] .. input("given", "in")
      .. output("out", "got")
    local order = { id = 1, customer = "Kermit & Co", price = 12.5, weight = 0.25, paid = true, placed = 1700000000, scan = "\0\1\255",
      state = "open", lines = { Line = { { article = "a", count = 2 }, { article = "b", count = 3 } } }, tags = { "x", "y" } }
    local instance, problem = run({ wsdl = url(), operation = "place", data = data }, { given = { order = order } })
    assert(instance, problem)
    local got = instance:get("got").order
    assert.same({ 2, 25, 0.25, true, 1700000000, "\0\1\255", "open", "Kermit & Co" },
      { got.id, got.price, got.weight, got.paid, got.placed, got.scan, got.state, got.customer })
    assert.same({ "x", "y" }, { got.tags[1], got.tags[2] })
    assert.same({ "a", 3 }, { got.lines.Line[1].article, got.lines.Line[2].count })
    assert.same("integer", math.type(got.id))
  end)

  with("soap", "speaks SOAP 1.2 with a service that does", function()
    local instance, problem = run({ wsdl = url(newer), operation = "add",
      data = input("${1}", "a") .. input("two", "b") .. output("sum", "s") }, { two = 2 })
    assert(instance, problem)
    assert.same(3, instance:get "s")
  end)

  with("soap", "keeps decimals as texts where that is wanted", function()
    engine:close()
    engine = orrery.open(nil, { log = "none", soap = { decimals = "text" } })
    local instance = run({ wsdl = url(), operation = "place", data = input("o", "order") .. output("order", "got") },
      { o = { price = "0.1000000000000000000001" } })
    assert.same("0.2000000000000000000002", instance:get("got").price)
  end)

  with("soap", "raises a fault as an error that models map", function()
    local data = input("kind", "kind")
    local _, problem = run({ wsdl = url(), operation = "fails", data = data }, { kind = "tea" })
    assert.same({ "soap.fault", "nothing left of tea" }, { problem.cause.type, problem.cause.message })
    assert.truthy(problem.cause.code:find "OutOfStock")
    assert.same("soap.fault.OutOfStock", problem.cause.parents[1])
    local instance = run({ wsdl = url(), operation = "fails", data = data,
      inside = '<v:mapException errorCode="empty" includeChildExceptions="true">soap.fault.OutOfStock</v:mapException>',
      after = [[<boundaryEvent id="b" attachedToRef="t"><errorEventDefinition errorRef="empty"/></boundaryEvent>
        <sequenceFlow id="h" sourceRef="b" targetRef="caught"/><userTask id="caught"/>]] }, { kind = "tea" })
    assert.same({ "caught" }, instance:active())
  end)

  with("soap", "is for send tasks, too, and operations without data", function()
    assert.same({ "after" }, run({ wsdl = url(), operation = "reset", tag = "sendTask" }):active())
  end)

  with("soap", "keeps the WSDL with the deployment, and may call elsewhere", function()
    local other = servers.start("soap", "11")
    local own = run({ wsdl = url(other), operation = "add", data = input("${1}", "a") .. input("${2}", "b") .. output("sum", "s") })
    assert.same(3, own:get "s")
    other:stop()
    local _, problem = pcall(engine.start, engine, "p")
    assert.same("http.connect", problem.cause.type)
    engine:set_endpoint("{http://webservice.flowable.org/}Counter", service:url "/")
    assert.same(3, engine:start("p"):get "s")
  end)

  with("soap", "refuses values that the types do not allow, before it calls", function()
    local data = input("a", "a") .. input("${1}", "b")
    for value, expected in pairs { [1.5] = "add.a: a whole number", x = "whole number" } do
      local _, problem = run({ wsdl = url(), operation = "add", data = data }, { a = value })
      assert.same("soap.request", problem.cause.type)
      assert.truthy(problem.message:find(expected, 1, true), problem.message)
    end
    local _, problem = run({ wsdl = url(), operation = "add", data = input("${1}", "a") })
    assert.truthy(problem.message:find("add.b is missing", 1, true))
    _, problem = run({ wsdl = url(), operation = "place", data = input("o", "order") }, { o = { state = "lost" } })
    assert.truthy(problem.message:find("closed, open", 1, true))
    _, problem = run({ wsdl = url(), operation = "place", data = input("o", "order") }, { o = { staet = "open" } })
    assert.truthy(problem.message:find("staet", 1, true))
  end)

  with("soap zeep", "sends what zeep would send", function()
    local place = folder.make()
    local function file(name, text)
      local f = assert(io.open(place .. "/" .. name, "wb"))
      f:write(text)
      f:close()
      return place .. "/" .. name
    end
    local text = orrery.await(orrery.http(url())).body
    local path = file("c.wsdl", text)
    local parsed = wsdl.parse("c.wsdl", function() return text end)
    for operation, values in pairs { prettyPrintCount = { prefix = "a", suffix = "b" }, add = { a = 1, b = 2 },
      place = { order = { id = 7, customer = "K", state = "open", lines = { Line = { { article = "x", count = 2 } } },
        tags = { "p", "q" } } } } do
      local ours = file("ours.xml", soap.write(parsed, wsdl.operation(parsed, operation), values))
      local pipe = io.popen(("/usr/bin/python3 spec/support/servers/zeep_message.py %s %s '%s' %s 2>&1")
        :format(path, operation, core.json_encode(values), ours))
      assert.same("same", pipe:read("a"):match "^%s*(.-)%s*$")
      pipe:close()
    end
    folder.remove(place)
  end)

  describe("with a WSDL of its own", function()
    local RPC = [[<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:tns="urn:rpc" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
      xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:rpc">
      <import namespace="urn:rpc" location="parts/messages.wsdl"/>
      <portType name="T"><operation name="quote"><input message="tns:in"/><output message="tns:out"/></operation></portType>
      <binding name="B" type="tns:T"><s:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
        <operation name="quote"><s:operation soapAction="urn:quote"/><input><s:body use="literal" namespace="urn:rpc"/></input>
        <output><s:body use="literal" namespace="urn:rpc"/></output></operation></binding>
      <service name="S"><port name="P" binding="tns:B"><s:address location="%s"/></port></service></definitions>]]
    local MESSAGES = [[<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:x="http://www.w3.org/2001/XMLSchema"
      xmlns:t="urn:types" targetNamespace="urn:rpc"><import namespace="urn:rpc" location="../service.wsdl"/>
      <types><x:schema targetNamespace="urn:all"><x:import namespace="urn:types" schemaLocation="types.xsd"/></x:schema></types>
      <message name="in"><part name="symbol" type="x:string"/><part name="money" type="t:money"/></message>
      <message name="out"><part name="price" type="x:int"/></message></definitions>]]
    local TYPES = [[<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:types" targetNamespace="urn:types"
      elementFormDefault="qualified"><x:include schemaLocation="types.xsd"/>
      <x:complexType name="base"><x:sequence><x:element name="amount" type="x:int"/></x:sequence></x:complexType>
      <x:complexType name="money"><x:complexContent><x:extension base="t:base"><x:choice><x:element name="note" type="x:string"/>
        <x:element name="hint" type="x:string" nillable="true"/></x:choice><x:attribute name="currency" use="required" type="x:string"/>
        </x:extension></x:complexContent></x:complexType></x:schema>]]

    local function resources(address)
      return { ["service.wsdl"] = RPC:format(address or "http://127.0.0.1:1/"), ["parts/messages.wsdl"] = MESSAGES,
        ["parts/types.xsd"] = TYPES }
    end

    local function parsed()
      local all = resources()
      return wsdl.parse("service.wsdl", function(location) return all[location] end)
    end

    it("writes rpc style, imports that import each other, extensions, choices and attributes", function()
      local read = parsed()
      local text = soap.write(read, wsdl.operation(read, "quote"), { symbol = "ORY", money = { amount = 3, note = "n", currency = "EUR" } })
      assert.truthy(text:find('<quote xmlns="urn:rpc"><symbol xmlns="">ORY</symbol><money xmlns="" currency="EUR">'
        .. '<amount xmlns="urn:types">3</amount><note xmlns="urn:types">n</note></money></quote>', 1, true), text)
    end)

    with("faults", "calls it, and reads the answer", function()
      local faults <close> = servers.start "faults"
      local answer = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><q:quoteResponse xmlns:q="urn:rpc">'
        .. "<price> 42 </price></q:quoteResponse></e:Body></e:Envelope>"
      local address = faults:url("/json?text=" .. answer:gsub("[^%w]", function(c) return ("%%%02X"):format(c:byte()) end))
      local instance, problem = run({ wsdl = "service.wsdl", operation = "quote", data = input("m", "money") .. input("s", "symbol")
        .. output("price", "p") }, { s = "ORY", m = { amount = 1, currency = "EUR" } }, resources((address:gsub("&", "&amp;"))))
      assert(instance, problem)
      assert.same(42, instance:get "p")
      local _, none = run({ wsdl = "service.wsdl", operation = "quote", data = input("m", "money") .. input("s", "symbol") },
        { s = "ORY", m = { amount = 1, currency = "EUR" } }, resources(faults:url "/status/502"))
      assert.same("soap.status", none.cause.type)
      _, none = run({ wsdl = "service.wsdl", operation = "quote", data = input("m", "money") .. input("s", "symbol") },
        { s = "ORY", m = { amount = 1, currency = "EUR" } }, resources(faults:url "/status/200"))
      assert.same("soap.answer", none.cause.type)
    end)

    it("sends the headers that the program adds", function()
      local seen
      engine:set_soap_headers(function(_, operation)
        seen = operation
        return "<w:Token xmlns:w='urn:w'>t</w:Token>"
      end)
      run({ wsdl = "service.wsdl", operation = "quote", data = input("m", "money") .. input("s", "symbol") },
        { s = "ORY", m = { amount = 1, currency = "EUR" } }, resources())
      assert.same("quote", seen)
    end)

    it("is refused at deployment when it is missing, broken, unsafe or refers to what is not there", function()
      assert.truthy(problems({ wsdl = "none.wsdl" }):find("none.wsdl", 1, true))
      local unsafe = [[<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>
        <definitions xmlns="http://schemas.xmlsoap.org/wsdl/">&x;</definitions>]]
      assert.truthy(problems({ wsdl = "a.wsdl" }, { ["a.wsdl"] = unsafe }):find("DOCTYPE", 1, true))
      assert.truthy(problems({ wsdl = "a.wsdl" }, { ["a.wsdl"] = "<other/>" }):find("no WSDL", 1, true))
      local all = resources()
      all["parts/types.xsd"] = nil
      assert.truthy(problems({ wsdl = "service.wsdl" }, all):find("types.xsd", 1, true))
      assert.truthy(problems({ wsdl = ("http://127.0.0.1:%d/x?wsdl"):format(servers.closed_port()) }):find("connect", 1, true))
      assert.truthy(problems({ wsdl = "service.wsdl", ref = "unknown" }, resources()):find("unknown", 1, true))
    end)

    it("that lacks the operation fails when it is reached", function()
      local _, problem = run({ wsdl = "service.wsdl", operation = "buy" }, nil, resources())
      assert.same("soap.wsdl", problem.cause.type)
      assert.truthy(problem.message:find("buy", 1, true))
    end)
  end)
end)
