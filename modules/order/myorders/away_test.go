package myorders

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/logpositions"
	"onrush/modules/problem"
	"onrush/modules/site"
	"onrush/test/kit"
	"onrush/test/stage"
)

// twoOrders is a world with one cached and one stored, older order.
func twoOrders(t *testing.T, s *kit.Stores) (w *world, cached, stored *order.Order) {
	t.Helper()
	w = &world{s: s, user: "user_1"}
	cached = &order.Order{
		Number: order.NewNumber(listNow, 2, 7), User: w.user, Task: "t", Digest: "d", Status: order.Unpaid,
		Content: order.Content{
			Type: order.Seckill, Kind: catalogue.Virtual, Shop: "shop-a", Activity: "act-1",
			Point: catalogue.DefaultPoint, Currency: "CNY", Delivery: catalogue.None,
			PlacedAt: api.Millis(listNow.UnixMilli()), GoodsAmount: 1, TotalAmount: 1,
			Items: []order.Item{{SKU: "sku-1", Title: "Lamp", Quantity: 1, Price: 1}},
		},
	}
	old := *cached
	stored = &old
	stored.Number, stored.Type, stored.Activity, stored.Task = order.NewNumber(listNow.Add(-time.Hour), 0, 1),
		order.Ordinary, "", "t2"
	require.NoError(t, w.place(t.Context(), cached))
	require.NoError(t, w.store(t.Context(), stored))
	return w, cached, stored
}

func numbersOf(list api.List[Row]) []order.Number {
	numbers := []order.Number{}
	for _, v := range list.Items {
		numbers = append(numbers, v.Number)
	}
	return numbers
}

func TestListIsPartialWhileAStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		w, cached, stored := twoOrders(t, s)
		orders := patientOrders(s)
		page := api.Page{Page: 1, Size: 10}

		list, err := orders.List(ctx, w.user, Filter{}, page)
		require.NoError(t, err)
		assert.Equal(t, []order.Number{cached.Number, stored.Number}, numbersOf(list))
		assert.False(t, list.Partial)

		s.RedisAway(t)
		list, err = orders.List(ctx, w.user, Filter{}, page)
		require.NoError(t, err)
		assert.Equal(t, []order.Number{stored.Number}, numbersOf(list))
		assert.True(t, list.Partial)
		list, err = orders.List(ctx, w.user, Filter{Type: order.Ordinary}, page)
		require.NoError(t, err)
		assert.False(t, list.Partial, "no cached order can meet this filter")
		_, err = orders.Get(ctx, w.user, cached.Number)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		one, err := orders.Get(ctx, w.user, stored.Number)
		require.NoError(t, err)
		assert.Equal(t, order.FromSQL, one.Source)

		s.SQLAway(t)
		_, err = orders.List(ctx, w.user, Filter{}, page)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))

		s.RedisBack(t)
		require.Eventually(t, func() bool {
			list, err = orders.List(ctx, w.user, Filter{}, page)
			return err == nil
		}, 10*time.Second, 10*time.Millisecond)
		assert.Equal(t, []order.Number{cached.Number}, numbersOf(list))
		assert.True(t, list.Partial)
		list, err = orders.List(ctx, w.user, Filter{Status: order.Paid}, page)
		require.NoError(t, err)
		assert.Empty(t, list.Items)
		assert.True(t, list.Partial)
		list, err = orders.List(ctx, w.user, Filter{}, api.Page{Size: 10, Before: int64(cached.Number)})
		require.NoError(t, err)
		assert.Empty(t, list.Items)
		one, err = orders.Get(ctx, w.user, cached.Number)
		require.NoError(t, err)
		assert.Equal(t, order.FromCache, one.Source)
		_, err = orders.Get(ctx, w.user, stored.Number)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	}, kit.Breakable())
}

func TestFrozenRedisIsNoticedSoon(t *testing.T) {
	t.Parallel()
	s := kit.Own(t)
	w, _, stored := twoOrders(t, s.Stores)
	orders := patientOrders(s.Stores)
	orders.cache.within = cacheWithin
	s.RedisServer.Freeze(t)
	t.Cleanup(func() { s.RedisServer.Thaw(t) })
	began := time.Now()
	list, err := orders.List(t.Context(), w.user, Filter{}, api.Page{Page: 1, Size: 10})
	require.NoError(t, err)
	assert.Less(t, time.Since(began), 5*time.Second)
	assert.Equal(t, []order.Number{stored.Number}, numbersOf(list))
	assert.True(t, list.Partial)
}

func TestOrderOfAnotherUserDoesNotExist(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, cached, stored := twoOrders(t, s)
		orders := patientOrders(s)
		for _, n := range []order.Number{cached.Number, stored.Number} {
			_, err := orders.Get(t.Context(), "user_2", n)
			assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
			v, err := orders.Get(t.Context(), w.user, n)
			require.NoError(t, err)
			assert.Equal(t, n, v.Number)
		}
		list, err := orders.List(t.Context(), "user_2", Filter{}, api.Page{Page: 1, Size: 10})
		require.NoError(t, err)
		assert.Empty(t, list.Items)
	})
}

func TestOrderShowsItsLog(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		w, _, stored := twoOrders(t, s)
		tx, err := s.DB.Write.BeginTxx(t.Context(), nil)
		require.NoError(t, err)
		require.NoError(t, order.AddLogLine(t.Context(), tx,
			order.LogLine{Order: stored.Number, AtMS: listNow.UnixMilli(), Actor: "buyer", Action: "cancelled"}))
		require.NoError(t, tx.Commit())
		orders := patientOrders(s)
		one, err := orders.Get(t.Context(), w.user, stored.Number)
		require.NoError(t, err)
		want := []order.ViewLogLine{
			{At: one.PlacedAt, What: "placed"}, {At: api.Millis(listNow.UnixMilli()), What: "cancelled"},
		}
		assert.Equal(t, want, one.Events)
	})
}

func TestUnreadableAndForeignRecordsAreLeftOut(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		w, cached, _ := twoOrders(t, s)
		foreign := *cached
		foreign.Number, foreign.User = cached.Number+1, "user_2"
		require.NoError(t, w.place(ctx, &foreign)) // under user_1
		displaced := *cached
		displaced.Number = order.NewNumber(listNow, 1, 1)
		data, err := order.EncodeRecord(&displaced)
		require.NoError(t, err)
		key := s.Keys.Orders(2, w.user)
		require.NoError(t, s.Redis.HSet(ctx, key, "info:1", "{", lua.OrderField(displaced.Number.String()), data).Err())

		found, err := patientOrders(s).cache.find(ctx, match{user: w.user}, nil)
		require.NoError(t, err)
		assert.True(t, found.partial)
		found.entries = slices.DeleteFunc(found.entries, entry.unread)
		require.Len(t, found.entries, 1)
		assert.Equal(t, cached.Number, found.entries[0].number)
		one, err := patientOrders(s).cache.Get(ctx, w.user, foreign.Number)
		require.Error(t, err)
		assert.Nil(t, one)
	})
}

func TestAFrozenRedisDelaysNoListThatMayReadAReplica(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	w, _, stored := twoOrders(t, s.Stores)
	replica, err := s.DB.OpenReplica(s.ReplicaDSN, 4, time.Now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { _ = replica.Close() })
	orders := patientOrders(s.Stores)
	orders.cache.within = cacheWithin
	written := logpositions.New(s.DB, lua.New(s.Redis, s.Keys), site.Fixed(testLanes), time.Now,
		slog.New(slog.DiscardHandler))
	orders.ReadFrom(replica, written)
	s.RedisServer.Freeze(t)
	t.Cleanup(func() { s.RedisServer.Thaw(t) })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	list, err := orders.List(ctx, w.user, Filter{}, api.Page{Page: 1, Size: 10})
	require.NoError(t, err)
	assert.Equal(t, []order.Number{stored.Number}, numbersOf(list), "from the primary")
}

func TestAnOrderThatIsMovedBetweenTheReadsOfBothStoresIsFound(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1000}})
		moves := false
		log := slog.New(slog.DiscardHandler)
		cache := NewCache(stage.BeforeEach(t, stores, func(redis.Cmder) {
			if moves {
				moves = false
				s.Move(t)
			}
		}), stores.Keys, site.Fixed(stage.Lanes), log)
		service := NewService(stores.DB, cache, time.Now, log)
		for {
			o := s.Place(t, "ann", 1)
			moves = true
			got, err := service.Get(t.Context(), "ann", o.Number)
			if problem.CodeOf(err) == problem.CodeUnavailable {
				continue // the move took longer than the cache may take
			}
			require.NoError(t, err)
			assert.Equal(t, o.Number, got.Number)
			assert.False(t, moves)
			break
		}
	})
}
