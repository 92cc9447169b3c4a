// Package tasks tells those who follow the tasks of submits what has become of them. An instance has one
// watch per activity whose tasks are followed: at each tick it reads all of them together, from Redis, and
// those that Redis doesn't know from SQL. Event streams and polls wait for the same reads, so the load on
// the stores depends on the ticks and not on the number of followers.
package tasks
