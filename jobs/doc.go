// Package jobs runs the periodic jobs. all_jobs.go lists them: each is a bounded function of a module,
// and the scheduler calls it periodically. With several instances each due run is carried out once:
//
//	due (the same moment on all instances)
//	  └─ paused? ─▶ nothing
//	  └─ a lock in Redis, extended while the run lasts ── held by another ─▶ nothing
//	       └─ the mark of this due moment ── there already: another did it ─▶ nothing
//	            └─ RunOnce ─▶ a row in job_runs
//
// The lock only saves work: every job is idempotent, so concurrent runs do no harm. The lock of a
// killed instance expires within 8 seconds; then another instance takes over. While Redis is
// unavailable, jobs that need no Redis run without a lock, on each instance.
package jobs
