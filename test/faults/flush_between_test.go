package faults

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// stockChange is a change that an operator requests, once per key.
type stockChange struct {
	key   string
	delta int64
}

func (c stockChange) send(ctx context.Context, operator *site.Person, activity string) (site.Answer, error) {
	return operator.Try(ctx, http.MethodPost, "/admin/api/v1/activities/"+activity+"/stock", c.key,
		map[string]any{"sku_id": "sku", "point_id": "0", "delta": c.delta})
}

func TestLoadBetweenTwoStepsOfAnotherInstanceKeepsTheCounts(t *testing.T) {
	t.Parallel()
	raise, lower := stockChange{"raise", 3}, stockChange{"lower", -2}
	for _, step := range []string{
		"peek", "commit", "before_ack", "ack", "cancel_commit", "return_stock", "change_begin", "change_stock",
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) { loadBetween(t, stores, step, raise, lower) })
		})
	}
	for _, step := range []string{"change_begin", "change_stock"} {
		t.Run(step+" of a lowering", func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) { loadBetween(t, stores, step, lower, raise) })
		})
	}
}

// loadBetween lets one instance move, cancel, change the stock and settle; when it has done a step
// for the first time, Redis is emptied and the other instance loads the sale.
func loadBetween(t *testing.T, stores *kit.Stores, step string, list ...stockChange) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	s := site.Start(t, reconnect(t, stores), site.Idle())
	activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 10}})
	var armed, loaded atomic.Bool
	other := site.Start(t, stores, site.Idle(), site.Faults(func(done string) error {
		if done == step && armed.Load() && loaded.CompareAndSwap(false, true) {
			flush(t, stores) //nolint:contextcheck // it takes the test's
			_, err := s.Server.Activities.Reload(ctx, activity)
			assert.NoError(t, err)
		}
		return nil
	}))
	alice := other.Buyer(t, "alice")
	stored := placed(t, alice.Buy(t, activity, "sku", "stored"))
	_ = placed(t, alice.Buy(t, activity, "sku", "stored-too"))
	other.Drain(t)
	cached := placed(t, alice.Buy(t, activity, "sku", "cached"))

	armed.Store(true)
	_, err := other.Server.Mover.RunOnce(ctx)
	require.NoError(t, err)
	a := alice.Call(t, http.MethodPost, "/api/v1/orders/"+stored+"/cancel", "", nil)
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	for _, c := range list {
		a, err := c.send(ctx, other.Operator(t), activity)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	}
	require.True(t, loaded.Load(), "the step was done")

	s.Drain(t)
	s.Job(t, "settle_stock")
	assert.Empty(t, s.Audit(t, activity))
	requireSound(t, stores, activity)
	orders := rows(t, stores, activity)
	assert.Equal(t, order.Cancelled, orders[stored].Status)
	_, kept := orders[cached]
	assert.Equal(t, step != "peek", kept, "an order that SQL didn't have was lost with Redis, and is not sold")
	assert.EqualValues(t, 11, points(t, stores, activity)["0"].Total)
	for _, c := range list {
		a, err := c.send(ctx, s.Operator(t), activity)
		require.NoError(t, err)
		assert.Equal(t, "done", a.JSON(t)["status"], string(a.Body))
	}
	left := strconv.FormatInt(11-points(t, stores, activity)["0"].Sold, 10)
	assert.Equal(t, map[string]string{"sku": left, "sku~0": left}, remaining(t, s, activity))
}
