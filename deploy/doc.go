// Package deploy tests what operators run Onrush with, as far as one machine can: the program in a bare root, the
// configurations of haproxy, nginx, systemd and Prometheus, the compose file, the chart, and the files of a release.
package deploy
