#!/bin/sh
# ssh refuses to run for a user without a name, such as that of `--user 12345:0`, and looks for keys and known hosts in the home folder
# that the user database names. The file that the entrypoint has written gives such a user a name and its HOME.
home=${HOME:-/home/node}
if [ -r "$home/.passwd" ] && [ "$(getent passwd "$(id -u)" | cut -d: -f6)" != "$home" ]; then
  export LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD="$home/.passwd" NSS_WRAPPER_GROUP=/etc/group
fi
exec /usr/bin/ssh "$@"
