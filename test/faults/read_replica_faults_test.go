package faults

import (
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	api "onrush/web/client"
)

// Buyers, operators and a gateway change orders at random, while the replica has stopped, Redis freezes, is full or
// loses its data, and instances fail behind their commits. What a buyer is told of an order, by whatever request, is in
// their next list.
func TestEveryAnswerIsInTheNextListWhateverFails(t *testing.T) {
	t.Parallel()
	stores := kit.OwnReplicated(t)
	w := &answered{t: t, stores: stores, random: mathrand.New(mathrand.NewPCG(1, 35))}
	fail := site.Faults(func(step string) error {
		if strings.HasSuffix(step, "commit") && w.failing.CompareAndSwap(true, false) {
			return errors.New("the program ended")
		}
		return nil
	})
	replica := readReplica(t, stores)
	w.readers = []*site.Site{
		site.Start(t, stores.Stores, site.Replica(replica), fail),
		site.Start(t, stores.Stores, site.Replica(replica), fail),
	}
	w.sites = append(w.readers, site.Start(t, stores.Stores, fail)) // one that is not configured with the replica yet
	w.sites[0].Open(t, site.Sale{Stock: map[string]int64{"0": 1 << 20}})
	stranger := w.readers[0].Buyer(t, "stranger")
	stranger.ListOrders(t, "")
	stores.CatchUp(t)
	stores.Lag(t, time.Hour)
	for i := range 80 {
		if i == 20 { // Redis may lose its data from now on
			before := replica.Read.Load()
			waitFor(t, "the replica has all that concerns others", func() bool { // unless a store is slow
				stranger.ListOrders(t, "")
				return replica.Read.Load() > before
			})
		}
		w.step(i > 20)
		if t.Failed() {
			return
		}
	}
	assert.Positive(t, replica.Behind.Load())
}

// answered are the orders of three buyers.
type answered struct {
	t       *testing.T
	stores  *kit.Replicated
	readers []*site.Site // with a replica
	sites   []*site.Site
	random  *mathrand.Rand
	failing atomic.Bool // the next step behind a commit fails
	orders  [3][]string
}

func (w *answered) of(buyer int, sites []*site.Site) *site.Person {
	return sites[w.random.IntN(len(sites))].Buyer(w.t, fmt.Sprint("buyer-", buyer))
}

func (w *answered) reader(buyer int) *site.Person { return w.of(buyer, w.readers) }

// step does something to an order of a buyer during a fault, and compares what the buyer is told then.
func (w *answered) step(lose bool) {
	buyer := w.random.IntN(len(w.orders))
	fault, heal := w.fault(lose)
	what := w.change(buyer)
	heal()
	if len(w.orders[buyer]) == 0 {
		return
	}
	told := map[string]api.Order{}
	for _, number := range w.orders[buyer] {
		told[number] = w.of(buyer, w.sites).GetOrder(w.t, number)
	}
	list := w.reader(buyer).ListOrders(w.t, "page_size=100")
	during := what + " during " + fault
	assert.False(w.t, list.Partial, during)
	listed := map[string]api.Order{}
	for _, o := range list.Items {
		listed[o.OrderNumber] = o
	}
	for number, is := range told {
		o := listed[number]
		assert.Equal(w.t, is.Status, o.Status, "%s after %s", number, during)
		assert.Equal(w.t, is.RefundedAmount, o.RefundedAmount, during)
	}
}

// fault begins a fault, and returns what ends it.
func (w *answered) fault(lose bool) (name string, heal func()) {
	ctx := w.t.Context()
	switch kind := w.random.IntN(5); {
	case kind == 0:
		w.failing.Store(true)
		return "a failure behind the commit", func() { w.failing.Store(false) }
	case kind == 1:
		w.stores.RedisServer.Freeze(w.t)
		return "a frozen Redis", func() { w.stores.RedisServer.Thaw(w.t) }
	case kind == 2:
		require.NoError(w.t, w.stores.Redis.ConfigSet(ctx, "maxmemory", "1mb").Err())
		return "a full Redis", func() { require.NoError(w.t, w.stores.Redis.ConfigSet(ctx, "maxmemory", "0").Err()) }
	case kind == 3 && lose:
		return "a loss of Redis' data", func() { require.NoError(w.t, w.stores.Redis.FlushDB(ctx).Err()) }
	}
	return "no fault", func() {}
}

// change does something at random to an order of a buyer, which may fail.
func (w *answered) change(buyer int) string {
	p, key := w.of(buyer, w.sites), rand.Text()
	number := ""
	if n := len(w.orders[buyer]); n > 0 {
		number = w.orders[buyer][w.random.IntN(n)]
	}
	operator := w.sites[w.random.IntN(len(w.sites))].Operator(w.t)
	switch act := w.random.IntN(7); {
	case act < 2 || number == "":
		body := api.OrderRequest{Items: []api.OrderLine{{SKUID: "sku"}}}
		if a := w.try(p, "/api/v1/orders", key, body); a.Status == http.StatusCreated {
			w.orders[buyer] = append(w.orders[buyer], site.Read[struct {
				Orders []api.Order `json:"orders"`
			}](w.t, http.StatusCreated, a).Orders[0].OrderNumber)
		}
		return "an ordinary order"
	case act == 2:
		a := w.try(p, "/api/v1/orders/"+number+"/cancel", "", nil)
		return "a cancellation answered " + strconv.Itoa(a.Status)
	case act == 3:
		a := w.try(operator, "/admin/api/v1/orders/"+number+"/cancel", "", map[string]any{"reason": "x"})
		return "an operator's cancellation answered " + strconv.Itoa(a.Status)
	case act == 4:
		a := w.try(operator, "/admin/api/v1/orders/"+number+"/refund", key, map[string]any{"amount": 1})
		return "a refund answered " + strconv.Itoa(a.Status)
	}
	a := w.try(p, "/api/v1/payments", key, map[string]any{"order_numbers": []string{number}, "channel": "sandbox"})
	if a.Status != http.StatusCreated {
		return "a payment that didn't begin"
	}
	pay := site.Read[api.Payment](w.t, http.StatusCreated, a)
	paid, err := w.sites[w.random.IntN(len(w.sites))].Notify(w.t.Context(), site.Payment{
		Number: pay.PayNumber, Transaction: key, Amount: pay.Amount, Currency: pay.Currency,
	})
	require.NoError(w.t, err)
	return "a payment answered " + strconv.Itoa(paid.Status)
}

func (w *answered) try(p *site.Person, path, key string, body any) site.Answer {
	a, err := p.Try(w.t.Context(), http.MethodPost, path, key, body)
	require.NoError(w.t, err)
	return a
}
