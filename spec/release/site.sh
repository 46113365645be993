#!/usr/bin/env bash
# The site is made by one command; each of its links leads to a page, a place or a file that is
# there, and search has every page.
set -euo pipefail
cd "$(dirname "$0")/../.."
packaging/site/make.sh
lua5.4 spec/release/links.lua build/site
