# Two commands set a newcomer up: `make run` and `make test`.

SHELL := /bin/bash
PREFIX ?= $(HOME)/.local
CONFIG ?= devices.json
# More options for the compiler, such as those of .ci/run.
THEATER_BUILD_FLAGS ?=
SWIFT_BUILD := swift build --explicit-target-dependency-import-check error $(THEATER_BUILD_FLAGS)
# Line numbers are enough for a backtrace. Full debug information makes the programs and their
# memory larger.
RELEASE := $(SWIFT_BUILD) -c release --static-swift-stdlib -Xswiftc -gline-tables-only

.PHONY: run build test test-page pictures fuzz bench trace lint format demo samples generate \
  openapi install uninstall

## run: install what is missing, build, and start the controller on devices.json
run: build
	@exec ./theater serve --config "$(CONFIG)"

## build: the controller and its plugins, optimised, with ./theater as the way to call it
build:
	@Scripts/install-dependencies build
	@mkdir -p .build && touch .build/begun
	@$(RELEASE)
	@Scripts/stage release
	@mv .build/begun .build/release/built
	@ln -sf .build/release/theater theater

## test: everything that is tested, as the continuous integration runs it
test:
	@for step in "install-dependencies test" test test-install check-docs test-examples test-peers \
	    check-api test-page; do \
	  date "+%T $$step"; Scripts/$$step || exit; \
	done
	@$(MAKE) --no-print-directory lint trace

## test-page: the page alone, in Chromium, with the controller that was built last
test-page:
	@Scripts/install-dependencies test
	@Scripts/test-page

## pictures: take the pictures of the documentation anew
pictures:
	@THEATER_GENERATE=1 Scripts/test-page -k test_picture

## lint: layout and rules of the sources: Swift, the page, Python, shell
lint:
	@Scripts/install-dependencies lint
	@Scripts/lint

## format: bring the sources into that layout
format:
	@Scripts/install-dependencies lint
	@Scripts/lint --format

## trace: each requirement beside the tests that prove it
trace:
	@python3 Scripts/trace.py

## fuzz: at least 10,000 generated requests to a live controller; make test sends 3,000
fuzz:
	@Scripts/check-api --cases 10000

## bench: how fast, as ratios against a floor or a peer in the same run
bench: build
	@Scripts/install-dependencies bench
	@python3 Benchmarks/run.py

## demo: an unattended evening in a scratch folder; leaves what was heard as a WAV
demo: build
	@python3 Scripts/demo.py

## samples: make the demo songs anew
samples:
	@python3 Samples/generate.py

# The targets and suites of tests that write files.
GENERATING_TARGETS := TheaterAPITests,TheaterConfigurationTests,PluginConformanceTests
GENERATING_TARGETS := $(GENERATING_TARGETS),AccountFlowsTests,TheaterTests
GENERATING_SUITES := ContractTests|ShippedConfigurationTests|ContractDocumentTests
GENERATING_SUITES := $(GENERATING_SUITES)|FlowTranscriptTests|PluginNewTests|HandwrittenMistakeTests

## generate: write the files that follow from the code: schema, OpenAPI document, tables of the
## docs, C example, and the transcripts of the screens that the page's tests follow
generate:
	@THEATER_GENERATE=1 Scripts/test-suite $(GENERATING_TARGETS) --filter '$(GENERATING_SUITES)'

## openapi: of these, the OpenAPI document and the table of routes alone
openapi:
	@THEATER_GENERATE=1 Scripts/test-suite TheaterAPITests

## install: below PREFIX (default ~/.local), with a systemd user unit; builds only if sources have
## changed. DESTDIR is for packagers
install:
	@Scripts/is-release-current || $(MAKE) --no-print-directory build
	@Scripts/install "$(PREFIX)"

## uninstall: what install put there; accounts and positions stay
uninstall:
	@Scripts/install --remove "$(PREFIX)"
