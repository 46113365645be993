--- What the service task "Greet" does: the model names it as hello.greet.
return function(execution) execution:set("greeting", "Hello " .. execution:get "name") end
