// What is tried on a small works, part by part in one process: they share its server and a browser.
import './works/lists.mjs'
import './works/retry.mjs'
import './works/drawing.mjs'
import './works/reach.mjs'
