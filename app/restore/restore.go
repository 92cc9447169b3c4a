// Package restore finishes the restore of a SQL store from a backup, before the first instance starts.
//
// The backup has forgotten what was given out after it. So the package pauses the sales until an operator has compared;
// it raises the epochs, so that all sales are loaded again and nothing that was read of an earlier load is stored; and
// it raises the head of the events, so that no id of an event comes again, even if the clock of the new server is a day
// behind. Numbers of orders begin with their second, and are not given out again either.
package restore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

const (
	// epochStep is more loads than a sale ever had after a backup.
	epochStep = 1_000_000
	// positionStep is the room of a day among the positions of events (events.positionsPerMS).
	positionStep = 24 * 60 * 60 * 1000 << 10
	// aliveFor is how long an instance that has reported counts as running.
	aliveFor = 15 * time.Second
	// tasksAtOnce is how many tasks are read and compared at once.
	tasksAtOnce = 500
	// writeSlot is a row of the checks of writes that no instance uses.
	writeSlot = -1
)

// ErrRunning says that instances of the program run.
var ErrRunning = errors.New("instances are running: stop them all, and wait 15 seconds")

// Stores are the stores of the program, after SQL was restored.
type Stores struct {
	DB    *sqldb.DB
	Redis redis.UniversalClient
	Keys  lua.Keys
	// Pause pauses a published sale.
	Pause func(ctx context.Context, activity string) error
}

// Lost is an order that Redis knows as stored, and that SQL lost, or one sku of it. SKU to User are known of an order
// that is Unpaid.
type Lost struct {
	Activity, Number, SKU, Point string
	Quantity                     int64
	User                         string
	State                        string // Unpaid or Ended
}

// The states of a lost order, as far as Redis tells them apart.
const (
	Unpaid = "unpaid"
	Ended  = "paid or cancelled"
)

// Done is what Finish has done: how many sales it paused, how many orders SQL lost, and how many sales.
type Done struct{ Paused, Lost, LostSales int }

// Finish finishes a restore, and calls lost for each order that SQL lost, as far as Redis still knows it. A repeated
// call does no harm.
func Finish(ctx context.Context, s Stores, lost func(Lost) error) (done Done, err error) {
	nowMS, err := s.DB.NowMS(ctx)
	if err != nil {
		return done, err
	}
	since := strconv.FormatInt(nowMS-aliveFor.Milliseconds(), 10)
	alive, err := s.Redis.ZCount(ctx, s.Keys.Instances(), since, "+inf").Result()
	switch {
	case err != nil:
		return done, fmt.Errorf("look for running instances: %w", err)
	case alive > 0:
		return done, ErrRunning
	}
	if err := s.DB.CheckWrite(ctx, writeSlot, nowMS); err != nil {
		return done, fmt.Errorf("SQL: %w", err)
	}
	var sales []struct {
		ID     string `db:"activity_id"`
		Lane   int    `db:"lane"`
		EndsMS int64  `db:"ends_ms"`
		State  string `db:"state"`
	}
	const query = `SELECT activity_id, lane, ends_ms, state FROM activities WHERE lane > 0 AND retired_ms = 0`
	if err := s.DB.Read.SelectContext(ctx, &sales, query); err != nil {
		return done, fmt.Errorf("select the sales: %w", err)
	}
	unknown, err := s.lostSales(ctx)
	if err != nil {
		return done, err
	}
	for id, lane := range unknown {
		n, err := s.lostOf(ctx, id, lane, lost)
		done.Lost, done.LostSales = done.Lost+n, done.LostSales+1
		if err != nil {
			return done, err
		}
	}
	for _, sale := range sales {
		n, err := s.lostOf(ctx, sale.ID, sale.Lane, lost)
		done.Lost += n
		if err != nil {
			return done, err
		}
	}
	for _, sale := range sales {
		if sale.State != "published" || sale.EndsMS <= nowMS {
			continue
		}
		if err := s.Pause(ctx, sale.ID); err != nil {
			return done, fmt.Errorf("pause sale %s: %w", sale.ID, err)
		}
		done.Paused++
	}
	return done, s.raise(ctx, nowMS)
}

// raise raises what was given out after the backup.
func (s Stores) raise(ctx context.Context, nowMS int64) error {
	return s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		const head = `UPDATE events_head SET position = CASE WHEN position > ? THEN position ELSE ? END + ?`
		now := nowMS << 10
		if _, err := tx.ExecContext(ctx, head, now, now, int64(positionStep)); err != nil {
			return fmt.Errorf("raise the head of the events: %w", err)
		}
		if _, err := tx.ExecContext(ctx, `UPDATE activity_stock SET epoch = epoch + ?`, epochStep); err != nil {
			return fmt.Errorf("raise the epochs: %w", err)
		}
		return nil
	})
}

// lostSales returns the lanes of the sales of which Redis has a copy and SQL has no row: they were published after the
// backup.
func (s Stores) lostSales(ctx context.Context) (lanes map[string]int, err error) {
	ids, err := s.Redis.ZRange(ctx, s.Keys.Sales(), 0, -1).Result()
	if err != nil {
		return nil, fmt.Errorf("read which sales have copies: %w", err)
	}
	copies, err := seckill.Copied(ctx, lua.New(s.Redis, s.Keys), ids)
	if err != nil {
		return nil, fmt.Errorf("read the copies of sales: %w", err)
	}
	lanes = map[string]int{}
	for id, a := range copies {
		var rows int
		const query = `SELECT COUNT(*) FROM activities WHERE activity_id = ?`
		if err := s.DB.Read.GetContext(ctx, &rows, query, id); err != nil {
			return nil, fmt.Errorf("look up sale %s: %w", id, err)
		}
		if rows == 0 {
			lanes[id] = a.Lane
		}
	}
	return lanes, nil
}

// lostOf finds the lost orders of a sale by their tasks.
func (s Stores) lostOf(ctx context.Context, activity string, lane int, lost func(Lost) error) (n int, err error) {
	var cursor uint64
	for {
		var tasks []string
		tasks, cursor, err = s.Redis.HScan(ctx, s.Keys.Tasks(lane, activity), cursor, "", tasksAtOnce).Result()
		if err != nil {
			return n, fmt.Errorf("read the tasks of sale %s: %w", activity, err)
		}
		numbers := map[string]bool{}
		for i := 1; i < len(tasks); i += 2 {
			if task, err := lua.ParseTask(tasks[i]); err == nil && task.State == lua.TaskStored {
				numbers[task.Number] = true
			}
		}
		found, err := s.missing(ctx, activity, lane, numbers)
		if err != nil {
			return n, err
		}
		for i, l := range found {
			if i == 0 || l.Number != found[i-1].Number { // a basket has a row per sku
				n++
			}
			if err := lost(l); err != nil {
				return n, err
			}
		}
		if cursor == 0 {
			return n, nil
		}
	}
}

// missing returns the orders among numbers that SQL doesn't have, with what their holds say.
func (s Stores) missing(ctx context.Context, activity string, lane int, numbers map[string]bool) ([]Lost, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var parsed []order.Number
	for number := range numbers {
		n, err := order.ParseNumber(number)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, n)
	}
	stored, err := order.SelectStored(ctx, s.DB.Read, parsed)
	if err != nil {
		return nil, fmt.Errorf("look up orders of sale %s: %w", activity, err)
	}
	for n, o := range stored {
		if o.Activity == activity { // else another order has the number
			delete(numbers, n.String())
		}
	}
	var found []Lost
	for number := range numbers {
		hold, err := s.Redis.HGet(ctx, s.Keys.Held(lane, activity), number).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, fmt.Errorf("read the hold of order %s: %w", number, err)
		}
		state := Unpaid
		if err != nil { // it has no hold any more
			state = Ended
		}
		held, _ := lua.ParseHeld(hold)
		for sku, units := range lua.Takes(held.SKU, held.Quantity) {
			found = append(found, Lost{activity, number, sku, held.Point, units, held.User, state})
		}
	}
	return found, nil
}
