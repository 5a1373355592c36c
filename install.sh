#!/bin/sh
# Installs plainsong from an archive that `cargo xtask dist` made, without a Rust toolchain.
#
#   ./install.sh ARCHIVE.tar.gz      an archive on this machine, with ARCHIVE.tar.gz.sha256 beside it
#   ./install.sh                     fetches the archive of this machine's target from $PLAINSONG_RELEASES
#
# PREFIX says where to [default: ~/.local]: the command goes to PREFIX/bin, manual pages and completions to PREFIX/share.
# Nothing is installed unless the checksum is right. To remove it all, delete the files that are listed at the end.
set -eu

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

sha256() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum "$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 "$1" | cut -d ' ' -f 1
    else
        fail "neither sha256sum nor shasum is there to check the archive with"
    fi
}

target() {
    case "$(uname -s) $(uname -m)" in
        "Linux x86_64") echo x86_64-unknown-linux-gnu ;;
        "Linux aarch64") echo aarch64-unknown-linux-gnu ;;
        "Darwin arm64") echo aarch64-apple-darwin ;;
        "Darwin x86_64") echo x86_64-apple-darwin ;;
        *) fail "there is no archive for $(uname -s) $(uname -m); build it with cargo" ;;
    esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ $# -gt 0 ]; then
    archive=$1
    [ -f "$archive" ] || fail "$archive is not there"
    [ -f "$archive.sha256" ] || fail "$archive.sha256 is not there, so nobody knows whether the archive is whole"
else
    [ -n "${PLAINSONG_RELEASES:-}" ] || fail "name an archive, or say with PLAINSONG_RELEASES which address has them"
    name="plainsong-${PLAINSONG_VERSION:-0.1.0}-$(target).tar.gz"
    archive="$work/$name"
    for file in "$name" "$name.sha256"; do
        curl --proto '=https,file' --fail --silent --show-error --location "$PLAINSONG_RELEASES/$file" -o "$work/$file" \
            || fail "$PLAINSONG_RELEASES/$file could not be fetched"
    done
fi

expected=$(cut -d ' ' -f 1 <"$archive.sha256")
[ "$(sha256 "$archive")" = "$expected" ] || fail "the checksum of $archive is not the one in $archive.sha256; nothing was installed"

tar xzf "$archive" -C "$work"
folder=$(find "$work" -mindepth 1 -maxdepth 1 -type d -name 'plainsong-*')
[ -f "$folder/plainsong" ] || fail "$archive has no command in it"

prefix=${PREFIX:-$HOME/.local}
put() {
    mkdir -p "$(dirname "$2")"
    # A program that runs keeps its old file.
    cp "$1" "$2.new"
    mv "$2.new" "$2"
    echo "  $2"
}

echo "installed:"
put "$folder/plainsong" "$prefix/bin/plainsong"
chmod 755 "$prefix/bin/plainsong"
for page in "$folder"/man/*.1; do
    [ -f "$page" ] && put "$page" "$prefix/share/man/man1/$(basename "$page")"
done
[ -f "$folder/completions/plainsong.bash" ] && put "$folder/completions/plainsong.bash" "$prefix/share/bash-completion/completions/plainsong"
[ -f "$folder/completions/_plainsong" ] && put "$folder/completions/_plainsong" "$prefix/share/zsh/site-functions/_plainsong"
[ -f "$folder/completions/plainsong.fish" ] && put "$folder/completions/plainsong.fish" "$prefix/share/fish/vendor_completions.d/plainsong.fish"

case ":$PATH:" in
    *":$prefix/bin:"*) echo "try: plainsong new demo" ;;
    *) echo "put $prefix/bin on the search path (PATH), then try: plainsong new demo" ;;
esac
