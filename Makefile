# The front door; everything below is meson and ninja, and no options are needed.
#   make demo         set up, build, select the inputs of a shipped table
#   make test         set up, build (plain and with sanitizers), run every test
#   make test-quick   without sanitizers, fuzzing and pages
#   make fuzz-long [SECONDS=3600]   every parser under the fuzzer for SECONDS, on all cores, and a table
#   make test-long    the campaigns of tools/run-long: every allocation made to fail, the sampler at full length
#   make coverage     lines and branches that the tests reach: docs/coverage.md
#   make reproduce [DATA=folder]   every table and figure of the five papers: docs/reproduction.md and
#                     build/reproduce/index.html; DATA: those of their data sets that are not in data/
#   make bench        other programs, growth, limits: docs/benchmarks.md, half an hour (make bench-quick: two minutes)
#   make docs         the documentation as a site, from Debian's Sphinx: build/docs/html/index.html
#   make python       the Python package, importable from build/python (python/README.md); [PYTHON=interpreter]
#   make r            the R package: build/r/tamis_VERSION.tar.gz for R CMD INSTALL (docs/r.md)
#   make dist         the source tarball build/dist/tamis-VERSION.tar.gz
#   make deb          the Debian packages, in build/deb/packages (make deb-check: reproducible, lintian, debian/tests)
#   make portable     build/portable/tamis, one program for every x86-64 Linux
#   make install [PREFIX=/usr/local]
# A package that is missing is installed if make runs as root; otherwise a message names it (tools/setup).
.PHONY: all setup build build-tests demo python test test-quick test-long fuzz-long coverage bench bench-quick \
	reproduce r docs dist deb deb-check portable install clean
PREFIX ?= /usr/local
DATA ?=
MESON = meson setup build --prefix=$(PREFIX) >build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }

all: build

setup:
	@tools/setup

build: setup
	@[ -f build/build.ninja ] || $(MESON)
	@rm -f build.log
	@ninja -C build $(if $(VERBOSE),,--quiet)

# A build made before cmocka was installed has no tests.
build-tests:
	@tools/setup $(or $(TESTS),test-quick)
	@! [ -f build/build.ninja ] || grep -q tests/test_ build/build.ninja || meson setup --reconfigure build >/dev/null
	@$(MAKE) --no-print-directory build

demo: build
	@tools/demo

python:
	@tools/setup python
	@[ -f build/build.ninja ] || $(MESON)
	@rm -f build.log
	@tools/build-python

test: TESTS = test
test: build-tests
	@tools/run-tests

test-quick: build-tests
	@tools/run-tests quick

test-long: build-tests
	@tools/run-long

SECONDS ?= 3600
fuzz-long:
	@tools/setup test
	@FUZZ_SEED=0 tests/fuzz/run $(SECONDS) $$(nproc)

coverage:
	@tools/setup test-quick
	@tools/coverage

bench: build
	@tools/run-bench

bench-quick: build
	@tools/run-bench quick

reproduce: build
	@python3 bench/reproduce $(if $(DATA),--data "$(DATA)")

docs: build
	@tools/setup docs
	@! tools/find-python headers >/dev/null || tools/build-python
	@PYTHONPATH=build/python docs/tools/site.py build/tamis build/docs/site
	@rm -rf build/docs/html && mv build/docs/site/html build/docs/html && rm -rf build/docs/site
	@echo build/docs/html/index.html

r:
	@tools/setup r
	@tools/r-package

dist:
	@tools/dist

deb:
	@tools/setup deb
	@tools/deb

deb-check:
	@tools/setup deb
	@tools/deb check

portable: setup
	@tools/portable check

install: build
	@meson configure build -Dprefix=$(PREFIX) && ninja -C build --quiet
	meson install -C build --no-rebuild

clean:
	rm -rf build build-asan build-cov build-cross build-fuzz build-matrix build-setup build-system build-tsan
