error "this module cannot be loaded"
