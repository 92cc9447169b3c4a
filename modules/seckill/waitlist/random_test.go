package waitlist_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/holds"
	"onrush/modules/seckill/waitlist"
	"onrush/test/goods"
	"onrush/test/kit"
	"onrush/test/stage"
)

const (
	limit  = 3 // units that a user may buy
	people = 8
)

var points = []string{"0", "1"}

// scene is a world of random steps, and what a test knows of it.
type scene struct {
	*world
	rand   *rand.Rand
	orders []*order.Order // placed and not cancelled
	told   int            // offers that were made

	homes   goods.Goods
	ordered int // orders that operators made of holds
}

// Whatever buyers, operators and failures do, the account balances, the list keeps its order, nobody is over the
// limit, and no more is offered than there is.
func TestRandomStepsKeepTheListAndTheAccount(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		s := &scene{
			world: open(t, stores, stage.Sale{Stock: map[string]int64{"0": 3, "1": 2}, Limit: limit}),
			rand:  rand.New(rand.NewPCG(seed, 1)),
			homes: goods.New(stores),
		}
		steps := []func(*testing.T){
			s.buy, s.buy, s.buy, s.buy, s.buy, s.wait, s.wait, s.wait, s.wait, s.take, s.cancelOne, s.cancelOne,
			s.offer, s.offer, s.offer,
			s.lapseOne, s.leaveOne, s.more, s.more, s.move, s.lose, s.hold, s.hold, s.hold, s.release, s.nameOne,
			s.orderOne, s.orderOne, s.orderOne,
		}
		for range 16 { // until little is left
			s.buy(t)
		}
		for range 300 {
			steps[s.rand.IntN(len(steps))](t)
			for _, units := range s.Hash(t, stores.Keys.Stock) {
				require.NotContains(t, units, "-", "no stock is below 0")
			}
		}
		s.move(t)
		s.offer(t)
		s.requireAgreed(t)
		s.requireLimit(t)
		assert.Positive(t, s.told, "the steps reach an offer")
		t.Logf("%d offers, %d orders of holds", s.told, s.ordered)
		assert.Len(t, s.events(t), s.told)
	})
}

func (s *scene) someone() string { return name(s.rand.IntN(people)) }

func (s *scene) somewhere() string { return points[s.rand.IntN(len(points))] }

// buy places an order of somebody, with or without an offer. Others than the buyer of an offer get no units for which
// buyers wait, and nobody more than are left.
func (s *scene) buy(t *testing.T) {
	user, point, quantity := s.someone(), s.somewhere(), s.rand.Int64N(2)+1
	list, stock := s.redisList(t), s.Hash(t, s.Stores.Keys.Stock)
	offered := slices.ContainsFunc(list.Offers, func(o lua.Offer) bool {
		return o.User == user && o.Point == point && o.Quantity >= quantity && o.UntilMS > time.Now().UnixMilli()
	})
	o, code := s.buys(t, user, point, quantity)
	field := lua.StockField(stage.SKU, point)
	if code == lua.Placed {
		s.orders = append(s.orders, o)
		assert.True(t, offered || list.Waits[field] == "" && number(t, stock[field]) >= quantity)
	} else {
		assert.Contains(t, []lua.PlaceCode{lua.SoldOut, lua.OverActivityLimit}, code)
		assert.False(t, offered && code == lua.SoldOut, "the units are kept for the buyer")
	}
}

func (s *scene) wait(t *testing.T) {
	_, err := s.join(t, s.someone(), s.somewhere(), s.rand.Int64N(limit)+1)
	if err != nil {
		assert.Equal(t, "not_sold_out", codeOf(err))
	}
}

// take lets a buyer take an offer, as a whole or in part.
func (s *scene) take(t *testing.T) {
	offers := s.redisList(t).Offers
	if len(offers) == 0 {
		return
	}
	of := offers[s.rand.IntN(len(offers))]
	if of.User == waitlist.Desk(of.Entry) {
		return // there is no such buyer
	}
	o, code := s.buys(t, of.User, of.Point, s.rand.Int64N(of.Quantity)+1)
	switch {
	case code == lua.Placed:
		s.orders = append(s.orders, o)
	case of.UntilMS > time.Now().UnixMilli():
		assert.Equal(t, lua.OverActivityLimit, code, "an offer that stands can be taken")
	}
}

func (s *scene) cancelOne(t *testing.T) {
	if len(s.orders) == 0 {
		return
	}
	i := s.rand.IntN(len(s.orders))
	s.cancel(t, s.orders[i])
	s.orders = slices.Delete(s.orders, i, i+1)
}

// offer runs the job. Of those who wait for the same units, nobody who wants as many is passed.
func (s *scene) offer(t *testing.T) {
	before := s.rows(t)
	s.serve(t)
	after := map[string]waitlist.Entry{}
	for _, e := range s.rows(t) {
		after[e.ID] = e
	}
	for i, e := range before {
		now, is := after[e.ID]
		if e.UntilMS > 0 || !is || now.UntilMS == 0 {
			continue
		}
		s.told++
		for _, ahead := range before[:i] {
			still, waits := after[ahead.ID]
			if waits && still.UntilMS == 0 && ahead.Point == e.Point {
				assert.Greater(t, ahead.Quantity, e.Quantity, "%+v was passed by %+v", ahead, e)
				assert.Positive(t, still.PassedMS)
			}
		}
	}
	s.requireAgreed(t)
}

func (s *scene) lapseOne(t *testing.T) {
	if offers := s.redisList(t).Offers; len(offers) > 0 {
		s.lapse(t, offers[s.rand.IntN(len(offers))].User)
	}
}

func (s *scene) leaveOne(t *testing.T) {
	if rows := s.rows(t); len(rows) > 0 {
		e := rows[s.rand.IntN(len(rows))]
		require.NoError(t, s.list.Leave(context.WithoutCancel(t.Context()), e.User, e.ID))
	}
}

// hold sets units aside, for a desk or a buyer, as many as are left.
func (s *scene) hold(t *testing.T) {
	point, quantity, user := s.somewhere(), s.rand.Int64N(2)+1, ""
	if s.rand.IntN(2) == 0 {
		user = s.someone()
	}
	left := number(t, s.Left(t, point))
	had := slices.ContainsFunc(s.rows(t), func(e waitlist.Entry) bool { return e.User == user })
	_, err := s.holds.Make(context.WithoutCancel(t.Context()), "olga", s.Activity, holds.Wanted{
		SKU: stage.SKU, Point: point, Quantity: quantity, User: user,
	})
	assert.Equal(t, left >= quantity && !had, err == nil, "%d of %d for %q: %v", quantity, left, user, err)
	if err != nil {
		assert.Equal(t, "conflict", codeOf(err))
	} else if user != "" {
		s.told++
	}
	s.Know(t)
}

// held returns one of the holds, or nil.
func (s *scene) held(t *testing.T) *waitlist.Entry {
	rows := slices.DeleteFunc(s.rows(t), func(e waitlist.Entry) bool { return !e.Held() })
	if len(rows) == 0 {
		return nil
	}
	return &rows[s.rand.IntN(len(rows))]
}

// stands reports whether the units of a hold can still be taken.
func (s *scene) stands(t *testing.T, e *waitlist.Entry) bool {
	return slices.ContainsFunc(s.redisList(t).Offers, func(o lua.Offer) bool {
		return o.Entry == e.ID && o.UntilMS > time.Now().UnixMilli()
	})
}

func (s *scene) release(t *testing.T) {
	if e := s.held(t); e != nil {
		stands := s.stands(t, e)
		err := s.holds.Release(context.WithoutCancel(t.Context()), s.Activity, e.ID)
		assert.Equal(t, stands, err == nil, "%+v: %v", e, err)
	}
}

func (s *scene) nameOne(t *testing.T) {
	e, user := s.held(t), s.someone()
	if e == nil || e.User != waitlist.Desk(e.ID) || e.UntilMS <= time.Now().UnixMilli() {
		return
	}
	had := slices.ContainsFunc(s.rows(t), func(e waitlist.Entry) bool { return e.User == user })
	_, err := s.holds.Name(context.WithoutCancel(t.Context()), s.Activity, e.ID, user)
	assert.Equal(t, !had, err == nil, "%+v for %s: %v", e, user, err)
	if err == nil {
		s.told++
	}
}

// orderOne turns a hold into an order of its buyer, or of somebody else who has no entry, within the limit.
func (s *scene) orderOne(t *testing.T) {
	e, user := s.held(t), s.someone()
	if e == nil {
		return
	}
	may := s.stands(t, e) && e.Point == catalogue.DefaultPoint // which serves the addresses
	if e.User == waitlist.Desk(e.ID) {
		may = may && !slices.ContainsFunc(s.rows(t), func(e waitlist.Entry) bool { return e.User == user })
	} else {
		user = e.User
	}
	c := seckill.Choice{Quantity: s.rand.Int64N(e.Quantity) + 1, AddressID: s.homes.Address(t, user, "east").AddressID}
	done, err := s.holds.Order(context.WithoutCancel(t.Context()), s.Activity, e.ID, user,
		&seckill.Submit{Choice: c})
	may = may && s.bought()[user]+c.Quantity <= limit
	assert.Equal(t, may, err == nil, "%d of %+v for %s: %v", c.Quantity, e, user, err)
	if err == nil {
		s.ordered++
		s.orders = append(s.orders, &order.Order{
			Number: done.Order, User: user, Content: order.Content{Items: []order.Item{{Quantity: c.Quantity}}},
		})
	}
}

func (s *scene) more(t *testing.T) { s.raise(t, s.somewhere(), 1) }

func (s *scene) move(t *testing.T) { s.Move(t) }

// lose lets Redis lose everything that SQL has, and loads the sale again: the offers are kept.
func (s *scene) lose(t *testing.T) {
	s.Move(t)
	s.offer(t) // else an offer that was taken comes back with the load
	before := len(s.redisList(t).Offers)
	s.settle(t)
	s.Flush(t)
	s.Load(t)
	assert.Len(t, s.redisList(t).Offers, before)
	s.requireAgreed(t)
}

func (s *scene) requireLimit(t *testing.T) {
	t.Helper()
	for user, units := range s.bought() {
		assert.LessOrEqual(t, units, int64(limit), user)
	}
}

// bought returns how many units the orders of each user have.
func (s *scene) bought() map[string]int64 {
	bought := map[string]int64{}
	for _, o := range s.orders {
		bought[o.User] += o.Items[0].Quantity
	}
	return bought
}
