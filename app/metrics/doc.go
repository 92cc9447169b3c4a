// Package metrics serves the metrics of an instance, for Prometheus: what its modules count, and what the stores say of
// all instances together, such as the lengths of the queues. The latter is read when it is asked for, at most once in
// five seconds, however many ask.
package metrics
