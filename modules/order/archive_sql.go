package order

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// Live and Archived are the two tables that have stored orders, for statements that call them orders. An order is in
// one of them: live until an archive.Archiver moves it, and again when it is locked (LockRows).
const (
	Live     = `orders`
	Archived = `orders_archive AS orders`
)

// MinKeep is the shortest time for which orders are live: longer than the longest three months, so that the recent
// orders of a buyer are all live.
const MinKeep = 100 * 24 * time.Hour

// newestFirst ends a statement on numbers; a ? stands for how many.
const newestFirst = ` ORDER BY number DESC LIMIT ?`

// Newest returns the statement that selects limit numbers of orders after offset, newest first, from both tables. live
// and archived select the numbers in each, with the arguments args.
func Newest(live, archived string, args []any, limit, offset int) (query string, all []any) {
	reach := append(slices.Clone(args), offset+limit)
	return `SELECT number FROM (` + live + newestFirst + `) AS live
		UNION ALL SELECT number FROM (` + archived + newestFirst + `) AS archived` + newestFirst + ` OFFSET ?`,
		slices.Concat(reach, reach, []any{limit, offset})
}

// recall makes an archived order live.
func recall(ctx context.Context, tx *sqlx.Tx, n Number) error {
	archived, err := lockIn(ctx, tx, `orders_archive`, []Number{n})
	if err != nil || archived == 0 {
		return err
	}
	return transfer(ctx, tx, `orders_archive`, Live, []Number{n})
}

// Archive moves live orders, whose rows are locked, into the archive.
func Archive(ctx context.Context, tx *sqlx.Tx, numbers []Number) error {
	return transfer(ctx, tx, Live, `orders_archive`, numbers)
}

// transfer moves orders between the two tables. The rows of all of them must be locked: the statements don't see the
// same state of the others.
func transfer(ctx context.Context, tx *sqlx.Tx, from, to string, numbers []Number) error {
	where, args := ` WHERE number IN (`+sqldb.In(len(numbers))+`)`, sqldb.Args(numbers)
	for _, statement := range []string{
		`INSERT INTO ` + to + ` (` + columns.Names + `) SELECT ` + columns.Names + ` FROM ` + from + where,
		`DELETE FROM ` + from + where,
	} {
		res, err := tx.ExecContext(ctx, statement, args...)
		if err != nil {
			return fmt.Errorf("move %d orders from %s to %s: %w", len(numbers), from, to, err)
		}
		if n, err := res.RowsAffected(); err != nil || n != int64(len(numbers)) {
			return errors.Join(err, fmt.Errorf("%d of %d locked orders move from %s to %s", n, len(numbers), from, to))
		}
	}
	return nil
}
