-- What is said of a model, and what is not said once more.
local peers = require "spec.exec.peers"
local shows, process = peers.shows, peers.process

--- Messages of problems, or of warnings, as "element: message".
local function told(engine, body)
  local ok, got = pcall(peers.deploy, engine, body)
  local out = {}
  for i, problem in ipairs(ok and got.warnings or got.problems) do out[i] = problem.element .. ": " .. problem.message end
  return out
end

describe("an element that is refused", function()
  shows("leaves nothing more to be said of what leads to it and from it", function(engine)
    return told(engine, process([[<startEvent id="s"/><adHocSubProcess id="ad"><task id="inside"/></adHocSubProcess><task id="t"/>
      <complexGateway id="cg"/><exclusiveGateway id="x" default="x_to_cg"/>
      <boundaryEvent id="b" attachedToRef="ad"><messageEventDefinition messageRef="m"/></boundaryEvent>]],
      "s -> ad ad -> x x -> cg cg -> t b -> t"))
  end, { "ad: <adHocSubProcess> is known, but not supported", "cg: <complexGateway> is known, but not supported" })

  shows("leaves what has nothing to do with it to be reported", function(engine)
    return told(engine, process([[<startEvent id="s"/><choreographyTask id="c"/><task id="lonely"/>
      <boundaryEvent id="b" attachedToRef="nowhere"><messageEventDefinition messageRef="m"/></boundaryEvent>]], "s -> c lonely -> nobody"))
  end, {
    'c: <choreographyTask> is known, but not supported',
    'lonely: task "lonely" has no incoming sequence flow: it is never reached',
    'b: boundaryEvent "b" is attached to "nowhere", which is no activity of this process',
    'lonely_to_nobody: Invalid destination "nobody" of sequence flow "lonely_to_nobody": there is no such element',
  })
end)

describe("an element out of the schema's order", function()
  shows("is named by a warning", function(engine)
    return told(engine, [[<process id="p" isExecutable="true"><startEvent id="s"><outgoing>f</outgoing><documentation>late</documentation>
      </startEvent><sequenceFlow id="f" sourceRef="s" targetRef="a"/><task id="a"><incoming>f</incoming><extensionElements/></task>
      </process>]])
  end, { "s: <documentation> stands behind <outgoing>; by the schema it comes before",
    "a: <extensionElements> stands behind <incoming>; by the schema it comes before" })

  shows("is told of alone, and not with all that follows it", function(engine)
    return told(engine, [[<process id="p" isExecutable="true"><startEvent id="s"/>
      <textAnnotation id="note"/><association id="to_note" sourceRef="a" targetRef="nowhere"/>
      <sequenceFlow id="f" sourceRef="s" targetRef="a"/><userTask id="a"/>
      <sequenceFlow id="g" sourceRef="a" targetRef="e"/><endEvent id="e"/>
      <association id="last" sourceRef="a" targetRef="note"/><laneSet id="lanes"/></process>]])
  end, { "note: <textAnnotation> stands before <sequenceFlow>; by the schema it comes behind",
    "to_note: <association> stands before <sequenceFlow>; by the schema it comes behind",
    "lanes: <laneSet> stands behind <association>; by the schema it comes before" })

  shows("is no matter of what the schema leaves free", function(engine)
    return told(engine, [[<process id="p" isExecutable="true"><documentation/><extensionElements/><startEvent id="s"/>
      <sequenceFlow id="f" sourceRef="s" targetRef="a"/><userTask id="a"><documentation/><extensionElements/><incoming>f</incoming>
      <outgoing>g</outgoing><property id="pr" name="x"/><potentialOwner><resourceAssignmentExpression><formalExpression>x</formalExpression>
      </resourceAssignmentExpression></potentialOwner><multiInstanceLoopCharacteristics><loopCardinality>1</loopCardinality>
      </multiInstanceLoopCharacteristics></userTask><sequenceFlow id="g" sourceRef="a" targetRef="e"/><endEvent id="e"/>
      <textAnnotation id="note"/></process><message id="late" name="late"/>]])
  end, {})
end)
