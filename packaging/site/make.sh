#!/usr/bin/env bash
# `make site`: the manual as a site below build/site, with search, which needs no server: each page of the project's own
# and of docs/ and examples/ by pandoc, and the pictures and files beside them.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=packaging/site
site=build/site
rm -rf "$site"
mkdir -p "$site"

page() {
  local source=$1 target=$2 root
  root=$(dirname "$target" | sed 's|^\.$||; s|[^/][^/]*|..|g')
  mkdir -p "$site/$(dirname "$target")"
  pandoc --from=gfm+gfm_auto_identifiers --to=html5 --standalone --wrap=none --toc --toc-depth=2 --no-highlight \
    --template="$tools/template.html" --lua-filter="$tools/links.lua" --variable=root="${root:-.}" \
    --metadata=pagetitle="$(sed -n 's/^# //p;T;q' "$source") · Orrery" --output="$site/$target" "$source"
}

page README.md index.html
for source in CHANGELOG.md CONTRIBUTING.md SECURITY.md ui/README.md docs/*.md examples/*/README.md; do
  page "$source" "${source%.md}.html"
done
find docs examples -name node_modules -prune -o -type f ! -name '*.md' -print | while IFS= read -r file; do
  mkdir -p "$site/$(dirname "$file")"
  cp "$file" "$site/$file"
done
cp LICENSE "$tools/style.css" "$tools/search.js" "$site/"
lua5.4 "$tools/index.lua" "$site" >"$site/entries.js"
echo "$site/index.html"
