# Two commands set a newcomer up: `make run` and `make test`.

SHELL := /bin/bash
PREFIX ?= $(HOME)/.local
CONFIG ?= devices.json
# More options for the compiler, such as those of .ci/run.
THEATER_BUILD_FLAGS ?=
SWIFT_BUILD := swift build --explicit-target-dependency-import-check error $(THEATER_BUILD_FLAGS)
RELEASE := $(SWIFT_BUILD) -c release --static-swift-stdlib

.PHONY: run build test test-page pictures fuzz bench trace lint format demo samples schema openapi transcripts install uninstall

## run: install what is missing, build, and start the controller on devices.json
run: build
	@exec ./theater serve --config "$(CONFIG)"

## build: the controller and its plugins, optimised, with ./theater as the way to call it
build:
	@Scripts/install-dependencies build
	@$(RELEASE)
	@Scripts/stage release
	@ln -sf .build/release/theater theater

## test: everything that is tested, as the continuous integration runs it
test:
	@for step in "install-dependencies test" test test-examples check-api test-page; do \
	  date "+%T $$step"; Scripts/$$step || exit; \
	done
	@$(MAKE) --no-print-directory lint trace

## test-page: the page alone, in Chromium, with the controller that was built last
test-page:
	@Scripts/install-dependencies test
	@Scripts/test-page

## pictures: take the pictures of the documentation anew
pictures:
	@THEATER_RECORD_PICTURES=1 Scripts/test-page -k test_picture

## lint: layout of the sources
lint:
	@swift format lint --strict --recursive Package.swift Sources Plugins Tests Benchmarks Examples
	@echo "lint: clean"

## format: bring the sources into that layout
format:
	@swift format --in-place --recursive Package.swift Sources Plugins Tests Benchmarks Examples

## trace: each requirement beside the tests that prove it
trace:
	@python3 Scripts/trace.py

## fuzz: 10,000 generated requests to a live controller; make test sends 3,000
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

## schema: write devices.schema.json from the command tables and the manifests
schema: build
	@./theater config schema > devices.schema.json.new && mv devices.schema.json.new devices.schema.json

## openapi: write docs/openapi.json and the routes of docs/http-api.md from the declarations
openapi:
	@THEATER_RECORD_CONTRACT=1 Scripts/test-suite TheaterAPITests

## transcripts: record what the screens of login, codes and registration do, for the page's tests
transcripts:
	@THEATER_RECORD_TRANSCRIPTS=1 Scripts/test-suite AccountFlowsTests --filter FlowTranscriptTests

## install: below PREFIX (default ~/.local), with a systemd user unit
install: build
	@Scripts/install "$(PREFIX)"

## uninstall: what install put there; accounts and positions stay
uninstall:
	@Scripts/install --remove "$(PREFIX)"
