// Package versions has a number per buyer that rises with each change of what lists show of their orders.
package versions

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// A replica of SQL may be behind what a buyer was told. So each user has a version, which every transaction raises that
// changes what lists show of their orders: a replica whose version is as high as the primary's has all that was
// committed when the primary was asked. The version is in SQL, in the transaction of the change, so nothing that fails
// loses it. Movers don't raise it: their orders are in lists until Redis no longer has them (package logpositions).

// Parts is how many versions there are. The users of a part share its version, and may wait for each other's changes.
const Parts = 1 << 20

// PartOf returns the part of a user.
func PartOf(user string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(user))
	return int(h.Sum32() % Parts)
}

// Raise raises the versions of users in the transaction that changes their orders. Call it last: other transactions
// that change orders of the same users wait for the commit.
func Raise(ctx context.Context, tx *sqlx.Tx, users ...string) error {
	parts := make([]int, len(users))
	for i, user := range users {
		parts[i] = PartOf(user)
	}
	slices.Sort(parts) // all lock in this order
	parts = slices.Compact(parts)
	raised, err := raise(ctx, tx, parts)
	if err != nil || raised == len(parts) {
		return err
	}
	known, err := Select(ctx, tx, parts)
	if err != nil {
		return err
	}
	absent := slices.DeleteFunc(slices.Clone(parts), func(part int) bool { return known[part] > 0 })
	present := slices.DeleteFunc(parts, func(part int) bool { return known[part] == 0 })
	// Some of these were inserted by others after the first statement, and nothing tells which: all rise once more.
	if _, err := raise(ctx, tx, present); err != nil || len(absent) == 0 {
		return err
	}
	const insert = `INSERT INTO user_versions (version, part) VALUES`
	switch err := sqldb.Insert(ctx, tx, insert, "(1,?)", sqldb.Args(absent)); {
	case err == nil:
		return nil
	case !sqldb.IsDuplicate(err):
		return fmt.Errorf("insert the versions of %d users: %w", len(users), err)
	}
	for _, part := range absent { // another transaction has inserted some of them
		if raised, err = raise(ctx, tx, []int{part}); err == nil && raised == 0 {
			err = sqldb.Insert(ctx, tx, insert, "(1,?)", []any{part})
		}
		if err != nil {
			return fmt.Errorf("insert the version of a user: %w", err)
		}
	}
	return nil
}

// raise raises the versions that exist of parts, and returns how many these are.
func raise(ctx context.Context, tx *sqlx.Tx, parts []int) (raised int, err error) {
	if len(parts) == 0 {
		return 0, nil
	}
	update := `UPDATE user_versions SET version = version + 1 WHERE part IN (` + sqldb.In(len(parts)) + `)`
	res, err := tx.ExecContext(ctx, update, sqldb.Args(parts)...)
	if err != nil {
		return 0, fmt.Errorf("raise the versions of users: %w", err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// Select reads the versions of parts. A part whose orders nobody changed has the version 0 and is not in the map.
func Select(ctx context.Context, q sqlx.QueryerContext, parts []int) (map[int]int64, error) {
	var rows []struct {
		Part    int   `db:"part"`
		Version int64 `db:"version"`
	}
	query := `SELECT part, version FROM user_versions WHERE part IN (` + sqldb.In(len(parts)) + `)`
	if err := sqlx.SelectContext(ctx, q, &rows, query, sqldb.Args(parts)...); err != nil {
		return nil, fmt.Errorf("select the versions of %d users: %w", len(parts), err)
	}
	found := make(map[int]int64, len(rows))
	for _, r := range rows {
		found[r.Part] = r.Version
	}
	return found, nil
}
