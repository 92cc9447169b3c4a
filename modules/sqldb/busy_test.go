package sqldb_test

import (
	"errors"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"

	"onrush/modules/sqldb"
)

func TestABusyOwnerIsSkippedForAWhileAndThenTriedAgain(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	busy := sqldb.NewBusy(func() time.Time { return now })
	locked := &mysql.MySQLError{Number: 1205}
	assert.False(t, busy.Skips(sqldb.StockOf("a")))
	assert.False(t, busy.Note(sqldb.StockOf("a"), errors.New("another error")))
	assert.False(t, busy.Skips(sqldb.StockOf("a")))

	for _, pause := range []time.Duration{1, 2, 4, 8, 8} {
		assert.True(t, busy.Note(sqldb.StockOf("a"), locked))
		assert.True(t, busy.Skips(sqldb.StockOf("a")))
		assert.False(t, busy.Skips(sqldb.StockOf("b")))
		now = now.Add(pause*time.Second - 1)
		assert.True(t, busy.Skips(sqldb.StockOf("a")), "for %d s", pause)
		now = now.Add(1)
		assert.False(t, busy.Skips(sqldb.StockOf("a")), "after %d s", pause)
	}
	assert.Equal(t, map[string]int{sqldb.StockRows: 1}, busy.Counts())
	assert.True(t, busy.Note(sqldb.StockOf("a"), locked))
	now = now.Add(-time.Hour)
	assert.False(t, busy.Skips(sqldb.StockOf("a")), "the clock was set back")
	assert.False(t, busy.Note(sqldb.StockOf("a"), nil))
	assert.Zero(t, busy.Len())
	assert.True(t, busy.Note(sqldb.StockOf("a"), locked))
	now = now.Add(time.Minute)
	assert.Zero(t, busy.Len(), "nobody tries it again")
	var none *sqldb.Busy
	assert.True(t, none.Note(sqldb.StockOf("a"), locked))
	assert.False(t, none.Skips(sqldb.StockOf("a")))
	assert.Zero(t, none.Len())
}
