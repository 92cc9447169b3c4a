package admin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestAfterTheStartLimitsAreOnlyRaisedAndPricesStay(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 3, SKULimit: 2})
		change := func(c admin.Change) (*seckill.Activity, error) {
			return s.Activities.Change(t.Context(), s.Activity, &c)
		}
		sku := func(c admin.SKUChange) []admin.SKUChange { return []admin.SKUChange{c} }
		for field, c := range map[string]admin.Change{
			"purchase_limit": {PurchaseLimit: new(int64(2))},
			"starts_at":      {StartsMS: new(time.Now().UnixMilli())},
			"ends_at":        {EndsMS: new(time.Now().Add(-time.Minute).UnixMilli())},
			"skus[0].sku_id": {SKUs: sku(admin.SKUChange{SKU: "other"})},
			"skus[0].flash_price": {
				SKUs: sku(admin.SKUChange{SKU: stage.SKU, FlashPrice: new(int64(99))}),
			},
			"skus[0].purchase_limit": {
				SKUs: sku(admin.SKUChange{SKU: stage.SKU, PurchaseLimit: new(int64(seckill.Unlimited))}),
			},
		} {
			_, err := change(c)
			var refused *problem.Error
			require.ErrorAs(t, err, &refused, field)
			require.NotEmpty(t, refused.Fields, field)
			assert.Equal(t, field, refused.Fields[0].Name)
		}
		a, err := change(admin.Change{PurchaseLimit: new(int64(4)), Title: new("New")})
		require.NoError(t, err)
		assert.EqualValues(t, 4, a.PurchaseLimit)
		assert.Equal(t, "4", s.Hash(t, stores.Keys.Meta)["limit"], "the scripts know it")
		_, err = change(admin.Change{Title: new("Old"), Version: a.Revision - 1})
		assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err))
	})
}

// Purchases are counted only under a limit, and SQL refuses an order that waits to be stored and is over a new one.
func TestOnceEarlyBuyersMayBuyLimitsAreOnlyRaised(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		early := s.Place(t, "ann", 3)
		update := func(set string, value any) {
			_, err := stores.DB.Write.ExecContext(t.Context(),
				`UPDATE activities SET `+set+` = ? WHERE activity_id = ?`, value, s.Activity)
			require.NoError(t, err)
		}
		limit := func() error {
			_, err := s.Activities.Change(t.Context(), s.Activity, &admin.Change{PurchaseLimit: new(int64(2))})
			return err
		}
		update("starts_ms", time.Now().Add(30*time.Minute).UnixMilli())
		update("eligibility", `{"list":true,"early_s":7200}`)
		require.ErrorContains(t, limit(), "early buyers may have bought")
		s.Move(t)
		assert.Equal(t, order.Unpaid, s.Stored(t)[early.Number])
		update("eligibility", "")
		require.ErrorContains(t, limit(), "early buyers may have bought", "also after the time of being early")
		require.NoError(t, s.Canceller.Cancel(t.Context(), "ann", early.Number, ""))
		require.NoError(t, limit(), "nobody has bought")
	})
}
