package sqldb_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// counts are rows of activity_counts of one kind, by name.
type counts map[string]int64

// insertCounts stores rows of a new activity.
func insertCounts(t *testing.T, db *sqldb.DB, activity string, rows counts) {
	t.Helper()
	_, err := db.Write.ExecContext(t.Context(), `DELETE FROM activity_counts WHERE activity_id = ?`, activity)
	require.NoError(t, err)
	for name, n := range rows {
		_, err := db.Write.ExecContext(t.Context(),
			`INSERT INTO activity_counts (activity_id, counted, name, n) VALUES (?, 'room', ?, ?)`, activity, name, n)
		require.NoError(t, err)
	}
}

func selectCounts(t require.TestingT, db *sqldb.DB, activity string) counts {
	var rows []struct {
		Name string `db:"name"`
		N    int64  `db:"n"`
	}
	require.NoError(t, db.Write.SelectContext(context.Background(), &rows,
		`SELECT name, n FROM activity_counts WHERE activity_id = ?`, activity))
	found := counts{}
	for _, r := range rows {
		found[r.Name] = r.N
	}
	return found
}

// addOf adds to one row of an activity, if it doesn't exceed a bound.
func addOf(activity, name string, n, bound int64) sqldb.Add {
	return sqldb.Add{
		N: n, Key: "activity_id = ? AND counted = 'room' AND name = ?", Keys: []any{activity, name},
		Guard: "n <= ?", Bound: []any{bound - n},
	}
}

func addCounts(ctx context.Context, db *sqldb.DB, adds []sqldb.Add) (met int64, err error) {
	err = db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		met, err = sqldb.AddTo(ctx, tx, "activity_counts", []string{"n = n +"}, adds)
		return err
	})
	return met, err
}

// TestAddToAddsToEachRowItsNumber adds any numbers to any rows, also to more than one statement takes, to rows that
// don't exist, and above the rows' bounds.
func TestAddToAddsToEachRowItsNumber(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		rapid.Check(t, func(r *rapid.T) {
			const most = 50
			have, want, met := counts{}, counts{}, int64(0)
			var adds []sqldb.Add
			for i := range rapid.IntRange(0, 160).Draw(r, "rows") {
				name, n := fmt.Sprintf("%03d", i), rapid.SampledFrom([]int64{1, 1, 1, 1, 2, 7, 30}).Draw(r, "n")
				adds = append(adds, addOf("any", name, n, most))
				if had := rapid.Int64Range(-1, most).Draw(r, "had"); had >= 0 {
					have[name], want[name] = had, had
					if had+n <= most {
						want[name] = had + n
						met++
					}
				}
			}
			insertCounts(t, stores.DB, "any", have)
			got, err := addCounts(t.Context(), stores.DB, adds)
			require.NoError(r, err)
			assert.Equal(r, met, got)
			assert.Equal(r, want, selectCounts(r, stores.DB, "any"))
		})
	})
}

func TestAddToChangesTwoColumnsByTheSameNumber(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var adds []sqldb.Add
		for part := range 3 {
			_, err := stores.DB.Write.ExecContext(t.Context(), `INSERT INTO activity_statuses
				(activity_id, part, unpaid, paid, cancelled, refunded, failed) VALUES ('a', ?, 10, 0, 0, 0, 0)`, part)
			require.NoError(t, err)
			adds = append(adds, sqldb.Add{
				N: int64(part + 1), Key: "activity_id = 'a' AND part = ?", Keys: []any{part},
			})
		}
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			sums := []string{"paid = paid +", "unpaid = unpaid -"}
			met, err := sqldb.AddTo(t.Context(), tx, "activity_statuses", sums, adds)
			assert.EqualValues(t, 3, met)
			return err
		}))
		var got []int
		require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &got,
			`SELECT 100 * unpaid + paid FROM activity_statuses ORDER BY part`))
		assert.Equal(t, []int{901, 802, 703}, got)
	})
}

// TestManyAddToTheSameRowsAtOnce has 48 transactions add different numbers to rows that they share.
func TestManyAddToTheSameRowsAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const crowd, rows, times = 48, 20, 4
		have, want := counts{}, counts{}
		for row := range rows {
			have[fmt.Sprintf("%02d", row)] = 0
		}
		insertCounts(t, stores.DB, "hot", have)
		add := func(i, time int) (adds []sqldb.Add) {
			for row, name := range slices.Sorted(maps.Keys(have)) {
				if (row+i+time)%3 != 0 {
					adds = append(adds, addOf("hot", name, int64(1+(row*i+time)%4), math.MaxInt32))
				}
			}
			return adds
		}
		for i := range crowd {
			for time := range times {
				for _, a := range add(i, time) {
					want[a.Keys[1].(string)] += a.N
				}
			}
		}
		errs := make([]error, crowd)
		kit.Crowd(crowd, func(i int) {
			for time := range times {
				adds := add(i, time)
				if met, err := addCounts(t.Context(), stores.DB, adds); err != nil || met != int64(len(adds)) {
					errs[i] = fmt.Errorf("%d of %d: %w", met, len(adds), err)
				}
			}
		})
		for _, err := range errs {
			require.NoError(t, err)
		}
		assert.Equal(t, want, selectCounts(t, stores.DB, "hot"))
	})
}

// TestAddToDoesNotWaitForOtherRows adds to many rows of a table while another transaction has locked rows between them.
func TestAddToDoesNotWaitForOtherRows(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		if stores.DB.Dialect == sqldb.SQLite {
			t.Skip("it has one writer at a time")
		}
		have := counts{}
		var adds []sqldb.Add
		for i := range 45 {
			name := fmt.Sprintf("%03d", i)
			have[name], have[name+"-locked"] = 0, 0
			adds = append(adds, addOf("busy", name, int64(1+i%2), 10))
		}
		insertCounts(t, stores.DB, "busy", have)
		other, err := stores.DB.Write.BeginTxx(t.Context(), nil)
		require.NoError(t, err)
		defer func() { _ = other.Rollback() }()
		_, err = other.ExecContext(t.Context(), `UPDATE activity_counts SET n = 9 WHERE name LIKE '%-locked'`)
		require.NoError(t, err)
		met, err := addCounts(t.Context(), stores.DB, adds)
		require.NoError(t, err, "it waited for a lock")
		assert.EqualValues(t, 45, met)
	})
}
