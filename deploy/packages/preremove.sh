#!/bin/sh
# $1 is "remove" for dpkg and 0 for rpm, unless it is an upgrade.
set -e
if [ -d /run/systemd/system ] && { [ "$1" = remove ] || [ "$1" = 0 ]; }; then
  systemctl disable --now onrush.service
fi
