#!/bin/sh
# The unit is neither enabled nor restarted: an operator sets /etc/onrush/onrush.env first, and replaces instances one by
# one. The unit makes its user itself (DynamicUser).
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
