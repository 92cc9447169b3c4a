package sqldb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// point is a row of stock_points, which has a bool, integers, and texts of any size.
type point struct {
	ID      string `db:"point_id"`
	Name    string `db:"name"`
	Regions string `db:"regions"`
	Extra   int64  `db:"freight_extra"`
	Pickup  bool   `db:"pickup"`
	Updated int64  `db:"updated_ms"`
}

func TestInsertStoresAnyNumberOfRows(t *testing.T) {
	t.Parallel()
	columns := sqldb.ColumnsOf[point]()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, test := range []struct{ rows, large int }{
			{0, -1}, {1, -1}, {49, -1}, {99, -1}, {100, -1}, {101, -1}, {250, -1}, {250, 10}, {250, 120}, {250, 249},
		} {
			var want []point
			var args []any
			for i := range test.rows {
				p := point{
					ID: fmt.Sprintf("p%03d", i), Name: "a'b\\c\"d\n仓库", Regions: strings.Repeat("\\'", i%7),
					Extra: -int64(i), Pickup: i%2 == 0, Updated: 1 << 52,
				}
				if i/3 == test.large/3 && test.large >= 0 { // three rows that don't fit into a packet together
					p.Regions = strings.Repeat("x'", 150_000)
				}
				want = append(want, p)
				args = columns.AppendTo(args, &p)
			}
			require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
				return columns.Insert(t.Context(), tx, "stock_points", args)
			}))
			var got []point
			require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &got,
				`SELECT `+columns.Names+` FROM stock_points ORDER BY point_id`))
			assert.Equal(t, want, got, "%+v", test)
			_, err := stores.DB.Write.ExecContext(t.Context(), `DELETE FROM stock_points`)
			require.NoError(t, err)
		}
	})
}

func TestInsertReportsADuplicateAmongManyRows(t *testing.T) {
	t.Parallel()
	columns := sqldb.ColumnsOf[point]()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var args []any
		for i := range 200 {
			args = columns.AppendTo(args, &point{ID: fmt.Sprintf("p%d", i%150)})
		}
		err := stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return columns.Insert(t.Context(), tx, "stock_points", args)
		})
		assert.True(t, sqldb.IsDuplicate(err), "%v", err)
		var rows int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &rows, `SELECT COUNT(*) FROM stock_points`))
		assert.Zero(t, rows)
	})
}
