-- Names of messages that expressions give.
local peers = require "spec.exec.peers"
local shows, deploy, process = peers.shows, peers.deploy, peers.process

describe("messageExpression of a start event", function()
  shows("is evaluated at deployment, where the definition is known", function(engine)
    deploy(engine, process([[<startEvent id="s"><messageEventDefinition
      o:messageExpression="${'begin-'.concat(variableContainer.definitionKey)}"/></startEvent><userTask id="a"/>]], "s -> a"))
    engine:message "begin-p"
    return { engine:subscription({}).name, peers.tasks(engine) }
  end, { "begin-p", "a" })

  shows("must give a text", function(engine)
    return (peers.kind(deploy, engine, process [[<startEvent id="s"><messageEventDefinition o:messageExpression="${1 == 1}"/>
      </startEvent>]]))
  end, "deployment")
end)
