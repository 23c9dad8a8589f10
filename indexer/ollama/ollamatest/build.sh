#!/bin/sh
# Builds the Ollama server that the tests talk to, once, and prints where it is: $OLLAMA_BIN if that is set, else a file
# in the user's cache. Takes five to eight minutes of a processor, milliseconds when the file is there. With -n it builds
# nothing, and fails where there is none.
#
# The server is fetched and built by Go as a program of its own, so go.mod knows nothing of it. A module's archive lacks
# every folder called vendor, so three C headers that llama.cpp keeps in one come from elsewhere: two from packages of
# the operating system, miniaudio.h from a Go module that carries it.
set -eu

version=v0.17.4
malgo=v0.11.24
go=${GO:-go}

if [ -n "${OLLAMA_BIN:-}" ]; then
	if [ ! -x "$OLLAMA_BIN" ]; then
		echo "OLLAMA_BIN is $OLLAMA_BIN, which is no program" >&2
		exit 1
	fi
	echo "$OLLAMA_BIN"
	exit 0
fi

# Plain amd64 code embeds ten times slower than code for processors since 2013, where this machine has one.
march=
if grep -q '^flags.* avx2 .*' /proc/cpuinfo 2>/dev/null &&
	grep -q '^flags.* bmi2 .*' /proc/cpuinfo && grep -q '^flags.* fma .*' /proc/cpuinfo; then
	march=-march=x86-64-v3
fi

target=$($go env GOHOSTOS)-$($go env GOHOSTARCH)${march#-march=x86-64}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/contexture-test/ollama-$version-$target
if [ -x "$cache/ollama" ]; then
	echo "$cache/ollama"
	exit 0
fi

if [ "${1:-}" = -n ]; then
	exit 1
fi

for header in nlohmann/json_fwd.hpp stb/stb_image.h; do
	if ! echo "#include <$header>" | $($go env CXX) -E -x c++ - >/dev/null 2>&1; then
		echo "no C++ compiler that finds $header (Debian's packages: g++ nlohmann-json3-dev libstb-dev)" >&2
		exit 1
	fi
done

# One build at a time. Where there is no flock, two would do the same work and the last one's file would stay.
mkdir -p "$cache"
if command -v flock >/dev/null 2>&1; then
	exec 9>"$cache/lock"
	flock 9
	if [ -x "$cache/ollama" ]; then
		echo "$cache/ollama"
		exit 0
	fi
fi

echo "building the Ollama server $version that tests talk to: once, some minutes" >&2
work=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cd "$work" # away from any go.mod and go.work
unset GOOS GOARCH GOAMD64 GOFLAGS
export GOTOOLCHAIN=local GOWORK=off CGO_ENABLED=1
carrier=$($go mod download -json github.com/gen2brain/malgo@$malgo | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
if [ ! -f "$carrier/miniaudio.h" ]; then
	echo "the Go module github.com/gen2brain/malgo $malgo cannot be fetched" >&2
	exit 1
fi
mkdir -p headers/miniaudio
ln -s "$carrier/miniaudio.h" headers/miniaudio/
# The compiler's flags are part of the key of Go's cache. This folder's name, which differs each time, must not be: a
# build that was stopped goes on where it was. So the compiler is told by its environment.
export CPATH="$work/headers${CPATH:+:$CPATH}" CGO_CFLAGS="-O2 $march" CGO_CXXFLAGS="-O2 $march" GOBIN="$work/bin"
nice -n 10 $go install -trimpath -ldflags "-s -w -X github.com/ollama/ollama/version.Version=${version#v}" \
	github.com/ollama/ollama@$version >&2
mv "$work/bin/ollama" "$cache/ollama"
echo "$cache/ollama"
