package seckill_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/stage"
)

// A draft is changed back and forth between one with a title for each of its skus' stocks and
// another: who reads it sees one or the other.
func TestADraftIsReadInOneView(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		draft := func(units int64) *seckill.Activity {
			return &seckill.Activity{
				ID: "draft", Title: strconv.FormatInt(units, 10), Shop: "shop", StartsMS: 1, EndsMS: 2, PayWithinS: 900,
				PurchaseLimit: seckill.Unlimited, PermitRatio: seckill.Unlimited,
				SKUs: []seckill.ActivitySKU{{
					SKU: stage.SKU, FlashPrice: units, PurchaseLimit: seckill.Unlimited,
					Stock: []seckill.PointStock{{Point: "0", Total: units}},
				}},
			}
		}
		_, err := s.Activities.Create(t.Context(), draft(1))
		require.NoError(t, err)
		changing, stop := context.WithCancel(t.Context())
		changed := make(chan error, 1)
		go func() {
			for units := int64(1); changing.Err() == nil; units = 3 - units {
				if _, err := s.Activities.Put(context.WithoutCancel(changing), draft(units), 0); err != nil {
					changed <- err
					return
				}
			}
			changed <- nil
		}()
		for range 300 {
			a, err := s.Activities.Get(t.Context(), "draft")
			require.NoError(t, err)
			require.Len(t, a.SKUs, 1)
			require.Len(t, a.SKUs[0].Stock, 1)
			assert.Equal(t, a.Title, strconv.FormatInt(a.SKUs[0].FlashPrice, 10))
			assert.Equal(t, a.SKUs[0].FlashPrice, a.SKUs[0].Stock[0].Total)
		}
		stop()
		require.NoError(t, <-changed)
	})
}
