// What is tried on a process that waits for everything there is, part by part in one process: they share a browser. Filters come
// first, while there is nothing else to be found.
import './waits/filters.mjs'
import './waits/tokens.mjs'
import './waits/plans.mjs'
