// Package alerts tests that each alert of deploy/mixin fires by a real fault, in a real Prometheus.
package alerts
