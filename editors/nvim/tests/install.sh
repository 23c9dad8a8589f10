#!/bin/sh
# Puts a Neovim of another Debian suite into a folder, beside the system and without touching it, and prints the
# program's path. Needs apt and, as root or by sudo, patchelf. What is there already is used.
#
#	sh editors/nvim/tests/install.sh trixie     0.10, the oldest that is served
#	sh editors/nvim/tests/install.sh forky      0.12, the newest
set -eu

suite=$1
root=${XDG_CACHE_HOME:-$HOME/.cache}/contexture-test/nvim-$suite
program=$root/usr/bin/nvim
if [ -x "$program" ]; then
	echo "$program"
	exit
fi

command -v patchelf >/dev/null 2>&1 || { echo "install.sh: needs patchelf" >&2; exit 1; }
machine=$(uname -m)

# The mirror that this machine uses already.
mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
[ -n "$mirror" ] || mirror=$(awk '$1 == "deb" { print $2; exit }' /etc/apt/sources.list)

apt=$(mktemp -d)
trap 'rm -rf "$apt" "$root.new"' EXIT
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/etc"
: >"$apt/status" # nothing is installed: apt brings every library, libc too
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$apt/etc/sources.list"
cat >"$apt/apt.conf" <<EOF
Dir::Etc::sourcelist "$apt/etc/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Binary::apt-get::APT::Keep-Downloaded-Packages "true";
EOF
export APT_CONFIG="$apt/apt.conf"
apt-get update -qq >&2
apt-get install -y -qq --download-only neovim >&2

rm -rf "$root.new"
mkdir -p "$root.new"
for package in "$apt"/cache/archives/*.deb; do
	dpkg-deb -x "$package" "$root.new"
done
lib=usr/lib/$machine-linux-gnu
loader=$(ls "$root.new/$lib"/ld-linux-*.so.* | head -n 1)
# The loader's path is part of the program, so the folder gets its last name first.
rm -rf "$root"
mv "$root.new" "$root"
patchelf --set-interpreter "$root/$lib/${loader##*/}" --force-rpath --set-rpath "\$ORIGIN/../lib/$machine-linux-gnu" "$program"
"$program" --version | head -n 1 >&2
echo "$program"
