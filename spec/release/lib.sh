# For sourcing by the scripts beside it.

# expect TEXT COMMAND…: runs it; its output has the text, or this script ends.
expect() {
  local text=$1 out
  shift
  out=$("$@" 2>&1) || { printf '%s\n' "failed: $*" "$out" >&2; exit 1; }
  case $out in
    *"$text"*) echo "ok: $*" ;;
    *) printf '%s\n' "not told: \"$text\" by: $*" "$out" >&2; exit 1 ;;
  esac
}

# unpack FOLDER PACKAGE…: puts what the packages have into a folder, in place of /.
unpack() {
  local folder=$1 name
  shift
  rm -rf "$folder"
  mkdir -p "$folder"
  for name in "$@"; do dpkg-deb -x "build/deb/${name}"_*.deb "$folder"; done
}
