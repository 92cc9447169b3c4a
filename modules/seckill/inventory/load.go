package inventory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// maxRemembered bounds how many activities a job remembers between two runs.
const maxRemembered = 2000

// Loader loads activities from SQL into Redis. Publish, start, reload and preheat all use it.
type Loader struct {
	db     *sqldb.DB
	lua    *lua.Scripts
	log    *slog.Logger
	faults order.Faults

	mu     sync.Mutex
	filled map[string]filledTasks // by id of an activity whose tasks are being filled
}

// filledTasks is how far the tasks of an activity were filled after the load with this epoch.
type filledTasks struct {
	epoch int64
	next  taskCursor
}

// NewLoader returns a Loader.
func NewLoader(d Deps) *Loader {
	return &Loader{db: d.DB, lua: d.Lua, log: d.Log, faults: d.Faults, filled: map[string]filledTasks{}}
}

// Load fills an activity's keys from SQL and opens it, or closes it if it is offline. The error is
// seckill.ErrLoaded if Redis has the last load of the activity, seckill.ErrRetired if it is retired, and
// lua.ErrSuperseded if another load overtook this one. A failure to fill the tasks is only logged.
func (l *Loader) Load(ctx context.Context, id string) error {
	if err := l.Open(ctx, id); err != nil {
		return err
	}
	if err := l.FillTasks(ctx, id); err != nil { // the activity sells; the preheater fills the rest
		onTasksLater.Mark()
		l.log.WarnContext(ctx, "filling the tasks of an activity failed; the preheater continues",
			"activity_id", id, "error", err)
	}
	return nil
}

// Open fills what an activity needs to sell, and opens it. FillTasks fills the tasks of stored orders later;
// until then, submits query SQL for tasks that Redis doesn't have.
//
// A load must count every order once, although orders move and are cancelled meanwhile:
//   - It raises the epoch while it locks the activity's stock rows, and commits at once. After that, an
//     order that was read from Redis earlier is either stored already, or can no longer be stored from that
//     read.
//   - From then on the activity is marked as loading in Redis: nothing is placed, returned, confirmed or
//     changed, and no entry of it leaves the queue.
//   - Then it opens a read view of SQL, and reads the view and the queue without any lock. An order that is
//     in the queue and not in the view holds its units by its hold, even if it is stored meanwhile. What
//     is cancelled or paid after the view is in the outbox, which is applied once the activity is open.
func (l *Loader) Open(ctx context.Context, id string) error {
	a, epoch, err := l.begin(ctx, id)
	if err != nil {
		return fmt.Errorf("load activity %s: %w", id, err)
	}
	if err := l.faults.After("load_commit"); err != nil {
		return err
	}
	f := &filler{loader: l, epoch: epoch, gone: map[string]int64{}, unpaid: map[string]int64{}}
	err = l.db.InView(ctx, func(tx *sqlx.Tx) error {
		// Read again: the stock must be from the same view as the orders.
		if f.a, err = seckill.SelectActivity(ctx, tx, id); err != nil {
			return err
		}
		return f.fill(ctx, tx)
	})
	if lua.IsFull(err) { // free the memory of the incomplete activity
		onLoadFull.Mark()
		err = errors.Join(err, l.lua.LoadGiveUp(ctx, a.Lane, id, epoch))
	}
	if err != nil {
		return fmt.Errorf("load activity %s: %w", id, err)
	}
	if err := l.faults.After("load_fill"); err != nil {
		return err
	}
	meta := a.Meta()
	if f.stored {
		meta["tasks"] = string(lua.StateLoading)
	}
	if err := l.lua.LoadOpen(ctx, a.Lane, id, epoch, meta); err != nil {
		return fmt.Errorf("load activity %s: %w", id, err)
	}
	l.log.InfoContext(ctx, "activity loaded", "activity_id", id, "lane", a.Lane, "epoch", epoch)
	return l.catchUp(ctx, a)
}

// begin raises the epoch, and marks the activity as loading in Redis before the commit makes the new epoch
// visible. If the commit fails, the next load uses the same epoch again.
func (l *Loader) begin(ctx context.Context, id string) (a *seckill.Activity, epoch int64, err error) {
	err = l.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := order.Fence(ctx, tx, id); err != nil {
			return err
		}
		if a, err = seckill.SelectActivity(ctx, tx, id); err != nil {
			return err
		}
		if a == nil || a.Lane == 0 || len(a.SKUs) == 0 {
			return errors.New("it is not published")
		}
		if a.RetiredMS > 0 {
			return seckill.ErrRetired
		}
		if !a.Needs.Known() {
			return fmt.Errorf("this version can't sell with all of %q", a.Needs)
		}
		inRedis, err := l.lua.Epoch(ctx, a.Lane, id) // higher than in SQL if that was restored from a backup
		if err != nil {
			return err
		}
		if inRedis > a.Epoch() {
			onRedisAhead.Mark()
		}
		epoch = max(a.Epoch(), inRedis) + 1
		if _, err := tx.ExecContext(ctx, `UPDATE activity_stock SET epoch = ? WHERE activity_id = ?`, epoch,
			id); err != nil {
			return fmt.Errorf("raise epoch of activity %s: %w", id, err)
		}
		begun, err := l.lua.LoadBegin(ctx, a.Lane, id, epoch, a.Epoch())
		if err != nil {
			return err
		}
		if !begun {
			onLoadedAlready.Mark()
			return seckill.ErrLoaded
		}
		return l.faults.After("load_begin")
	})
	return a, epoch, err
}

// FillTasks fills the tasks of the orders that SQL has, after the activity was opened. It does nothing if
// Redis has them all, and resumes where an earlier call of this Loader was interrupted. If another load has
// begun, it stops and returns nil.
func (l *Loader) FillTasks(ctx context.Context, id string) error {
	a, err := seckill.ViewActivity(ctx, l.db, id)
	if err != nil || a == nil {
		return err
	}
	meta, err := l.lua.Redis.HMGet(ctx, l.lua.Keys.Meta(a.Lane, id), "tasks", "epoch").Result()
	if err != nil {
		return fmt.Errorf("read state of activity %s: %w", id, err)
	}
	if meta[0] != string(lua.StateLoading) {
		return nil
	}
	epoch, err := strconv.ParseInt(fmt.Sprint(meta[1]), 10, 64)
	if err != nil {
		return fmt.Errorf("read epoch of activity %s: %w", id, err)
	}
	l.mu.Lock()
	had := l.filled[id]
	l.mu.Unlock()
	if had.epoch != epoch {
		had = filledTasks{}
	}
	if had.next != (taskCursor{}) {
		onTasksResumed.Mark()
	}
	var tasks pairs
	err = eachTask(ctx, l.db.Read, id, had.next, func(page []storedTask, next taskCursor) error {
		tasks = tasks[:0]
		for i := range page {
			if hash := order.TaskHash(page[i].Task); hash != "" {
				tasks.add(hash, taskValue(&page[i]))
			}
		}
		if err := l.lua.FillTasks(ctx, a.Lane, id, epoch, tasks); err != nil {
			return err
		}
		l.rememberFilled(id, filledTasks{epoch, next})
		return nil
	})
	if err == nil {
		err = l.lua.TasksDone(ctx, a.Lane, id, epoch)
	}
	if err == nil || errors.Is(err, lua.ErrSuperseded) {
		l.rememberFilled(id, filledTasks{})
		return nil
	}
	return err
}

// rememberFilled records how far the tasks of an activity are filled; the zero value removes the record.
func (l *Loader) rememberFilled(id string, to filledTasks) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if to == (filledTasks{}) {
		delete(l.filled, id)
		return
	}
	if len(l.filled) >= maxRemembered {
		clear(l.filled) // their tasks are filled from the start again
	}
	l.filled[id] = to
}

// taskValue returns the value of a stored order's task in the tasks hash.
func taskValue(t *storedTask) string {
	task := lua.Task{Number: t.Number.String(), State: lua.TaskStored, Digest: t.Digest}
	if t.Status == order.Failed {
		task.State, task.Reason = lua.TaskFailed, t.Reason
	}
	return task.String()
}

// catchUp gives Redis a change that was committed while the load ran: Redis had nothing to change at that time, and the
// load has opened the activity as it was read before.
func (l *Loader) catchUp(ctx context.Context, opened *seckill.Activity) error {
	var version int64
	if err := l.db.Write.GetContext(ctx, &version, `SELECT version FROM activities WHERE activity_id = ?`,
		opened.ID); err != nil {
		return fmt.Errorf("select the version of activity %s: %w", opened.ID, err)
	}
	if version == opened.Version {
		return nil
	}
	onCatchUp.Mark()
	a, err := seckill.ViewActivity(ctx, l.db, opened.ID)
	if err != nil || a == nil {
		return err
	}
	_, err = l.lua.ChangeActivity(ctx, a.Lane, a.ID, a.RedisVersion(), a.Changed())
	if err != nil && !errors.Is(err, lua.ErrUnconfirmed) { // SQL doesn't record it
		return fmt.Errorf("load activity %s: %w", a.ID, err)
	}
	return nil
}
