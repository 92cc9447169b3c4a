package jobs

import (
	"context"
	"time"

	"onrush/modules/panics"
)

// Job is work that is done periodically.
type Job struct {
	// Name is [a-z_]{1,25}.
	Name string
	// Every is the time between two due moments, at least a millisecond. The moments are multiples
	// of it since 1970, so that they are the same on all instances.
	Every time.Duration
	// Within bounds one run.
	Within  time.Duration
	RunOnce RunFunc
	// Internal marks a job that each instance runs for itself, without a lock, and that operators
	// don't see.
	Internal bool
	// Purpose says in one line what the job does; its row in docs/operating/when-something-breaks.md begins with it.
	Purpose string
}

// RunFunc does the work of a job once, in bounded time, and returns how many things it did.
type RunFunc func(ctx context.Context) (done int, err error)

// run does the work once; a panic is an error with its stack.
func (j *Job) run(ctx context.Context) (int, error) {
	return panics.RecoveredValue(func() (int, error) { return j.RunOnce(ctx) })
}

// slot numbers the due moment that was last at a time.
func (j *Job) slot(at time.Time) int64 { return at.UnixMilli() / j.Every.Milliseconds() }

// nextDue is the first moment after a time at which the job is started. It lies in the middle
// between two slots, so that a start that is a little early or late belongs to the same one.
func (j *Job) nextDue(at time.Time) time.Time {
	every := j.Every.Milliseconds()
	due := j.slot(at)*every + every/2
	if due <= at.UnixMilli() {
		due += every
	}
	return time.UnixMilli(due).UTC()
}
