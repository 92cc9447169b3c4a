package inventory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

// requireConfirmed requires that one order is confirmed, once, and the other still held.
func requireConfirmed(t *testing.T, s *stage.Stage, paid, unpaid *order.Order) {
	t.Helper()
	assert.Equal(t, map[string]string{"sku~0": "3"}, s.Hash(t, s.Stores.Keys.Paid), "units paid")
	assert.Equal(t, map[string]string{unpaid.Number.String(): "sku~0~1~bob"}, s.Hash(t, s.Stores.Keys.Held))
	assert.Zero(t, count(t, s, `SELECT COUNT(*) FROM stock_outbox`), "nothing is owed")
	assert.Equal(t, map[order.Number]order.Status{paid.Number: order.Paid, unpaid.Number: order.Unpaid}, s.Stored(t))
	assert.EqualValues(t, 4, s.Sold(t))
	s.Balanced(t)
}

func TestConfirmIsCountedOnceWhenTheSaleIsReloaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for name, between := range map[string]func(t *testing.T, s *stage.Stage){
			"before the confirm in Redis": func(t *testing.T, s *stage.Stage) { s.Flush(t); s.Load(t) },
			"only the sale is lost":       func(t *testing.T, s *stage.Stage) { s.LoseActivity(t); s.Load(t) },
			"while redis knew nothing": func(t *testing.T, s *stage.Stage) {
				s.Flush(t)
				settle(t, s)
				assert.EqualValues(t, 1, count(t, s, `SELECT COUNT(*) FROM stock_outbox`), "the row stays")
				s.Load(t)
			},
			"after the confirm in Redis": func(t *testing.T, s *stage.Stage) {
				_, err := s.Start(t, stage.CrashAt("confirm_stock")).Outbox.RunOnce(t.Context())
				require.ErrorIs(t, err, stage.ErrCrash)
				s.Flush(t)
				s.Load(t)
			},
			"between redis and sql": func(t *testing.T, s *stage.Stage) {
				again := stage.At("confirm_stock", func() error { s.Flush(t); s.Load(t); return nil })
				_, err := s.Start(t, again).Outbox.RunOnce(t.Context())
				require.NoError(t, err)
				assert.EqualValues(t, 1, count(t, s, `SELECT COUNT(*) FROM stock_outbox`),
					"the row of another load stays")
			},
			"twice": func(t *testing.T, s *stage.Stage) {
				_, err := s.Start(t, stage.CrashAt("confirm_stock")).Outbox.RunOnce(t.Context())
				require.ErrorIs(t, err, stage.ErrCrash)
				_, err = s.Start(t, stage.CrashAt("confirm_stock")).Outbox.RunOnce(t.Context())
				require.ErrorIs(t, err, stage.ErrCrash)
			},
		} {
			// one after the other: they empty the same Redis
			t.Run(name, func(t *testing.T) {
				s := stage.Open(t, stores, stage.Sale{})
				paid, unpaid := s.Place(t, "ann", 3), s.Place(t, "bob", 1)
				s.Move(t)
				pay(t, s, paid)
				between(t, s)
				settle(t, s)
				requireConfirmed(t, s, paid, unpaid)
				assert.Equal(t, "6", s.Left(t, ""))
				settle(t, s)
				requireConfirmed(t, s, paid, unpaid)
			})
		}
	})
}

func TestAPaymentWhileTheSaleIsLoadedIsCountedOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		paid, unpaid := s.Place(t, "ann", 3), s.Place(t, "bob", 1)
		s.Move(t)
		s.LoseActivity(t)
		loader := s.Start(t, stage.At("load_commit", func() error { pay(t, s, paid); settle(t, s); return nil })).Loader
		require.NoError(t, loader.Load(t.Context(), s.Activity))
		settle(t, s)
		requireConfirmed(t, s, paid, unpaid)
	})
}
