package schema

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"onrush/modules/loop"
	"onrush/modules/sqldb"
)

// progress tells of the changes that up runs.
type progress struct {
	log   *slog.Logger
	every time.Duration // how often a change is mentioned while it runs
}

// tellEvery is how often Upgrade mentions a change that runs.
const tellEvery = 30 * time.Second

// tell logs that a change runs, and what its statement waits for, until stop is called, which logs that it has ended.
func (p progress) tell(ctx context.Context, db *sqldb.DB, change string) (stop func(error)) {
	began := time.Now()
	p.log.InfoContext(ctx, "changing the tables", "change", change)
	running, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for loop.Wait(running, p.every) == nil {
			attrs := []any{"change", change, "for", time.Since(began).Round(time.Second)}
			p.log.InfoContext(ctx, "still changing the tables", append(attrs, waiting(running, db)...)...)
		}
	}()
	return func(err error) {
		cancel()
		<-ended
		if err == nil {
			p.log.InfoContext(ctx, "changed the tables", "change", change, "after",
				time.Since(began).Round(time.Millisecond))
		}
	}
}

// waiting describes the statement that runs, as far as the server shows it to the login: without the privilege PROCESS
// it shows no transaction of others.
func waiting(ctx context.Context, db *sqldb.DB) (attrs []any) {
	if db.Dialect != sqldb.MySQL {
		return nil
	}
	lock, err := lockFor(ctx, db)
	if err != nil {
		return nil
	}
	var statement struct {
		ID    int64  `db:"id"`
		State string `db:"state"`
		Text  string `db:"text"`
	}
	const read = `SELECT id, COALESCE(state, '') AS state, COALESCE(LEFT(info, 200), '') AS text
		FROM information_schema.processlist WHERE id = IS_USED_LOCK(?)`
	if err := db.Read.GetContext(ctx, &statement, read, string(lock)); err != nil {
		return nil
	}
	attrs = []any{"statement", strings.Join(strings.Fields(statement.Text), " "), "state", statement.State}
	if !strings.HasPrefix(statement.State, "Waiting for") {
		return attrs
	}
	// A table is locked until the transactions that have used it end, so that the oldest of them is the likely cause.
	var open []struct {
		Connection int64 `db:"connection"`
		Seconds    int64 `db:"seconds"`
	}
	const older = `SELECT trx_mysql_thread_id AS connection, TIMESTAMPDIFF(SECOND, trx_started, NOW()) AS seconds
		FROM information_schema.innodb_trx WHERE trx_mysql_thread_id NOT IN (0, ?) ORDER BY trx_started LIMIT 3`
	if err := db.Read.SelectContext(ctx, &open, older, statement.ID); err != nil || len(open) == 0 {
		return append(attrs, "waits_for", "a lock; SHOW FULL PROCESSLIST has the connections that may hold it")
	}
	holders := make([]string, len(open))
	for i, o := range open {
		holders[i] = fmt.Sprintf("connection %d, in a transaction since %d s", o.Connection, o.Seconds)
	}
	return append(attrs, "waits_for", "a lock, held by: "+strings.Join(holders, "; or "))
}
