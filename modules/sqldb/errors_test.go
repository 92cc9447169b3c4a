package sqldb_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestDuplicatesAreRecognized(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addStock(t, s.DB, "s1", 10)
		_, err := s.DB.Write.ExecContext(t.Context(), `INSERT INTO activity_stock VALUES ('a', 's1', '0', 1, 0, 0)`)
		assertKind(t, err, duplicate)
		require.NoError(t, insertOrder(t, s, 1, "task1", "u"))
		assertKind(t, insertOrder(t, s, 1, "task2", "u"), duplicate)
		assertKind(t, insertOrder(t, s, 2, "task1", "u"), duplicate)
	})
}

func TestRowErrorsAreRecognized(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		assertKind(t, insertOrder(t, s, 1, "task1", strings.Repeat("u", 300)), rowError)
		_, err := s.DB.Write.ExecContext(t.Context(), `INSERT INTO activity_stock VALUES ('a', 's', '0', NULL, 0, 0)`)
		assertKind(t, err, rowError)
		_, err = s.DB.Write.ExecContext(t.Context(), `INSERT INTO activity_stock VALUES ('a', 's', '0', 1, 2, 0)`)
		assertKind(t, err, rowError)
		_, err = s.DB.Write.ExecContext(t.Context(), `INSERT INTO nowhere VALUES (1)`)
		assertKind(t, err, otherError)
		var rows int
		require.NoError(t, s.DB.Read.GetContext(t.Context(), &rows, `SELECT COUNT(*) FROM orders`))
		assert.Zero(t, rows)
	})
}

// The server of the tests has no strict mode; the connection asks for it.
func TestMySQLRefusesValuesThatDoNotFit(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	assertKind(t, insertOrder(t, s, 1, "task1", strings.Repeat("u", 65)), rowError)
	assertKind(t, insertOrder(t, s, 1, "bad \xff\xfe text", "u"), rowError)
	for name, value := range map[string]any{"text": "many", "too big": uint64(1) << 63, "too small for INT": ""} {
		_, err := s.DB.Write.ExecContext(t.Context(),
			`INSERT INTO order_items (order_number, line, sku_id, kind, quantity)
				VALUES (?, 1, 's', 'virtual', 1)`, value)
		assertKind(t, err, rowError, name)
	}
	_, err := s.DB.Write.ExecContext(t.Context(), `INSERT INTO order_items (order_number, line) VALUES (1, 1)`)
	assertKind(t, err, otherError, "columns without a value: the statement is wrong, not the row")
}

type kind string

const (
	duplicate  kind = "duplicate"
	rowError   kind = "row error"
	otherError kind = "other error"
)

func assertKind(t *testing.T, err error, want kind, what ...any) {
	t.Helper()
	require.Error(t, err, what...)
	got := otherError
	switch {
	case sqldb.IsDuplicate(err):
		got = duplicate
	case sqldb.IsRowError(err):
		got = rowError
	}
	assert.Equal(t, want, got, "%v %v", err, what)
	assert.False(t, sqldb.IsRetryable(err), "%v", err)
}

func insertOrder(t *testing.T, s *kit.Stores, number int64, task, user string) error {
	t.Helper()
	return stage.Insert(t.Context(), s.DB, order.Order{Number: order.Number(number), Task: task, User: user})
}
