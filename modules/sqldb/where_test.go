package sqldb_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/sqldb"
)

func TestWhereJoinsItsConditionsAndArguments(t *testing.T) {
	t.Parallel()
	var w sqldb.Where
	assert.Empty(t, w.String())
	assert.Empty(t, w.Args())
	assert.Equal(t, []any{10, 0}, w.Args(10, 0))

	w.And("status = ?", "paid")
	w.AndIf(false, "channel = ?", "stripe")
	w.AndIf(true, "(user_id = ? OR order_number = ?)", "u1", 7)
	w.And("flag <> ''")
	assert.Equal(t, " WHERE status = ? AND (user_id = ? OR order_number = ?) AND flag <> ''", w.String())
	assert.Equal(t, []any{"paid", "u1", 7, 10, 0}, w.Args(10, 0))
	assert.Equal(t, []any{"paid", "u1", 7}, w.Args(), "Args keeps nothing of an earlier call")
}

func TestArgsKeepsTheOrderOfValues(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []any{"b", "a"}, sqldb.Args([]string{"b", "a"}))
	assert.Empty(t, sqldb.Args[int](nil))
}
