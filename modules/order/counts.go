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
	set := string(to) + ` = ` + string(to) + ` + ?`
	if from != "" {
		set += `, ` + string(from) + ` = ` + string(from) + ` - ?`
	}
	for _, activity := range slices.Sorted(maps.Keys(changes)) {
		ch := changes[activity]
		args := []any{ch.n}
		if from != "" {
			args = append(args, ch.n)
		}
		args = append(args, activity, ch.part)
		if _, err := tx.ExecContext(ctx, `UPDATE activity_statuses SET `+set+` WHERE activity_id = ? AND part = ?`,
			args...); err != nil {
			return fmt.Errorf("count %d orders of %s: %w", ch.n, activity, err)
		}
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

// countNew counts orders that are being inserted: by status, by room and by share source.
func countNew(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	byStatus := map[Status][]*Order{}
	for _, o := range orders {
		if o.Type == Seckill {
			byStatus[o.Status] = append(byStatus[o.Status], o)
		}
	}
	if err := raiseCounts(ctx, tx, sourcesOf(orders), nil); err != nil {
		return err
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
	for _, step := range slices.SortedFunc(maps.Keys(steps), compareSteps) {
		most := "" // no bound
		var bound []any
		if limit, ok := limitOf(step.activity, step.counted); ok {
			most, bound = ` AND n <= ?`, []any{limit - step.n}
		}
		changed, err := changeCounts(ctx, tx, step, steps[step], `n + ?`, most, bound)
		if err != nil {
			return err
		}
		if changed != int64(len(steps[step])) {
			return ErrLimit
		}
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
	for _, step := range slices.SortedFunc(maps.Keys(steps), compareSteps) {
		if _, err := changeCounts(ctx, tx, step, steps[step], `n - ?`, ` AND n >= ?`, []any{step.n}); err != nil {
			return err
		}
	}
	return nil
}

// countRows bounds the rows of one statement.
const countRows = 1000

// changeCounts changes the rows of one step and returns how many it changed.
func changeCounts(
	ctx context.Context, tx *sqlx.Tx, step countStep, names []any, to, where string, bound []any,
) (changed int64, err error) {
	for part := range slices.Chunk(names, countRows) {
		args := append([]any{step.n, step.activity, step.counted}, part...)
		query := `UPDATE activity_counts SET n = ` + to +
			` WHERE activity_id = ? AND counted = ? AND name IN (` + sqldb.In(len(part)) + `)` + where
		res, err := tx.ExecContext(ctx, query, append(args, bound...)...)
		if err != nil {
			return 0, fmt.Errorf("change %d counts of %s: %w", len(part), step.activity, err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return 0, fmt.Errorf("change %d counts of %s: %w", len(part), step.activity, err)
		}
		changed += n
	}
	return changed, nil
}

// selectPresent returns the keys whose row exists. keys must be sorted.
func selectPresent(ctx context.Context, tx *sqlx.Tx, keys []countKey) (map[countKey]bool, error) {
	present := make(map[countKey]bool, len(keys))
	for len(keys) > 0 {
		first, n := keys[0], 0
		args := []any{first.activity, first.counted}
		for n < len(keys) && n < countRows && keys[n].activity == first.activity && keys[n].counted == first.counted {
			args = append(args, keys[n].name)
			n++
		}
		keys = keys[n:]
		var names []string
		query := `SELECT name FROM activity_counts WHERE activity_id = ? AND counted = ? AND name IN (` + sqldb.In(n) +
			`)`
		if err := tx.SelectContext(ctx, &names, query, args...); err != nil {
			return nil, fmt.Errorf("select which of %d counts of %s exist: %w", n, first.activity, err)
		}
		for _, name := range names {
			present[countKey{first.activity, first.counted, name}] = true
		}
	}
	return present, nil
}
