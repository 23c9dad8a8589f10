#!/bin/sh
# Builds the Ollama server that the tests talk to, once, and prints where it is: $OLLAMA_BIN if that is set, else a file
# in the user's cache. Takes four to five minutes of a processor, milliseconds when the file is there.
#
# The server is fetched and built by Go as a program of its own, so go.mod knows nothing of it. A module's archive lacks
# every folder called vendor, so three C headers that llama.cpp keeps in one come from elsewhere: two from packages of
# the operating system, miniaudio.h from a Go module that carries it.
set -eu

version=v0.17.4
malgo=v0.11.24

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

target=$(go env GOHOSTOS)-$(go env GOHOSTARCH)${march#-march=x86-64}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/contexture-test/ollama-$version-$target
if [ -x "$cache/ollama" ]; then
	echo "$cache/ollama"
	exit 0
fi

include=
for dir in /usr/include /usr/local/include /opt/homebrew/include; do
	if [ -f "$dir/nlohmann/json_fwd.hpp" ] && [ -f "$dir/stb/stb_image.h" ]; then
		include=$dir
		break
	fi
done
if [ -z "$include" ]; then
	echo "the headers nlohmann/json_fwd.hpp and stb/stb_image.h are missing (apt: nlohmann-json3-dev, libstb-dev)" >&2
	exit 1
fi

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
carrier=$(go mod download -json github.com/gen2brain/malgo@$malgo | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
mkdir -p headers/miniaudio headers/stb headers/nlohmann
ln -s "$carrier/miniaudio.h" headers/miniaudio/
ln -s "$include/stb/stb_image.h" headers/stb/
ln -s "$include/nlohmann/"* headers/nlohmann/
# The compiler's flags are part of Go's cache key: the headers' folder, whose name differs each time, must not be. It is
# found by the compiler itself.
export CPATH="$work/headers${CPATH:+:$CPATH}" CGO_CFLAGS="-O2 $march" CGO_CXXFLAGS="-O2 $march" GOBIN="$work/bin"
nice -n 10 go install -trimpath -ldflags "-s -w -X github.com/ollama/ollama/version.Version=${version#v}" \
	github.com/ollama/ollama@$version >&2
mv "$work/bin/ollama" "$cache/ollama"
echo "$cache/ollama"
