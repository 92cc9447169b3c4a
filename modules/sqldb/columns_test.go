package sqldb_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/sqldb"
)

func TestColumnsAreTheTaggedFieldsInTheirOrder(t *testing.T) {
	t.Parallel()
	type text string
	type row struct {
		B       text  `db:"b"`
		A       int64 `db:"a"`
		Skipped []int `db:"-"`
		N       int   `db:"n"`
		Plain   string
		Set     bool `db:"is_set"`
	}
	columns := sqldb.ColumnsOf[row]()
	assert.Equal(t, "b, a, n, is_set", columns.Names)
	assert.Equal(t, 4, columns.Len())
	args := columns.AppendTo([]any{"first"}, &row{B: "x", A: 2, N: 3, Set: true})
	assert.Equal(t, []any{"first", "x", int64(2), int64(3), true}, args, "as the driver's own types")
}

func TestColumnsOfOtherKindsAreRefused(t *testing.T) {
	t.Parallel()
	assert.PanicsWithValue(t, "column list of sqldb_test.row: a value of kind slice can't be stored", func() {
		type row struct {
			List []string `db:"list"`
		}
		sqldb.ColumnsOf[row]()
	})
}
