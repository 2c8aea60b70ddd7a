#!/bin/bash
# Checks the health of the service: exits with 0 if it answers 200. bash opens the connection itself, so that no program has to start.
case "${SVC_WEBUI_HOST:-}" in
  '' | 0.0.0.0 | :: | localhost) host=127.0.0.1 ;;
  *) host=$SVC_WEBUI_HOST ;;
esac
{ exec 3<>"/dev/tcp/$host/${SVC_WEBUI_PORT:-8787}"; } 2>/dev/null || { echo 'nothing listens'; exit 1; }
printf 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
IFS=' ' read -r -t 4 _ status _ <&3 || { echo 'no answer'; exit 1; }
echo "status $status"
[ "$status" = 200 ]
