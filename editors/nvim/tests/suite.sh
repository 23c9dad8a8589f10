#!/bin/sh
# Runs a suite of tests in a Neovim, within five minutes. It passes only where Neovim ends with status 0 and the last
# line says that all tests passed: Neovim leaves with that status also where it ends early, see kit.lua.
#
#	CONTEXTURE=bin/contexture sh editors/nvim/tests/suite.sh NVIM editors/nvim/tests/run.lua
set -eu

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# A pipe would lose the exit status in sh, so it is passed in a file.
{
	status=0
	XDG_STATE_HOME="$out/state" timeout -k 10 300 "$1" --clean --headless -l "$2" </dev/null || status=$?
	echo "$status" >"$out/status"
} | tee "$out/log"
status=$(cat "$out/status")
last=$(tail -n 1 "$out/log")
if [ "$status" -ne 0 ] || ! echo "$last" | grep -qx '[1-9][0-9]* passed, 0 failed'; then
	where=
	echo "$last" | grep -qx '[0-9]* passed, [0-9]* failed' || where="; Neovim ended in the last test above, or after it"
	printf '\n%s: FAILED with status %s%s\n' "$2" "$status" "$where" >&2
	exit 1
fi
