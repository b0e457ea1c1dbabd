# The front door: everything below is meson and ninja; no options needed.
#   make demo     set up, build, select the inputs of a shipped table
#   make test     set up, build (plain and sanitised), run every test
#   make test-long   the statistical tests of the sampler at full length
.PHONY: all setup build demo test test-quick test-long bench install clean
PREFIX ?= /usr/local

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
	@TAMIS_LONG=1 build/tests/test_rjmcmc

bench: build
	@tools/run-bench

install: build
	@meson configure build -Dprefix=$(PREFIX) && ninja -C build --quiet
	meson install -C build --no-rebuild

clean:
	rm -rf build build-asan build-fuzz
