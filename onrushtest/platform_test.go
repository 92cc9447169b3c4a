package onrushtest_test

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush"
	"onrush/onrushtest"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

func TestAnOrderOfATestIsBoughtPaidAndCancelled(t *testing.T) {
	t.Parallel()
	p := onrushtest.New(t, onrush.Config{})
	sale := p.Sale(onrushtest.Sale{Units: 2, Price: 4900, Limit: 1})
	ada, bob, eve := p.Buyer("ada"), p.Buyer("bob"), p.Buyer("eve")

	first, second := ada.Buy(sale, 1), bob.Buy(sale, 1)
	_, err := eve.TryBuy(sale, 1)
	var refused *onrush.Problem
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, http.StatusConflict, refused.Status, refused)
	p.Drain()
	assert.Equal(t, onrushtest.Order{
		Number: first, Status: "unpaid", User: "ada", Amount: 4900, Currency: "CNY",
	}, p.Order(first))
	events, _, err := p.Events(t.Context(), 0, 100)
	require.NoError(t, err)
	assert.NotEmpty(t, events)

	payment := ada.Pay("sandbox", first)
	assert.EqualValues(t, 4900, payment.Amount)
	assert.Contains(t, payment.Next.RedirectURL, p.URL+"/sandbox/pay/")

	p.Advance(16 * time.Minute)
	require.Eventually(t, func() bool { // the sandbox is asked about ada's payment first
		p.Job("query_payments")
		p.Job("cancel_unpaid")
		p.Job("settle_stock")
		return p.Order(first).Status == "cancelled" && p.Order(second).Status == "cancelled"
	}, 20*time.Second, 20*time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := eve.TryBuy(sale, 1)
		return err == nil
	}, 20*time.Second, 20*time.Millisecond, "the units are on sale again")
}
