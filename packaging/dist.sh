#!/usr/bin/env bash
# `make dist`: build/dist/orrery-VERSION.tar.gz, which builds without git and npm: it has the operator's
# page as `make ui` made it, and a rockspec of the version. The same files give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(packaging/version.sh)
name=orrery-$version
folder=build/dist
if [ ! -f ui/dist/index.html ]; then
  echo "make dist: ui/dist/index.html is missing; run \`make ui\` first" >&2
  exit 1
fi
rm -rf "${folder:?}/$name"
mkdir -p "$folder/$name"

# What git keeps, as it lies here; a file that was deleted is left out.
git ls-files -z | while IFS= read -r -d '' file; do
  if [ -e "$file" ]; then printf '%s\0' "$file"; fi
done | tar --null -T - -cf - | tar -xf - -C "$folder/$name"
cp -r ui/dist "$folder/$name/ui/dist"
sed -e "s/^version = .*/version = \"$version-1\"/" -e "s|git+file://\.|file://$name.tar.gz|" orrery-scm-1.rockspec \
  >"$folder/$name/$name-1.rockspec"
rm "$folder/$name/orrery-scm-1.rockspec"
cp "$folder/$name/$name-1.rockspec" "$folder/"

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" -C "$folder" -cf - "$name" |
  gzip -n >"$folder/$name.tar.gz"
rm -rf "${folder:?}/$name"
echo "$folder/$name.tar.gz"
