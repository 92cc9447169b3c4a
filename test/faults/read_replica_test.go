package faults

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/site"
	api "onrush/web/client"
)

func TestMyOrdersAreWhatABuyerDidWhileTheReplicaIsBehind(t *testing.T) {
	t.Parallel()
	walkMyOrdersOnAReplica(t, time.Second, 400)
}

// readReplica opens the replica as an instance of its own does.
func readReplica(t *testing.T, s *kit.Replicated) *sqldb.Replica {
	t.Helper()
	replica, err := s.DB.OpenReplica(s.ReplicaDSN, 8, time.Now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { _ = replica.Close() })
	return replica
}

// walkMyOrdersOnAReplica lets buyers order, cancel and walk their orders over two instances, at least so many walks in
// all, while movers move the orders and the replica lags. Each walk must show what its buyer did, and nothing else.
func walkMyOrdersOnAReplica(t *testing.T, lag time.Duration, walks int64) {
	t.Helper()
	stores := kit.OwnReplicated(t)
	replica := readReplica(t, stores)
	sites := []*site.Site{
		site.Start(t, stores.Stores, site.Replica(replica)), site.Start(t, stores.Stores, site.Replica(replica)),
	}
	activity := sites[0].Open(t, site.Sale{Stock: map[string]int64{"0": 1 << 20}})
	stores.Lag(t, lag)
	var walked atomic.Int64
	kit.Crowd(16, func(i int) {
		b := &walker{t: t, activity: activity, orders: map[string]string{}}
		for _, s := range sites {
			b.at = append(b.at, s.Buyer(t, fmt.Sprintf("buyer-%d", i)))
		}
		for turn := 0; !t.Failed() && (walked.Load() < walks || replica.Read.Load() < walks/4); turn++ {
			if turn%4 == 0 && (i%2 == 0 || turn < 8) && len(b.orders) < 20 { // the others soon only look
				b.act(turn)
			}
			if b.walk() {
				walked.Add(1)
			}
		}
	})
	t.Logf("%d walks; reads: %d at the replica, %d at the primary since it was behind, %d since it was away",
		walked.Load(), replica.Read.Load(), replica.Behind.Load(), replica.Away.Load())
	assert.Positive(t, replica.Read.Load())
	assert.Positive(t, replica.Behind.Load())
}

// walker is a buyer who calls two instances in turn.
type walker struct {
	t        *testing.T
	at       []*site.Person
	activity string
	calls    int
	orders   map[string]string // what they did: number → status
}

func (b *walker) next() *site.Person {
	b.calls++
	return b.at[b.calls%len(b.at)]
}

// act orders in the sale or outside it, and cancels now and then.
func (b *walker) act(turn int) {
	key := fmt.Sprintf("key-%d", turn)
	if turn%8 == 0 {
		b.orders[b.next().Buy(b.t, b.activity, "sku", key).Placed(b.t).OrderNumber] = "unpaid"
	} else {
		body := api.OrderRequest{Items: []api.OrderLine{{SKUID: "sku"}}}
		for _, o := range b.next().CreateOrders(b.t, key, body) {
			b.orders[o.OrderNumber] = "unpaid"
		}
	}
	if turn%12 == 0 {
		number := slices.Max(slices.Collect(maps.Keys(b.orders)))
		answer := b.next().Insist(http.MethodPost, "/api/v1/orders/"+number+"/cancel", "cancel-"+key, nil)
		require.Equal(b.t, http.StatusOK, answer.Status, string(answer.Body))
		b.orders[number] = "cancelled"
	}
}

// walk reads all pages, and compares them with what the buyer did, unless a store was too slow for a whole list.
func (b *walker) walk() (whole bool) {
	shown := map[string]string{}
	query := "page_size=3"
	for {
		list := b.next().ListOrders(b.t, query)
		for _, o := range list.Items {
			assert.Empty(b.t, shown[o.OrderNumber], "order %s is shown twice", o.OrderNumber)
			shown[o.OrderNumber] = string(o.Status)
		}
		if list.Partial {
			return false
		}
		if list.NextCursor == "" {
			break
		}
		query = "page_size=3&before=" + list.NextCursor
	}
	assert.Equal(b.t, b.orders, shown)
	return true
}
