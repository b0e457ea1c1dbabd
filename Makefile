# The front door: everything below is meson and ninja; no options needed.
#   make demo     set up, build, select the inputs of a shipped table
#   make test     set up, build (plain and sanitised), run every test
#   make reproduce [DATA=folder]     every table and figure of the five papers, into docs/reproduction.md and build/reproduce/index.html
#   make test-long   the statistical tests of the sampler at full length
#   make bench    races against rivals, growth, limits: docs/benchmarks.md, half an hour (make bench-quick: two minutes)
.PHONY: all setup build demo test test-quick test-long bench bench-quick reproduce install clean
PREFIX ?= /usr/local
DATA ?= ../shared/data

all: build

setup:
	@tools/setup

build: setup
	@[ -f build/build.ninja ] || meson setup build --prefix=$(PREFIX) >build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }
	@rm -f build.log
	@ninja -C build $(if $(VERBOSE),,--quiet)

demo: build
	@tools/demo

test: build
	@tools/run-tests

test-quick: build
	@tools/run-tests quick

test-long: build
	@TAMIS_LONG=1 build/tests/test_rjmcmc_sampler

bench: build
	@tools/run-bench

bench-quick: build
	@tools/run-bench quick

reproduce: build
	@python3 bench/reproduce --data "$(DATA)"

install: build
	@meson configure build -Dprefix=$(PREFIX) && ninja -C build --quiet
	meson install -C build --no-rebuild

clean:
	rm -rf build build-asan build-fuzz build-tsan build-system
