// Package tasks tells the followers of submits' tasks how their states change. An instance has one watch
// per activity whose tasks are followed: at each tick it reads all of these tasks together from Redis, and
// the tasks that Redis doesn't know from SQL. Event streams and polls wait for the same reads, so the load
// on the stores depends on the ticks and not on the number of followers.
package tasks
