package order

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// Values of activity_counts.counted, besides the values for purchase limits.
const (
	CountedRoom        = "room"
	CountedShareSource = "share_source"
)

// statusParts is the number of rows that count one status of an activity; the count is their sum. A transaction changes
// one of these rows, so that few transactions wait for each other.
const statusParts = 8

// statusPart returns the part for a user. The orders of one transaction often belong to one user, and then change the
// same part. Different changes of one order need not change the same part.
func statusPart(user string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(user))
	return int(h.Sum32() % statusParts)
}

// OpenCounts inserts the rows that count the statuses of an activity's orders, all 0.
func OpenCounts(ctx context.Context, tx *sqlx.Tx, activity string) error {
	args := make([]any, 0, 2*statusParts)
	for part := range statusParts {
		args = append(args, activity, part)
	}
	insert := `INSERT INTO activity_statuses (activity_id, part, unpaid, paid, cancelled, refunded, failed) VALUES ` +
		sqldb.Repeat("(?,?,0,0,0,0,0)", statusParts)
	if _, err := tx.ExecContext(ctx, insert, args...); err != nil {
		return fmt.Errorf("open counts of activity %s: %w", activity, err)
	}
	return nil
}

// countChange counts orders of activities that change from one status to another, in the transaction
// that changes them; from is "" for new orders. It changes one part per activity.
func countChange(ctx context.Context, tx *sqlx.Tx, orders []*Order, from, to Status) error {
	type change struct {
		n    int64
		part int
	}
	changes := map[string]change{}
	for _, o := range orders {
		if o.Type != Seckill {
			continue
		}
		ch, known := changes[o.Activity]
		if !known {
			ch.part = statusPart(o.User)
		}
		ch.n++
		changes[o.Activity] = ch
	}
	sums := []string{string(to) + ` = ` + string(to) + ` +`}
	if from != "" {
		sums = append(sums, string(from)+` = `+string(from)+` -`)
	}
	adds := make([]sqldb.Add, 0, len(changes))
	for _, activity := range slices.Sorted(maps.Keys(changes)) {
		ch := changes[activity]
		adds = append(adds, sqldb.Add{N: ch.n, Key: `activity_id = ? AND part = ?`, Keys: []any{activity, ch.part}})
	}
	if _, err := sqldb.AddTo(ctx, tx, "activity_statuses", sums, adds); err != nil {
		return fmt.Errorf("count the states of orders of %d sales: %w", len(adds), err)
	}
	return nil
}

// sourcesOf counts orders of sales by room and by share source. Failed orders count for none.
func sourcesOf(orders []*Order) map[countKey]int64 {
	sources := map[countKey]int64{}
	for _, o := range orders {
		if o.Type != Seckill || o.Status == Failed {
			continue
		}
		// MySQL ignores trailing spaces when it compares names.
		if room := strings.TrimRight(o.Room, " "); room != "" {
			sources[countKey{o.Activity, CountedRoom, room}]++
		}
		if source := strings.TrimRight(o.ShareSource, " "); source != "" {
			sources[countKey{o.Activity, CountedShareSource, source}]++
		}
	}
	return sources
}

// countNew counts orders that are being inserted by status.
func countNew(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	byStatus := map[Status][]*Order{}
	for _, o := range orders {
		if o.Type == Seckill {
			byStatus[o.Status] = append(byStatus[o.Status], o)
		}
	}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		if err := countChange(ctx, tx, byStatus[status], "", status); err != nil {
			return err
		}
	}
	return nil
}

// countKey is the key of a row of activity_counts; rows are locked in the order of their keys.
type countKey struct{ activity, counted, name string }

func compareCounts(a, b countKey) int {
	return cmp.Or(cmp.Compare(a.activity, b.activity), cmp.Compare(a.counted, b.counted), cmp.Compare(a.name, b.name))
}

// countStep is the change of one UPDATE: rows of the same activity and kind by the same number.
type countStep struct {
	activity, counted string
	n                 int64
}

func compareSteps(a, b countStep) int {
	return cmp.Or(cmp.Compare(a.activity, b.activity), cmp.Compare(a.counted, b.counted), cmp.Compare(a.n, b.n))
}

// raiseCounts adds to rows of activity_counts; absent rows start at 0. limits has the maximum of rows,
// by activity and counted; if a row would exceed it, the error is ErrLimit. If another transaction
// inserts one of the rows at the same time, the error is ErrRaced. After either error the caller must
// roll back.
func raiseCounts(ctx context.Context, tx *sqlx.Tx, add map[countKey]int64, limits map[countKey]int64) error {
	if len(add) == 0 {
		return nil
	}
	limitOf := func(activity, counted string) (int64, bool) {
		limit, ok := limits[countKey{activity: activity, counted: counted}]
		return limit, ok
	}
	keys := slices.SortedFunc(maps.Keys(add), compareCounts)
	present, err := selectPresent(ctx, tx, keys)
	if err != nil {
		return err
	}
	var insert []any
	steps := map[countStep][]any{}
	for _, k := range keys {
		n := add[k]
		if present[k] {
			step := countStep{k.activity, k.counted, n}
			steps[step] = append(steps[step], k.name)
			continue
		}
		if limit, ok := limitOf(k.activity, k.counted); ok && n > limit {
			return ErrLimit
		}
		insert = append(insert, k.activity, k.counted, k.name, n)
	}
	for rows := range slices.Chunk(insert, 4*countRows) {
		query := `INSERT INTO activity_counts (activity_id, counted, name, n) VALUES ` +
			sqldb.Repeat("(?,?,?,?)", len(rows)/4)
		_, err := tx.ExecContext(ctx, query, rows...)
		switch {
		case sqldb.IsDuplicate(err):
			return ErrRaced
		case err != nil:
			return fmt.Errorf("insert %d counts: %w", len(rows)/4, err)
		}
	}
	changed, err := changeCounts(ctx, tx, steps, `n = n +`, func(step countStep) (guard string, bound []any) {
		if limit, ok := limitOf(step.activity, step.counted); ok {
			return `n <= ?`, []any{limit - step.n}
		}
		return "", nil
	})
	switch {
	case err != nil:
		return err
	case changed != int64(len(keys)-len(insert)/4):
		return ErrLimit
	}
	return nil
}

// lowerCounts subtracts from rows of activity_counts. A row below its number is not changed: it never counted the units
// that are taken back.
func lowerCounts(ctx context.Context, tx *sqlx.Tx, from map[countKey]int64) error {
	steps := map[countStep][]any{}
	for _, k := range slices.SortedFunc(maps.Keys(from), compareCounts) {
		step := countStep{k.activity, k.counted, from[k]}
		steps[step] = append(steps[step], k.name)
	}
	_, err := changeCounts(ctx, tx, steps, `n = n -`, func(step countStep) (guard string, bound []any) {
		return `n >= ?`, []any{step.n}
	})
	return err
}

// countRows bounds the rows of one step.
const countRows = 1000

// changeCounts changes the rows of steps, each by its number, and returns how many it changed.
func changeCounts(
	ctx context.Context, tx *sqlx.Tx, steps map[countStep][]any, sum string,
	guard func(countStep) (guard string, bound []any),
) (changed int64, err error) {
	var adds []sqldb.Add
	for _, step := range slices.SortedFunc(maps.Keys(steps), compareSteps) {
		for names := range slices.Chunk(steps[step], countRows) {
			add := sqldb.Add{
				N: step.n, Key: `activity_id = ? AND counted = ? AND name IN (` + sqldb.In(len(names)) + `)`,
				Keys: append([]any{step.activity, step.counted}, names...),
			}
			add.Guard, add.Bound = guard(step)
			adds = append(adds, add)
		}
	}
	if changed, err = sqldb.AddTo(ctx, tx, "activity_counts", []string{sum}, adds); err != nil {
		return 0, fmt.Errorf("change counts: %w", err)
	}
	return changed, nil
}

// presentTogether bounds the groups of names of one statement of selectPresent.
const presentTogether = 50

// selectPresent returns the keys whose row exists. keys must be sorted.
func selectPresent(ctx context.Context, tx *sqlx.Tx, keys []countKey) (map[countKey]bool, error) {
	present := make(map[countKey]bool, len(keys))
	for len(keys) > 0 {
		var where []string
		var args []any
		for rows := 0; len(keys) > 0 && len(where) < presentTogether && rows < countRows; {
			first, n := keys[0], 0
			args = append(args, first.activity, first.counted)
			for ; n < min(len(keys), countRows) && keys[n].activity == first.activity &&
				keys[n].counted == first.counted; n++ {
				args = append(args, keys[n].name)
			}
			where = append(where, `activity_id = ? AND counted = ? AND name IN (`+sqldb.In(n)+`)`)
			keys, rows = keys[n:], rows+n
		}
		var rows []struct {
			Activity string `db:"activity_id"`
			Counted  string `db:"counted"`
			Name     string `db:"name"`
		}
		if err := tx.SelectContext(ctx, &rows, `SELECT activity_id, counted, name FROM activity_counts WHERE `+
			strings.Join(where, ` OR `), args...); err != nil {
			return nil, fmt.Errorf("select which counts exist: %w", err)
		}
		for _, r := range rows {
			present[countKey{r.Activity, r.Counted, r.Name}] = true
		}
	}
	return present, nil
}
