#!/bin/sh
# dpkg --purge removes the settings, too. rpm gives a number.
set -e
if [ "$1" = purge ]; then
  rm -f "${DPKG_ROOT:-}/etc/onrush/onrush.env"
  rmdir --ignore-fail-on-non-empty "${DPKG_ROOT:-}/etc/onrush" 2>/dev/null || true
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload # it forgets the unit
fi
