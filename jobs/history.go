package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/sqldb"
)

// State is the state of a run.
type State string

// The states of a run.
const (
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Run is one run of a job as job_runs keeps it.
type Run struct {
	RunID     string     `db:"run_id" json:"run_id"`
	Job       string     `db:"job" json:"job"`
	Instance  string     `db:"instance" json:"instance"`
	AskedBy   string     `db:"asked_by" json:"asked_by,omitempty"` // the operator who requested it; "" when it was due
	State     State      `db:"state" json:"state"`
	Done      int64      `db:"done" json:"done"` // how many things it did
	Error     string     `db:"error" json:"error,omitempty"`
	StartedMS api.Millis `db:"started_ms" json:"started_at"`
	EndedMS   api.Millis `db:"ended_ms" json:"ended_at,omitzero"`
}

const runColumns = `run_id, job, instance, asked_by, state, done, error, started_ms, ended_ms`

const (
	// keepRuns is how many runs of a job are kept.
	keepRuns = 200
	// After pruneEvery new runs, at most pruneMax old ones are deleted.
	pruneEvery, pruneMax = 20, 100
	// showRunningAfter is how long a due run lasts before it is shown as running.
	showRunningAfter = 500 * time.Millisecond
	// idleEvery is how often a run that had nothing to do is written.
	idleEvery = 3 * time.Second
	// writeWithin bounds one write of a run.
	writeWithin = 3 * time.Second
	// lostAfter is how long after its bound a run that has not ended counts as lost.
	lostAfter = 30 * time.Second
	// maxAhead is how far in the future a run may seem to have begun. One that began later was
	// written by an instance whose clock was ahead, and counts as older than all others.
	maxAhead = 5 * time.Minute
	// maxError is how many characters of an error are kept.
	maxError = 300
)

// newestFirst is the order of runs; its argument is history.latest.
const newestFirst = ` ORDER BY CASE WHEN started_ms > ? THEN 1 ELSE 0 END, started_ms DESC, run_id DESC`

// lostMessage is the error of a run that endLost has ended.
const lostMessage = "lost"

// history stores runs. Most find nothing to do, so a job has one row for all of these, which shows
// the last. Repetitions of the same failure share a row as well.
type history struct {
	db       *sqldb.DB
	now      func() time.Time
	newID    func() string
	instance string
	log      *slog.Logger

	mu   sync.Mutex
	jobs map[string]*written
}

// written is what this instance last wrote of a job.
type written struct {
	idleAt time.Time
	failed string // error of the last run, if it failed and did nothing
	row    string // its run_id
	rows   int    // new ones since old ones were deleted
}

// run is a run in progress.
type run struct {
	Run
	timer *time.Timer // calls showRunning

	mu          sync.Mutex
	mayBeStored bool // SQL may have its row
	ended       bool
}

func newHistory(p Deps) *history {
	return &history{db: p.DB, now: p.Now, newID: p.NewID, instance: p.Instance, log: p.Log, jobs: map[string]*written{}}
}

// latest is when a run can have begun at the latest, in milliseconds since 1970.
func (h *history) latest() int64 { return h.now().Add(maxAhead).UnixMilli() }

// lastWritten returns what this instance last wrote of a job; h.mu is held.
func (h *history) lastWritten(job string) *written {
	n := h.jobs[job]
	if n == nil {
		n = &written{rows: pruneEvery - 1} // an instance that keeps restarting deletes old rows, too
		h.jobs[job] = n
	}
	return n
}

// begin makes a run. One that was due (askedBy is "") is stored as running if it takes long.
func (h *history) begin(j *scheduled, askedBy string) *run {
	r := &run{Run: Run{
		RunID: h.newID(), Job: j.Name, Instance: h.instance, AskedBy: askedBy, State: Running,
		StartedMS: api.Millis(h.now().UnixMilli()),
	}}
	if askedBy == "" {
		r.timer = time.AfterFunc(showRunningAfter, func() { h.showRunning(r) })
	}
	return r
}

// beginRequested stores that a requested run begins now, after it has waited for its turn.
func (h *history) beginRequested(ctx context.Context, r *run) {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.StartedMS = api.Millis(h.now().UnixMilli())
	if _, err := h.change(ctx, &r.Run); err != nil { // its end is still written
		h.log.WarnContext(ctx, "the start of a run can't be written", "job", r.Job, "error", err)
	}
}

// showRunning stores that a run is in progress.
func (h *history) showRunning(r *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeWithin)
	defer cancel()
	r.mayBeStored = true // also if the insert fails: SQL may have the row, with only its answer lost
	if err := h.insert(ctx, &r.Run); err != nil {
		h.log.WarnContext(ctx, "a run can't be written", "job", r.Job, "error", err)
	}
}

// end stores how a run ended. While SQL is unavailable it is only logged.
func (h *history) end(ctx context.Context, r *run, done int, cause error) {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	if r.timer != nil {
		r.timer.Stop()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.State, r.Done, r.EndedMS = Done, int64(done), api.Millis(h.now().UnixMilli())
	if cause != nil {
		r.State, r.Error = Failed, shorten(cause)
	}
	if err := h.write(ctx, r); err != nil {
		onUnwritten.Mark()
		h.log.WarnContext(ctx, "a run can't be written", "job", r.Job, "state", r.State, "error", err)
	}
}

func (h *history) write(ctx context.Context, r *run) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.lastWritten(r.Job)
	again := r.State == Failed && r.Done == 0 && n.failed != "" && r.Error == n.failed
	recovered := n.failed != "" && r.State == Done // the first success ends the last error
	n.failed = ""
	if r.State == Failed && r.Done == 0 && !r.mayBeStored {
		n.failed = r.Error
	}
	switch {
	case r.mayBeStored:
		if err := h.upsert(ctx, &r.Run); err != nil {
			return err
		}
		return h.countNew(ctx, n, r.Job)
	case again:
		r.RunID = n.row
		return h.upsert(ctx, &r.Run)
	case r.State == Done && r.Done == 0:
		if !recovered && h.now().Sub(n.idleAt).Abs() < idleEvery {
			return nil
		}
		n.idleAt = h.now()
		r.RunID = r.Job + "-idle"
		return h.upsert(ctx, &r.Run)
	}
	n.row = r.RunID
	if err := h.insert(ctx, &r.Run); err != nil {
		return err
	}
	return h.countNew(ctx, n, r.Job)
}

// countNew counts a new row of a job, and deletes old ones now and then.
func (h *history) countNew(ctx context.Context, n *written, job string) error {
	if n.rows++; n.rows < pruneEvery {
		return nil
	}
	n.rows = 0
	return h.prune(ctx, job)
}

// exec runs one statement and returns how many rows it affected. It retries after a deadlock, since
// instances write and end runs concurrently.
func (h *history) exec(ctx context.Context, query string, args ...any) (affected int64, err error) {
	err = h.db.InTx(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		affected, err = res.RowsAffected()
		return err
	})
	return affected, err
}

func (h *history) insert(ctx context.Context, r *Run) error {
	const insert = `INSERT INTO job_runs (` + runColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	err := h.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, insert, r.RunID, r.Job, r.Instance, r.AskedBy, r.State, r.Done, r.Error,
			r.StartedMS, r.EndedMS); err != nil || r.AskedBy == "" {
			return err
		}
		return oplog.Record(ctx, tx, oplog.Entry{Action: "job.run", On: "job:" + r.Job, After: r})
	})
	if err != nil {
		return fmt.Errorf("insert run of %s: %w", r.Job, err)
	}
	return nil
}

// change updates a row, also one that counted as lost.
func (h *history) change(ctx context.Context, r *Run) (found bool, err error) {
	const update = `UPDATE job_runs SET instance = ?, state = ?, done = ?, error = ?, started_ms = ?, ended_ms = ?
		WHERE run_id = ?`
	n, err := h.exec(ctx, update, r.Instance, r.State, r.Done, r.Error, r.StartedMS, r.EndedMS, r.RunID)
	if err != nil {
		return false, fmt.Errorf("update run of %s: %w", r.Job, err)
	}
	return n > 0, nil
}

// upsert writes a row that SQL may already have.
func (h *history) upsert(ctx context.Context, r *Run) error {
	found, err := h.change(ctx, r)
	if err != nil || found {
		return err
	}
	if err := h.insert(ctx, r); !sqldb.IsDuplicate(err) {
		return err
	}
	onSameRun.Mark()
	_, err = h.change(ctx, r) // another instance inserted it meanwhile, or an insert that seemed to fail did not
	return err
}

// shorten turns an error into one line of at most maxError characters.
func shorten(err error) string {
	if errors.Is(err, context.DeadlineExceeded) && err.Error() == context.DeadlineExceeded.Error() {
		return "not done in time"
	}
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(err.Error(), "?") {
		if unicode.IsControl(r) {
			r = ' '
		}
		if n++; n == maxError {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
