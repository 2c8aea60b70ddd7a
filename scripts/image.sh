#!/bin/bash
# Builds the container image from the Dockerfile, and tries it.
#
#   scripts/image.sh build [slim|full] [tag]    builds it with docker, buildah or podman: the first that works here
#   scripts/image.sh check [tag] [first]        starts it in several ways, or the first of them, with a turn, a push over ssh and the health
#                                               check; prints sizes. Needs root
#   scripts/image.sh base [tag]                 builds a base of Debian (debootstrap) and npm's Node, if no registry can be reached;
#                                               then run NODE_IMAGE=<tag> scripts/image.sh build
#   scripts/image.sh pin                        writes the digest of the base into the Dockerfile
#
# NODE_EXTRA_CA_CERTS: a file with the certificate authority of a network that intercepts TLS (podman and buildah).
# SVC_IMAGE_TOOL: the program to build with. BUILDAH_ISOLATION=chroot and STORAGE_DRIVER=vfs are for machines whose kernel allows nothing
# better.
set -euo pipefail
cd "$(dirname "$0")/.."

say () { printf '%s\n' "$*" >&2; }
fail () { say "$*"; exit 1; }
has () { command -v "$1" >/dev/null; }

tool () {
  if [ -n "${SVC_IMAGE_TOOL:-}" ]; then echo "$SVC_IMAGE_TOOL"
  elif has docker && docker info >/dev/null 2>&1; then echo docker
  elif has buildah; then echo buildah
  elif has podman; then echo podman
  else fail 'Install docker, podman or buildah.'
  fi
}

build () {
  local target=${1:-slim} tag=${2:-agent-web-service} with
  with=$(tool)
  local source=${RELEASE_REPOSITORY:-$(git remote get-url origin 2>/dev/null || true)}
  # An address that a browser opens, without credentials.
  case "$source" in
    https://*) source=${source#https://}; source=https://${source##*@}; source=${source%.git} ;;
    *) source= ;;
  esac
  local args=(--target "$target" --tag "$tag"
    --build-arg "VERSION=$(node -p 'require("./package.json").version')"
    --build-arg "SOURCE=$source"
    --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)")
  [ -z "${NODE_IMAGE:-}" ] || args+=(--build-arg "NODE_IMAGE=$NODE_IMAGE" --pull=false)
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ] && [ "$with" != docker ]; then
    args+=(--build-arg NODE_EXTRA_CA_CERTS=/run/authorities.crt --volume "$NODE_EXTRA_CA_CERTS:/run/authorities.crt:ro")
  fi
  case "$with" in
    docker) docker build "${args[@]}" . ;;
    # Docker's format keeps the health check, which the OCI format has no place for.
    *) "$with" build --format docker --layers "${args[@]}" . ;;
  esac
}

# Builds a base like node:24-trixie-slim: minimal Debian, Node and npm in /usr/local, and the user node.
base () {
  local tag=${1:-localhost/node:24-trixie-slim} container
  if ! has debootstrap || ! has buildah; then fail 'Install debootstrap and buildah.'; fi
  [ "$(id -u)" = 0 ] || fail 'debootstrap needs root.'
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  debootstrap --variant=minbase --include=ca-certificates trixie "$folder" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >&2
  (cd "$folder" && rm -rf var/lib/apt/lists/* var/cache/apt/archives/*.deb usr/share/{doc,man,locale}/* dev/*)
  install -D -m 0755 "node_modules/node-linux-$(node -p process.arch)/bin/node" "$folder/usr/local/bin/node"
  mkdir -p "$folder/usr/local/lib/node_modules"
  cp -rL "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$folder/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$folder/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$folder/usr/local/bin/npx"
  chroot "$folder" useradd --create-home --uid 1000 --user-group --shell /bin/bash node
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$folder" / >&2
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd node "$container"
  buildah commit --quiet --rm "$container" "$tag"
}

pin () {
  local name digest
  name=$(sed -n 's/^ARG NODE_IMAGE=\([^@]*\).*/\1/p' Dockerfile)
  if has docker && docker buildx version >/dev/null 2>&1; then
    digest=$(docker buildx imagetools inspect "$name" --format '{{.Manifest.Digest}}')
  elif has skopeo; then digest=$(skopeo inspect --format '{{.Digest}}' "docker://$name")
  else fail 'Install docker with buildx, or skopeo.'
  fi
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || fail "The registry returned no digest for $name."
  sed -i "s|^ARG NODE_IMAGE=.*|ARG NODE_IMAGE=$name@$digest|" Dockerfile
  say "$name is pinned to $digest."
}

case "${1:-}" in
  build) build "${@:2}" ;;
  base) base "${@:2}" ;;
  check) exec node scripts/check-image.js "${@:2}" ;;
  pin) pin ;;
  *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
