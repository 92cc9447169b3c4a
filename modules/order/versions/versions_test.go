package versions_test

import (
	"fmt"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order/versions"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

func TestVersionsCountTheTransactionsOf48WhoRaiseThemAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		users := make([]string, 12)
		parts := make([]int, len(users))
		for i := range users {
			users[i] = fmt.Sprint("user-", i)
			parts[i] = versions.PartOf(users[i])
		}
		const transactions = 48
		kit.Crowd(transactions, func(i int) {
			for { // 48 who insert the same rows for the first time may deadlock more often than InTx tries
				err := s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
					return versions.Raise(ctx, tx, append(users[i%6:6+i%6:6+i%6], users[0])...)
				})
				if !sqldb.IsRetryable(err) {
					assert.NoError(t, err)
					return
				}
			}
		})
		raised, err := versions.Select(ctx, s.DB.Read, parts)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, raised[parts[0]], int64(transactions), "all have raised it")
		for i := range users {
			var want int64
			for n := range transactions {
				if i == 0 || i >= n%6 && i < n%6+6 {
					want++
				}
			}
			assert.GreaterOrEqual(t, raised[parts[i]], want, users[i]) // the first of a part may raise it twice
		}
	})
}
