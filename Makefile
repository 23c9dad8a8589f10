# Every target works from a fresh checkout with Go and a C compiler:
#
#	make test    everything: installs what a fresh Debian machine lacks (by apt), then check
#	make nvim    the plugin in the oldest and the newest Neovim that it serves, which Debian's archive brings
#	make vsix    the extension for VS Code, as editors/vscode/contexture.vsix; needs Node
#	make vscode  the extension: types, lint, tests of its own, and in the oldest and the newest VS Code that it serves
#	make workbench  the front end of the page and of VS Code's view: types, lint, tests of its own and in a browser
#	make looks   the page's places in pictures, and whether everyone can use them; some minutes
#	make vscode-looks   VS Code's views in pictures
#	make pictures   the READMEs' pictures of both, anew
#	make mcp     the server for assistants, by the protocol's own client, inspector and conformance tests
#	make npm     the packages for npm, from a registry on loopback
#	make claude-code  the plugin in the real Claude Code, with a model on loopback; brings 250 MB, so no part of make test
#	make quick   what a change touches, within a minute: gofmt, vet and tests of the packages that differ from main
#	make cover   what share of each package tests run, and the functions that none does
#	make check   Go only: gofmt, linters with vet and staticcheck among them, tests (with the race detector where it works)
#	make bench   speed and size against the figures that must be reached; needs Linux and about twenty minutes;
#	             CONTEXTURE_BASE=PROGRAM compares answers with another build's, in turns, BENCH=Paired only that;
#	             BENCH=Memory measures conversation memory alone, BENCH=Memory/appends a part of it,
#	             BENCH=Exact the search for lines beside ripgrep, which must be installed,
#	             BENCH=Commands what a command takes that a person types,
#	             BENCH=Ollama what a model server does, with tiny models (Ollama/speed, /known, /hanging, /faults)
#	make kills   the program killed 200 times while it stores and learns from conversations, and those of two members of a team
#	make team    a team's servers killed and cut off from each other 200 times, and 1,000 members at once; half an hour
#	make build   the program, as bin/contexture
#	make windows the program and the tests of what differs there, built for Windows and run under Wine
#	make release   archives, packages, checksums, bills of materials and package managers' manifests for Linux on amd64 and
#	             arm64 and for Windows, in bin/release, each installed and used; nothing is published; needs root
#	make reproducible   the release once more in another folder, and every byte compared
#	make nightly   what takes too long for make test: claude-code, kills, team, windows, release, reproducible, and go
#	             install from a module's zip
#	make vet-others   vet of what Windows and macOS compile, for all packages without C
#	make gen     the files that follow from the contract's types, and the third-party notices
#	make fuzz    every fuzz target for FUZZTIME
#
# GOFLAGS and the rest of Go's environment are the caller's.

.POSIX:
.PHONY: test nvim vsix vscode vscode-looks extension workbench looks pictures mcp npm claude-code release reproducible nightly releasetools quick check cover format vet lint unit deps ollama bench kills team windows vet-others build gen fuzz

SHELL       = /bin/sh
GO          = go
FUZZTIME    = 10s
BENCH       = .
TESTTIMEOUT = 30m

# Which packages make unit tests: 2/4 are every fourth one from the second on.
PART = 1/1

# The packages whose tests take minutes run first, so that no processor waits for the last of them; one more package than
# there are processors is tested at once, since tests wait for disks and other processes.
LONG = contexture\/server|cmd\/contexture|indexer|memory

# The folders that hold Go code; what an editor's packages bring along is not ours.
SOURCES = find . -name '*.go' ! -path './.git/*' ! -path '*/testdata/*' ! -path '*/node_modules/*'

# The Ollama server that tests run, and where it is, or whether, with -n. OLLAMA_BIN names another one.
OLLAMA = GO='$(GO)' sh indexer/ollama/ollamatest/build.sh

# What measures how long an answer takes runs alone, the rest two at a time, the longest first: what they need (-o) is there
# by then.
test: deps ollama check workbench build extension
	$(MAKE) -j 2 -o deps -o build -o extension vscode looks vscode-looks nvim mcp npm

# Tests drive git: it is the reference for ignore rules, history and branches. A C++ compiler and two headers are for
# building the Ollama server, where that is not there yet.
deps:
	@missing=; \
	command -v git >/dev/null 2>&1 || missing="$$missing git"; \
	command -v patchelf >/dev/null 2>&1 || missing="$$missing patchelf"; \
	command -v luacheck >/dev/null 2>&1 || missing="$$missing lua-check"; \
	command -v luarocks >/dev/null 2>&1 || missing="$$missing luarocks lua5.1"; \
	command -v chromium >/dev/null 2>&1 || missing="$$missing chromium fonts-dejavu-core"; \
	fc-list :lang=ja 2>/dev/null | grep -q . || missing="$$missing fonts-vlgothic"; \
	command -v rg >/dev/null 2>&1 || missing="$$missing ripgrep"; \
	command -v $${CC:-cc} >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || missing="$$missing gcc libc6-dev"; \
	if ! $(OLLAMA) -n >/dev/null 2>&1; then \
		cxx=$$($(GO) env CXX); \
		command -v $${cxx%% *} >/dev/null 2>&1 || missing="$$missing g++"; \
		for need in nlohmann/json_fwd.hpp=nlohmann-json3-dev stb/stb_image.h=libstb-dev; do \
			echo "#include <$${need%=*}>" | $$cxx -E -x c++ - >/dev/null 2>&1 || missing="$$missing $${need#*=}"; \
		done; \
	fi; \
	test -n "$$missing" || exit 0; \
	if ! command -v apt-get >/dev/null 2>&1; then echo "make test: needs$$missing; install it and run again" >&2; exit 1; fi; \
	sudo=; \
	if [ "$$(id -u)" != 0 ]; then \
		if ! command -v sudo >/dev/null 2>&1; then echo "make test: needs$$missing; run 'apt-get install$$missing' as root" >&2; exit 1; fi; \
		sudo=sudo; \
	fi; \
	echo "installing$$missing"; \
	$$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing

# Once a machine: five to eight minutes of a processor. Tests do it themselves where this has not been done.
ollama: deps
	@$(OLLAMA) >/dev/null

nvim: deps build
	luacheck --quiet --globals vim --no-max-line-length editors/nvim
	@for suite in trixie forky; do \
		nvim=$$(sh editors/nvim/tests/install.sh $$suite) || exit 1; \
		for part in early run integrations places screen daily looks screenshot startup packaging; do \
			echo "editors/nvim/tests/$$part.lua in Neovim of $$suite"; \
			env CONTEXTURE="$$PWD/bin/contexture" sh editors/nvim/tests/suite.sh "$$nvim" editors/nvim/tests/$$part.lua || exit 1; \
		done; \
	done

# The tests in a browser use the kit of the extension's.
VSCODETOOLS = editors/vscode/node_modules/.package-lock.json

# Versions of VS Code with the Node that each wants.
VSCODES = 4.100.0:20.20.2 4.139.1:24.21.0

vsix: $(VSCODETOOLS)
	cd editors/vscode && npm run -s build && npm run -s package >/dev/null

# The extension as it is installed, and the versions of VS Code to try it in.
extension: deps vsix
	@for version in $(VSCODES); do sh editors/vscode/tests/install.sh $${version%%:*} $${version##*:} >/dev/null || exit 1; done

vscode: build extension
	cd editors/vscode && npm run -s typecheck && npm run -s lint && npm test
	@for version in $(VSCODES); do \
		install=$$(sh editors/vscode/tests/install.sh $${version%%:*} $${version##*:}) || exit 1; \
		for part in host ui views chat daily; do \
			echo "editors/vscode/tests/$$part.mjs in $${install##*/}"; \
			timeout 300 node editors/vscode/tests/$$part.mjs "$$install" bin/contexture $${install##*/} || exit 1; \
		done; \
	done
	@for version in $(VSCODES); do newest=$$version; done; \
	install=$$(sh editors/vscode/tests/install.sh $${newest%%:*} $${newest##*:}) || exit 1; \
	echo "editors/vscode/tests/packaged.mjs in $${install##*/}"; \
	timeout 300 node editors/vscode/tests/packaged.mjs "$$install" bin/contexture $${install##*/}
	@echo editors/vscode/tests/same.mjs; timeout 120 node editors/vscode/tests/same.mjs bin/contexture

$(VSCODETOOLS): editors/vscode/package.json editors/vscode/package-lock.json
	cd editors/vscode && npm ci --loglevel=error

# What the program embeds must be what the sources give.
workbench: deps build $(VSCODETOOLS)
	cd editors/workbench && npm ci --loglevel=error && npm run -s typecheck && npm run -s lint && npm test && npm run -s build -- --check
	@for part in $(WORKBENCHTESTS); do \
		echo "editors/workbench/tests/$$part.mjs"; \
		timeout 300 node editors/workbench/tests/$$part.mjs bin/contexture || exit 1; \
	done

WORKBENCHTESTS = page tasks live

# Every place of the page with every kind of data, in three themes and four widths: accessibility, and pictures against those
# that were looked at. UPDATE=1 takes the pictures again.
looks: build $(VSCODETOOLS)
	node editors/workbench/tests/looks.mjs bin/contexture

# The same for VS Code's views with every kind of data, in both versions.
vscode-looks: build extension
	@for version in $(VSCODES); do \
		install=$$(sh editors/vscode/tests/install.sh $${version%%:*} $${version##*:}) || exit 1; \
		echo "editors/vscode/tests/looks.mjs in $${install##*/}"; \
		timeout 300 node editors/vscode/tests/looks.mjs "$$install" bin/contexture $${install##*/} || exit 1; \
	done

# The READMEs' pictures of the page and of VS Code, from this repository, with palettes: that is what pngquant is for.
pictures: build vsix
	node editors/workbench/tests/pictures.mjs bin/contexture
	@for version in $(VSCODES); do newest=$$version; done; \
	install=$$(sh editors/vscode/tests/install.sh $${newest%%:*} $${newest##*:}) || exit 1; \
	timeout 300 node editors/vscode/tests/pictures.mjs "$$install" bin/contexture
	pngquant --quality 80-95 --strip --skip-if-larger --force --ext .png editors/screenshots/workbench.png editors/vscode/media/pictures/*.png

# The protocol's tools bring the Node that they want, where it is one for this machine.
MCPTOOLS = editors/mcp/node_modules/.package-lock.json

$(MCPTOOLS): editors/mcp/package.json editors/mcp/package-lock.json
	cd editors/mcp && npm ci --loglevel=error

mcp: deps build $(MCPTOOLS)
	@for part in client inspector conformance packages; do \
		echo "editors/mcp/$$part.mjs"; \
		env PATH="$$PWD/editors/mcp/node_modules/.bin:$$PATH" timeout 120 node editors/mcp/$$part.mjs bin/contexture || exit 1; \
	done

npm: deps build
	timeout 300 node editors/npm/test.mjs bin/contexture

claude-code: deps build
	cd editors/claude-code && npm ci --loglevel=error
	timeout 300 node editors/claude-code/test.mjs bin/contexture

quick:
	@GO='$(GO)' sh .ci/quick

cover:
	@GO='$(GO)' sh .ci/cover

check: format lint unit

format:
	@fmt=$$(command -v gofmt || echo "$$($(GO) env GOROOT)/bin/gofmt"); \
	list=$$($(SOURCES) -exec "$$fmt" -l {} +) || exit 1; \
	if [ -n "$$list" ]; then echo "not formatted by gofmt:" >&2; echo "$$list" >&2; exit 1; fi

vet:
	$(GO) vet ./...

# The linters have a module file of their own, so that the program does not depend on what they need.
lint:
	$(GO) tool -modfile=cmd/repocheck/lint.mod golangci-lint run --max-same-issues 0
	GO='$(GO)' sh cmd/repocheck/reach.sh
	$(GO) tool -modfile=cmd/repocheck/release.mod actionlint

# Short: tests that repeat something, such as kills, faults and invented texts, do it less often; make nightly does it all.
# The linters vet, and what debuggers need would double the time to link.
# A program with the race detector sleeps for a second at its end, unless GORACE says otherwise; tests start hundreds of
# programs. A pipe would lose the exit status in sh, so it is passed in a file. Make runs sh with -e: whatever may fail
# is in a condition.
unit:
	@race=; \
	cc=$$($(GO) env CC); \
	if [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v $${cc%% *} >/dev/null 2>&1; then \
		case "$$($(GO) env GOOS)/$$($(GO) env GOARCH)" in \
		linux/amd64|linux/arm64|linux/ppc64le|linux/s390x|linux/riscv64|linux/loong64|darwin/amd64|darwin/arm64|freebsd/amd64|windows/amd64) race=-race ;; \
		esac; \
	fi; \
	out=$$(mktemp -d) || exit 1; \
	trap 'rm -rf "$$out"' EXIT; \
	packages=$$($(GO) list ./...) || exit 1; \
	packages=$$(echo "$$packages" | awk -v part=$(PART) \
		'{ split(part, p, "/") } NR % p[2] == p[1] % p[2] { print (/\/($(LONG))$$/ ? 0 : 1), $$0 }' | sort -s -k1,1 | cut -d' ' -f2); \
	echo "$(GO) test -short $$race -timeout $(TESTTIMEOUT) of part $(PART) of ./..."; \
	atonce=$$(($$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1) + 1)); \
	{ GORACE=atexit_sleep_ms=0 $(GO) test -p "$$atonce" -short -vet=off -ldflags=-w $$race -timeout $(TESTTIMEOUT) $$packages 2>&1 && : >"$$out/passed" || :; } | tee "$$out/log"; \
	passed=$$(grep -c '^ok ' "$$out/log" || :); \
	if [ ! -f "$$out/passed" ]; then \
		echo "check: FAILED, $$(grep -c '^FAIL.*/' "$$out/log" || :) packages fail and $$passed pass" >&2; exit 1; \
	fi; \
	if [ "$$passed" -eq 0 ]; then echo "check: FAILED, no test ran" >&2; exit 1; fi; \
	tests=$$($(GO) list -f '{{$$dir := .Dir}}{{range .TestGoFiles}}{{$$dir}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$$dir}}/{{.}} {{end}}' $$packages | \
		xargs grep -hE '^func (Test|Fuzz)[A-Z]' | wc -l); \
	echo "check: ok, $$passed packages with $$((tests)) tests pass$${race:+ under the race detector}"

# Needs mingw-w64's compilers and Wine, which it does not install.
windows:
	@GO='$(GO)' sh .ci/windows

# What depends on grammars or on the faster zstd is left out: they are C. The first run compiles the standard library and the modules.
vet-others:
	@for os in darwin/arm64 windows/amd64; do \
		export GOOS=$${os%/*} GOARCH=$${os#*/} CGO_ENABLED=0; \
		list=$$($(GO) list -e -test -f '{{or .ForTest .ImportPath}} {{join .Deps " "}}' ./... | sed 's/\.test / /' | \
			awk '{ name[$$1]; for (i = 1; i <= NF; i++) if ($$i ~ /tree-sitter|indexer\/chunk$$|DataDog\/zstd$$/) c[$$1] } END { for (n in name) if (!(n in c)) print n }' | sort); \
		echo "vet $$os: $$(echo $$list | wc -w) packages"; \
		$(GO) vet $$list || exit 1; \
	done

build:
	$(GO) build -trimpath -o bin/contexture ./cmd/contexture
	$(GO) build -trimpath -o bin/contexture-team ./cmd/contexture-team

# goreleaser has a module file of its own too. Building it takes some minutes at first. RELEASEFLAGS are its flags; by
# default any commit makes a snapshot.
release: releasetools
	GO='$(GO)' .ci/release $(RELEASEFLAGS)
	.ci/installed bin/release

RELEASEFLAGS = --snapshot

# Compilers for what is built, and what shows that it works.
releasetools: deps
	@sh .ci/tools 'make release' xz=xz-utils ar=binutils rpm=rpm unzip=unzip jq=jq advzip=advancecomp ruby=ruby x86_64-linux-gnu-gcc=gcc-x86-64-linux-gnu \
		'aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu libc6-dev-arm64-cross' \
		'x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64' 'wine=wine wine64' \
		qemu-aarch64-static=qemu-user-static debootstrap=debootstrap unshare=util-linux

reproducible: release
	GO='$(GO)' .ci/reproducible

# Everything that takes too long for make test, one after the other; it stops at the first that fails.
nightly: claude-code kills team windows release reproducible
	$(GO) test -count 1 -tags nightly -timeout 60m -run '^TestGoInstall$$' -v ./cmd/contexture
	$(GO) test -count 1 -timeout 60m ./...

gen:
	$(GO) run ./cmd/gen

fuzz:
	@$(SOURCES) -name '*_test.go' -exec grep -HoE '^func Fuzz[A-Za-z0-9_]+' {} + | \
	while IFS=: read -r file name; do \
		echo "fuzz $$(dirname "$$file") $${name#func }"; \
		$(GO) test -run '^$$' -fuzz "^$${name#func }\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" </dev/null || exit 1; \
	done

# The floor (the unavoidable part of indexing) runs just before the cold index where it lies beside the repository.
bench:
	@if [ '$(BENCH)' = . ]; then \
		echo "== counting tokens: BenchmarkCount must be at least 5 times as fast as BenchmarkTiktoken"; \
		$(GO) test -run '^$$' -bench 'Count|Tiktoken' -benchtime 1s ./context/tokens || exit 1; \
		echo "== packing: the test fails below 99 % of the exact optimum on average"; \
		$(GO) test -count 1 -run 'Optimum|Bound' -v -bench Fill ./context/budget || exit 1; \
	fi
	@echo "== the program from outside, on Go's own source tree and on very much memory"
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime 1x -timeout 60m -v ./server/servertest/bench

kills:
	CONTEXTURE_TEST_KILLS=200 $(GO) test -count 1 -run '^TestKillWhile(Appending|Learning|Sharing)$$' -timeout 60m -v ./cmd/contexture

team:
	$(GO) test -count 1 -tags nightly -run '^Test(ManyFaults|Crowd)$$' -timeout 60m -v ./cmd/contexture-team
