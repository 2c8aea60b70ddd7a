#!/bin/sh
# ssh does not run for a user without a name, which is what any user of `--user 12345:0` is, and it looks for keys and known hosts in the
# home folder that the user database names. Such a user gets the name and HOME of the file that the entrypoint has written.
home=${HOME:-/home/node}
if [ -r "$home/.passwd" ] && [ "$(getent passwd "$(id -u)" | cut -d: -f6)" != "$home" ]; then
  export LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD="$home/.passwd" NSS_WRAPPER_GROUP=/etc/group
fi
exec /usr/bin/ssh "$@"
