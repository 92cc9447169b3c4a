package order_test

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestActivityThatCannotBeSettledDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const pages = 6
		s := stage.Open(t, stores, stage.Sale{})
		returned, confirmed := s.Place(t, "ann", 2), s.Place(t, "bob", 3)
		s.Move(t)
		note := func(kind, activity string, n order.Number) {
			_, err := stores.DB.Write.ExecContext(t.Context(),
				`INSERT INTO stock_outbox (outbox_id, kind, state, activity_id, sku_id, point_id,
				quantity, order_number, user_id, created_ms) VALUES (?, ?, 'pending', ?, ?, '0', 1, ?, 'u', 0)`,
				kind+":"+n.String(), kind, activity, stage.SKU, n)
			require.NoError(t, err)
		}
		for i := range 2 * pages { // Redis has none of them; they sort before and after the sale
			gone := s.Order("u", catalogue.DefaultPoint, 1).Number
			activity := fmt.Sprintf("%c-gone%d", "!~"[i%2], i)
			note("return", activity, gone)
			note("confirm", activity, gone)
		}
		require.ErrorIs(t, s.Start(t, stage.CrashAt("cancel_commit")).Canceller.Cancel(t.Context(), "ann",
			returned.Number, ""), stage.ErrCrash)
		s.SetStatus(t, confirmed.Number, order.Paid)
		note("confirm", s.Activity, confirmed.Number)

		outbox := order.NewStockOutbox(order.StockOutboxConfig{PagesPerRun: pages},
			order.Deps{DB: stores.DB, Lua: s.Scripts, Log: slog.New(slog.DiscardHandler)})
		total := 0
		for range (2*2*pages + 2 + pages - 1) / pages { // once around
			settled, err := outbox.RunOnce(t.Context())
			require.NoError(t, err)
			total += settled
		}
		assert.Equal(t, 2, total)
		assert.Equal(t, "7", s.Left(t, ""))
		s.Balanced(t)

		another := s.Place(t, "cid", 1)
		require.ErrorIs(t, s.Start(t, stage.CrashAt("cancel_commit")).Canceller.Cancel(t.Context(), "cid",
			another.Number, ""), stage.ErrCrash)
		for range (2*2*pages + 1 + pages - 1) / pages {
			_, err := outbox.RunOnce(t.Context())
			require.NoError(t, err)
		}
		assert.Equal(t, "7", s.Left(t, ""), "it goes around")
	})
}

func TestReturnsOfOneActivityDoNotWaitForThoseOfAnother(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		other := *s
		other.Activity, other.Lane = s.Publish(t)
		crashed := s.Start(t, func(step string) error {
			if step == "cancel_commit" {
				return stage.ErrCrash
			}
			return nil
		})
		for _, one := range []*stage.Stage{s, &other} {
			o := one.Place(t, "u", 2)
			require.ErrorIs(t, crashed.Canceller.Cancel(t.Context(), "u", o.Number, ""), stage.ErrCrash)
		}
		broken, whole := s, &other
		if broken.Activity > whole.Activity { // the first in turn is the one that fails
			broken, whole = whole, broken
		}
		held := stores.Keys.Held(broken.Lane, broken.Activity)
		holds := broken.Hash(t, stores.Keys.Held)
		require.NoError(t, stores.Redis.Del(t.Context(), held).Err())
		require.NoError(t, stores.Redis.Set(t.Context(), held, "spoiled", 0).Err())
		settled, err := s.Outbox.RunOnce(t.Context())
		require.Error(t, err)
		assert.Equal(t, 1, settled)
		assert.Equal(t, "10", whole.Left(t, ""))
		assert.Equal(t, "8", broken.Left(t, ""))

		require.NoError(t, stores.Redis.Del(t.Context(), held).Err())
		for number := range holds {
			require.NoError(t, stores.Redis.HSet(t.Context(), held, number, "no token").Err())
		}
		settled, err = s.Outbox.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Zero(t, settled, "it is written anew")
		settled, err = s.Outbox.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, settled)
		assert.Equal(t, "10", broken.Left(t, ""))
		broken.Balanced(t)
		whole.Balanced(t)
	})
}
