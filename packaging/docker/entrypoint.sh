#!/bin/sh
# Runs its arguments as the container's user. If the container runs as root, it first becomes the user PUID and the group PGID (1000).
set -eu

fail () {
  printf '%s\n' "$*" >&2
  exit 64
}

# Accepts only digits without a leading zero, which excludes root, and no larger number than the kernel accepts.
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
  # The top folder of a new volume may belong to root. Files inside keep their owners.
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

# Needed by ssh.sh if the image does not have this user, or the engine gave it another home folder. A home folder that is not writable must
# not prevent the start.
home=${HOME:-/home/node}
if [ "$(getent passwd "$uid" | cut -d: -f6)" != "$home" ]; then
  { printf 'agent:x:%s:%s:agent:%s:/bin/bash\n' "$uid" "$(id -g)" "$home" >"$home/.passwd"; } 2>/dev/null || true
fi

# If the container is the boundary, commands can use /tmp, so the service keeps its own temporary files where commands cannot reach them.
if [ "${SVC_WEBUI_SANDBOX:-}" = container ]; then
  export TMPDIR="$data/tmp"
  [ -d "$TMPDIR" ] || mkdir -m 0700 "$TMPDIR"
fi

# tini reaps processes that commands leave behind, with -s even below an init of the engine (--init). It runs as the final user, because
# root without capabilities could not pass on signals to other users' processes.
exec tini -s -- "$@"
