-- For pandoc: links to pages of the manual lead to where the site has them.
function Link(link)
  if link.target:find "^%a+:" then return nil end
  local path, anchor = link.target:match "^([^#]*)(.*)$"
  if path == "README.md" or path:find "^[./]*/README%.md$" then
    local above = path:match "^(.*)README%.md$"
    local is_roots = PANDOC_STATE.input_files[1]:find "^docs/" and above == "../"
    link.target = is_roots and "../index.html" .. anchor or above .. "README.html" .. anchor
  else
    link.target = path:gsub("%.md$", ".html") .. anchor
  end
  return link
end
