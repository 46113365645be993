#!/bin/sh
# A flaky tool: it converts a file to capitals, fails at every first try, and says of an empty file that no further try will help.
#   tool.sh FROM TO       exit 0: done, 1: try again, 2: the file is bad
from=$1 to=$2
[ -s "$from" ] || exit 2
if [ ! -e "$to.tried" ]; then
  : > "$to.tried"
  exit 1
fi
tr '[:lower:]' '[:upper:]' < "$from" > "$to.part" && mv "$to.part" "$to" && rm "$to.tried"
