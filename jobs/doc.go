// Package jobs gives the modules their time: each job is a bounded RunOnce of a module, and the
// scheduler calls it over and over. With several instances each due run is carried out once:
//
//	due (the same moment on all instances)
//	  └─ paused? ─▶ nothing
//	  └─ a lock in Redis, extended while the run lasts ── held by another ─▶ nothing
//	       └─ the mark of this due moment ── there already: another did it ─▶ nothing
//	            └─ RunOnce ─▶ a row in job_runs
//
// The lock saves work and is not what is right: every job is idempotent, so that runs side by side
// do no harm. An instance that is killed leaves its lock behind for at most 8 seconds; then another
// takes over. Where Redis is away, jobs that need no Redis go on without a lock, on each instance.
package jobs
