package vouchers

import (
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
)

func TestOrdersThatWaitForCodesAreCountedWithTheLongestWait(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newWorld(stores)
		waits := func(want Waiting) {
			t.Helper()
			got, err := w.Waiting(t.Context())
			require.NoError(t, err)
			assert.Equal(t, want, got)
		}
		waits(Waiting{})
		w.adds(t, partner("P", 1))
		w.has(t, w.paid(t, 1), 0, "P-0000")
		waits(Waiting{})
		first, second := w.paid(t, 3), w.paid(t, 2)
		w.now = func() time.Time { return testNow.Add(time.Hour) }
		waits(Waiting{Orders: 2, Oldest: time.Hour})
		require.NoError(t, w.db.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return w.Payer.HoldVouchers(t.Context(), tx, []order.Number{first}, order.Held, 1,
				order.LogLine{Actor: "gateway:x"})
		}))
		waits(Waiting{Orders: 1, Oldest: time.Hour})
		w.adds(t, partner("Q", 2))
		w.has(t, second, 0, "Q-0000", "Q-0001")
		waits(Waiting{})
	})
}
