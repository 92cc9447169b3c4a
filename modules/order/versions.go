package order

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
// loses it. Movers don't raise it: their orders are in lists until Redis no longer has them (package positions).

// VersionParts is how many versions there are. Users of one part share one, and may wait for each other's changes.
const VersionParts = 1 << 20

// VersionPart returns the part of a user.
func VersionPart(user string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(user))
	return int(h.Sum32() % VersionParts)
}

// RaiseVersions raises the versions of users in the transaction that changes their orders. Call it last: others who
// change orders of the same users wait for the commit.
func RaiseVersions(ctx context.Context, tx *sqlx.Tx, users ...string) error {
	parts := make([]int, len(users))
	for i, user := range users {
		parts[i] = VersionPart(user)
	}
	slices.Sort(parts) // all lock in this order
	parts = slices.Compact(parts)
	raised, err := raiseVersions(ctx, tx, parts)
	if err != nil || raised == len(parts) {
		return err
	}
	known, err := SelectVersions(ctx, tx, parts)
	if err != nil {
		return err
	}
	absent := slices.DeleteFunc(slices.Clone(parts), func(part int) bool { return known[part] > 0 })
	present := slices.DeleteFunc(parts, func(part int) bool { return known[part] == 0 })
	// Some of these were inserted by others after the first statement, and nothing tells which: all rise once more.
	if _, err := raiseVersions(ctx, tx, present); err != nil || len(absent) == 0 {
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
		if raised, err = raiseVersions(ctx, tx, []int{part}); err == nil && raised == 0 {
			err = sqldb.Insert(ctx, tx, insert, "(1,?)", []any{part})
		}
		if err != nil {
			return fmt.Errorf("insert the version of a user: %w", err)
		}
	}
	return nil
}

// raiseVersions raises the versions that exist of parts, and returns how many these are.
func raiseVersions(ctx context.Context, tx *sqlx.Tx, parts []int) (raised int, err error) {
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

// raiseVersionsOf raises the versions of the buyers of orders.
func raiseVersionsOf(ctx context.Context, tx *sqlx.Tx, orders ...*Order) error {
	users := make([]string, len(orders))
	for i, o := range orders {
		users[i] = o.User
	}
	return RaiseVersions(ctx, tx, users...)
}

// SelectVersions reads the versions of parts; 0, which is not in the map, is that of users whose orders nobody changed.
func SelectVersions(ctx context.Context, q sqlx.QueryerContext, parts []int) (map[int]int64, error) {
	var rows []struct {
		Part    int   `db:"part"`
		Version int64 `db:"version"`
	}
	query := `SELECT part, version FROM user_versions WHERE part IN (` + sqldb.In(len(parts)) + `)`
	if err := sqlx.SelectContext(ctx, q, &rows, query, sqldb.Args(parts)...); err != nil {
		return nil, fmt.Errorf("select the versions of %d users: %w", len(parts), err)
	}
	versions := make(map[int]int64, len(rows))
	for _, r := range rows {
		versions[r.Part] = r.Version
	}
	return versions, nil
}
