package sqldb_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
)

func TestExpireDeletesFinishedRowsInPages(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		const old, young = 1234, 7
		args := []any{}
		for i := range old + young {
			at := int64(1)
			if i >= old {
				at = 2
			}
			args = append(args, fmt.Sprint("event ", i), at)
		}
		insert := `INSERT INTO payment_notifications (channel, event_id, pay_number, transaction_id, amount, currency,
			outcome, at_ms) VALUES ` +
			sqldb.Repeat("('stripe',?,1,'',0,'','',?)", old+young)
		_, err := s.DB.Write.ExecContext(ctx, insert, args...)
		require.NoError(t, err)

		e := sqldb.Expiry{
			Table: "payment_notifications", Key: []string{"channel", "event_id"}, Where: "at_ms < ?",
			Args: []any{int64(2)},
		}
		n, err := s.DB.Expire(ctx, e)
		require.NoError(t, err)
		assert.Equal(t, old, n)
		n, err = s.DB.Expire(ctx, e)
		require.NoError(t, err)
		assert.Zero(t, n)
		var left int
		const count = `SELECT COUNT(*) FROM payment_notifications WHERE at_ms = 2`
		require.NoError(t, s.DB.Read.GetContext(ctx, &left, count))
		assert.Equal(t, young, left)
	})
}
