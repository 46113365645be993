# Thin: each target installs what Debian lacks, builds a preset of CMakePresets.json, and goes.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

PACKAGES := build-essential cmake ninja-build pkg-config lua5.4 lua-busted tzdata \
  liblua5.4-dev libxml2-dev liblmdb-dev libuv1-dev libedit-dev libcurl4-openssl-dev libjansson-dev libmicrohttpd-dev libcrypt-dev \
  libpq-dev libzip-dev libpcre2-dev zlib1g-dev libintelrdfpmath-dev
SPECS ?= spec

define compile
	@[ -f build/$(1)/build.ninja ] || cmake --preset $(1)
	@cmake --build --preset $(1)
endef

# Where `make install` puts it: below $(DESTDIR)$(prefix).
prefix ?= /usr/local

.PHONY: build builds install dist deb site docs abi abi-freeze release run test clang full bench numbers scale asan tsan postgresql fuzz soak explore models steady check generate clean ui \
  packages extras servers browser worker

build: packages
	$(call compile,release)

# All that `.ci/run` needs, so that what specs cost can be told from what compiling does.
builds: build
	$(call compile,asan)
	$(call compile,tsan)

install: build
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(prefix)"

# A tarball that builds without git and npm, below build/dist/.
dist: ui
	@packaging/dist.sh

# Debian packages of that tarball, below build/deb/.
deb: packages dist
	@.ci/packages debhelper lintian
	@packaging/deb.sh

# The manual as pages of a site, with search, below build/site/.
site:
	@.ci/packages pandoc lua5.4
	@packaging/site/make.sh

# The reference of the C library as pages, below build/docs/. It fails when a comment of a header is wrong.
docs:
	@.ci/packages doxygen
	@packaging/doxygen/make.sh

# Would a program that was built with the last release stumble over the library? docs/stability.md
ABI := spec/stability/frozen/abi.xml
abi:
	@.ci/packages abigail-tools
	@spec/stability/abi.sh check $(ABI)

# Makes the dump anew, when a release is made.
abi-freeze:
	@.ci/packages abigail-tools
	@spec/stability/abi.sh dump > build/abi.xml && mv build/abi.xml $(ABI)

# Tries what a release has besides the build: packages, tarball, image, site; as root. STEPS="site modeler" tries some.
release:
	@.ci/packages pandoc lua5.4 debootstrap curl
	@spec/release/run.sh $(STEPS)

# Where npm is not, or cannot reach its packages, everything but the operator's page is there.
run: build
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory ui || echo "The operator's page was not built."; fi
	@$(if $(SERVE),examples/serve,examples/run)

test: build
	@spec/run release $(SPECS)

asan: packages
	$(call compile,asan)
	@spec/run asan $(SPECS)

# ThreadSanitizer looks at the specs that start threads.
tsan: packages
	$(call compile,tsan)
	@spec/run tsan $(SPECS)

# The interpreter and the executor on the store that many machines share.
postgresql: build
	@if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then ORRERY_STORE=postgresql spec/run release $(SPECS); \
	else echo "PostgreSQL is not installed: no spec ran on it."; fi

# Everything by the other compiler, whose warnings are errors, too.
clang: packages
	@.ci/packages clang
	$(call compile,clang)

# Everything, whole, everywhere: by hand, before a release. It takes an hour or two.
full:
	@.ci/run full

bench: build
	@lua5.4 spec/bench/run.lua --build build/release $(BENCH)

# The same, and the table of docs/performance.md anew.
numbers: bench
	@lua5.4 spec/bench/table.lua

# What grows with the store: its table and its plot in docs/performance.md. SIZES=10000,1000000 leaves out the largest.
scale: build
	@lua5.4 spec/bench/run.lua --build build/release --json build/scale.json --repeat 1 scale$(if $(SIZES),=$(SIZES))
	@lua5.4 spec/bench/plot.lua

fuzz: packages
	$(call compile,asan)
	@spec/run asan spec/fuzz

# Processes that are killed and stopped at random, for TIME seconds (20 if it is not given).
soak: build
	@. build/release/env && lua5.4 spec/fault/soak/run.lua $(or $(TIME),20) build/release/orrery

# What is drawn at random, with another seed each time.
explore: build
	@ORRERY_SEED=$$(date +%s) spec/run release $$(grep -rlF 'support.random").seed()' spec)

# Random models, 10,000 in each dialect, with another seed each time.
models: build
	@ORRERY_SEED=$$(date +%s) ORRERY_RANDOM=60000 spec/run release spec/sim/rivals

# Specs that start processes, threads, servers or browsers, beside busy loops; none may fail once.
steady: build
	@spec/support/runner/steady.sh $(or $(TIMES),20) $(or $(LOAD),8) $(SPECS)

# The operator's page, into ui/dist; its packages are those of the lock file.
ui: ui/dist/index.html

ui/node_modules/.package-lock.json: ui/package-lock.json
	@cd ui && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json

ui/dist/index.html: ui/node_modules/.package-lock.json ui/build.mjs $(shell find ui/src -type f)
	@cd ui && npm run --silent build

# What is generated and committed is what the generator writes today.
check: packages
	@lua5.4 bindings/generate.lua --source . --check
	@lua5.4 server/generate.lua . --check

generate: build
	@lua5.4 bindings/generate.lua --source . --write
	@lua5.4 server/generate.lua . --docs
	@build/release/orrery manual --markdown > build/command.md && mv build/command.md docs/command.md

clean:
	rm -rf build

packages:
	@.ci/packages $(PACKAGES)

# What specs talk to: servers of other people's, a browser, and Camunda's client for JavaScript.
extras: servers browser worker

servers:
	@.ci/packages nginx-light tinyproxy openssl python3 python3-httpbin python3-aiosmtpd python3-spyne python3-zeep opensmtpd \
	  postgresql pgbouncer prometheus zsh fish

browser:
	@if command -v npm >/dev/null; then .ci/packages chromium && $(MAKE) --no-print-directory ui; \
	else echo "npm is missing: it builds the operator's page."; fi

worker:
	@if command -v npm >/dev/null; then cd examples/worker-js && timeout 300 npm ci --no-audit --no-fund --loglevel=error; fi
