#!/bin/sh
# The unit is neither enabled nor restarted: an operator sets /etc/onrush/onrush.env first, and replaces instances one by
# one. The unit makes its user itself (DynamicUser).
# dpkg gives its root if it installs into another.
set -e
settings=${DPKG_ROOT:-}/etc/onrush/onrush.env
example=${DPKG_ROOT:-}/usr/share/onrush/onrush.env # only Debian's package has it
if [ -e "$example" ] && [ ! -e "$settings" ]; then
  install -D -m 0600 "$example" "$settings"
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
