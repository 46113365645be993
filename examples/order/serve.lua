--- What surrounds the order process behind a server (`make run SERVE=1`): its clock is the system's, its people use the page.
return { setup = function(engine) engine:register("shop", "shop.bean") end }
