#!/bin/sh
# Fails where a function is reached by no program of the repository, tests aside, and where an exception is needed no more:
# sh cmd/repocheck/reach.sh, from the repository's top. Exceptions are lines of reach.txt: a text that is in the
# finding, a tab, and the reason.
set -eu
go=${GO:-go}
here=cmd/repocheck
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$go" tool -modfile=$here/lint.mod deadcode ./cmd/... >"$out/all"
grep -v '^#' $here/reach.txt | cut -f1 >"$out/exceptions"
if grep -v -F -f "$out/exceptions" "$out/all"; then
	echo "reach: nothing calls these: wire them, delete them, or name them in $here/reach.txt" >&2
	exit 1
fi
while IFS= read -r exception; do
	if ! grep -q -F -e "$exception" "$out/all"; then
		echo "reach: $here/reach.txt excepts $exception, which is no finding any more" >&2
		exit 1
	fi
done <"$out/exceptions"
