#!/bin/sh
# Starts what it is given, as the user that the container runs as. Started as root, it becomes PUID and PGID (1000 without them) first.
set -eu

fail () {
  printf '%s\n' "$*" >&2
  exit 64
}

# Digits alone, without a leading zero (no other user means 0), and no more than the kernel takes.
number () {
  case "$2" in
    '' | *[!0-9]* | 0* | ??????????*) fail "$1 must be the number of a user or group (1 to 999999999), not \"$2\"." ;;
  esac
}

if [ -n "${UMASK:-}" ]; then
  case "$UMASK" in
    [0-7][0-7][0-7] | 0[0-7][0-7][0-7]) umask "$UMASK" ;;
    *) fail "UMASK must be three octal digits such as 022, not \"$UMASK\"." ;;
  esac
fi

data=${SVC_HOME:-/data}
uid=$(id -u)

if [ "$uid" = 0 ]; then
  uid=${PUID:-1000}
  gid=${PGID:-$uid}
  number PUID "$uid"
  number PGID "$gid"
  # What lies in a workspace keeps its owner; what a new volume has for a top folder may be root's.
  for folder in "$data" "${SVC_WEBUI_DEFAULT_WORKSPACE:-/workspace}" "${HOME:-/home/node}"; do
    [ -d "$folder" ] && [ "$(stat -c %u "$folder")" = 0 ] && chown "$uid:$gid" "$folder"
  done
  exec setpriv --reuid "$uid" --regid "$gid" --clear-groups --inh-caps=-all --no-new-privs "$0" "$@"
fi

if [ -n "${PUID:-}" ] && [ "$PUID" != "$uid" ]; then
  fail "The container runs as user $uid, so PUID=$PUID cannot be used: start it with --user $PUID:${PGID:-$PUID}, or as root (--user 0:0)."
fi
if [ -d "$data" ] && ! [ -w "$data" ]; then
  fail "User $uid may not write to $data. Give it the folder or volume: chown $uid $data (in docs/docker.md: Users and permissions)."
fi

# For ssh, if the image has no such user, or the engine gave it another home folder; see ssh.sh. A home folder that cannot be written is no
# reason not to start.
home=${HOME:-/home/node}
if [ "$(getent passwd "$uid" | cut -d: -f6)" != "$home" ]; then
  { printf 'agent:x:%s:%s:agent:%s:/bin/bash\n' "$uid" "$(id -g)" "$home" >"$home/.passwd"; } 2>/dev/null || true
fi

# Where the container is the boundary, commands have /tmp, and what the service keeps for a moment lies out of their reach.
if [ "${SVC_WEBUI_SANDBOX:-}" = container ]; then
  export TMPDIR="$data/tmp"
  [ -d "$TMPDIR" ] || mkdir -m 0700 "$TMPDIR"
fi

# It collects processes that commands leave behind, with -s also below an init of the engine's (--init). As the last user: as root it could
# not pass on signals to others without a right for that.
exec tini -s -- "$@"
