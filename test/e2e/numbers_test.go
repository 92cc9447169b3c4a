package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// withSecret gives an instance its own path secret, as while it is changed on one instance after the other.
func withSecret(of string) site.Option {
	return site.Configured(func(cfg *server.Config) { cfg.PathSecret = strings.Repeat(of, 40) })
}

// oneLane puts all sales into one lane.
var oneLane = lanes(1)

// lanes gives an instance a setting of ONRUSH_LANES.
func lanes(n int) site.Option { return site.Configured(func(cfg *server.Config) { cfg.Lanes = n }) }

// All orders are in one lane, so that only their sequence tells two numbers of one second apart.
func TestInstancesWithDifferentPathSecretsGiveNoNumberTwice(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const buyers = 60
		instances := []*site.Site{
			site.Start(t, stores, withSecret("a"), oneLane), site.Start(t, stores, withSecret("b"), oneLane),
		}
		sales := []string{
			instances[0].Open(t, site.Sale{SKU: "one"}), instances[1].Open(t, site.Sale{SKU: "two"}),
		}
		var mu sync.Mutex
		owner := map[order.Number]string{}
		kit.Crowd(buyers, func(i int) {
			s, name := instances[i%2], fmt.Sprint("buyer", i)
			sku := []string{"one", "two"}[i/2%2]
			answer := s.Buyer(t, name).Buy(t, sales[i/2%2], sku, "key")
			placed := answer.Placed(t)
			n, err := order.ParseNumber(placed.OrderNumber)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			assert.Empty(t, owner[n], "%s has two buyers", n)
			owner[n] = name
		})
		require.Len(t, owner, buyers)
		for n, name := range owner {
			list := instances[0].Buyer(t, name).ListOrders(t, "page_size=10")
			require.Len(t, list.Items, 1, name)
			assert.Equal(t, n.String(), list.Items[0].OrderNumber)
		}
		for _, s := range sales {
			require.Eventually(t, func() bool { return instances[0].Audit(t, s) == "" }, 20*time.Second,
				50*time.Millisecond)
		}
		dead, err := stores.Redis.HLen(t.Context(), stores.Keys.Dead(1)).Result()
		require.NoError(t, err)
		assert.Zero(t, dead)
	})
}

// A forced collision: SQL has a stranger's order with the number of a cached one. Its buyer sees it all the while, and
// pays it under the number that it gets.
func TestBothBuyersOfOneNumberHaveTheirOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := context.WithoutCancel(t.Context())
		s := site.Start(t, stores, site.Idle(), oneLane)
		first, second := s.Open(t, site.Sale{SKU: "one"}), s.Open(t, site.Sale{SKU: "two"})
		ann, bob := s.Buyer(t, "ann"), s.Buyer(t, "bob")
		anns := ann.Buy(t, first, "one", "key").Placed(t)
		s.Drain(t)
		bobs := bob.Buy(t, second, "two", "key").Placed(t)
		a, err := order.ParseNumber(anns.OrderNumber)
		require.NoError(t, err)
		b, err := order.ParseNumber(bobs.OrderNumber)
		require.NoError(t, err)
		_, err = stores.DB.Write.ExecContext(ctx, `UPDATE orders SET number = ? WHERE number = ?`, b, a)
		require.NoError(t, err)
		held := stores.Keys.Held(1, first)
		hold, err := stores.Redis.HGet(ctx, held, a.String()).Result()
		require.NoError(t, err)
		require.NoError(t, stores.Redis.HDel(ctx, held, a.String()).Err())
		require.NoError(t, stores.Redis.HSet(ctx, held, b.String(), hold).Err())

		assert.Equal(t, "unpaid", string(bob.GetOrder(t, bobs.OrderNumber).Status), "of one that SQL has for ann")
		require.Len(t, bob.ListOrders(t, "").Items, 1, "it is in Redis only")
		s.Drain(t)
		task := site.Poll(t, bob, "/api/v1/seckill/tasks/"+bobs.TaskID, func(task client.Task) bool {
			return task.Status == "SUCCESS"
		})
		assert.NotEqual(t, bobs.OrderNumber, task.OrderNumber)
		list := bob.ListOrders(t, "")
		require.Len(t, list.Items, 1)
		assert.Equal(t, task.OrderNumber, list.Items[0].OrderNumber)
		assert.Equal(t, bobs.OrderNumber, ann.ListOrders(t, "").Items[0].OrderNumber)
		for who, number := range map[*site.Person]string{ann: bobs.OrderNumber, bob: task.OrderNumber} {
			who.BeginPayment(t, "pay", number)
		}
		assert.Equal(t, task.OrderNumber, bob.Buy(t, second, "two", "key").Placed(t).OrderNumber, "its key says so")
		assert.Empty(t, s.Audit(t, first))
		assert.Empty(t, s.Audit(t, second))
	})
}

// An operator adds lanes on one instance, and takes the setting back. The other instance never had it.
func TestLanesAddedOnOneInstanceAreReadAndMovedByTheOther(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		now := kit.NewClock(time.Now())
		few := site.Start(t, stores, site.Idle(), lanes(1), site.Time(now.Now))
		require.Len(t, few.Operator(t).GetQueue(t), 1)
		many := site.Start(t, stores, site.Idle(), lanes(3), site.Time(now.Now))
		first := many.Open(t, site.Sale{SKU: "one"})
		assert.Equal(t, 1, site.Lane(t, stores, first))
		assert.Equal(t, 1, site.Lane(t, stores, many.Open(t, site.Sale{SKU: "two"})),
			"the other instance may not know more")
		now.Advance(10 * time.Second)
		require.Eventually(t, func() bool { return len(few.Operator(t).GetQueue(t)) == 3 }, 20*time.Second,
			20*time.Millisecond, "it reads the site again")

		seen := map[int]bool{}
		buyer := few.Buyer(t, "ann")
		var placed []string
		for _, sku := range []string{"three", "four"} {
			sale := many.Open(t, site.Sale{SKU: sku})
			seen[site.Lane(t, stores, sale)] = true
			placed = append(placed, buyer.At(many).Buy(t, sale, sku, "key").Placed(t).OrderNumber)
		}
		assert.Equal(t, map[int]bool{2: true, 3: true}, seen)
		many.Stop(t)
		back := site.Start(t, stores, site.Idle(), lanes(1), site.Time(now.Now))
		for _, s := range []*site.Site{few, back} {
			list := buyer.At(s).ListOrders(t, "")
			assert.Len(t, list.Items, len(placed))
			assert.False(t, list.Partial)
			for _, number := range placed {
				assert.Equal(t, number, buyer.At(s).GetOrder(t, number).OrderNumber)
			}
		}
		back.Drain(t)
		for _, number := range placed {
			assert.Equal(t, "sql", buyer.GetOrder(t, number).Source)
		}
	})
}
