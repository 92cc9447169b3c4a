package draw_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill/draw"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

const (
	limit  = 2 // units that a user may buy
	people = 40
)

var points = []string{"0", "1"}

// scene is a draw of random steps, and what a test knows of it.
type scene struct {
	*world
	rand    *rand.Rand
	entered map[string]string // entry ids, by user
	orders  []*order.Order    // placed and not cancelled
	took    map[string]bool   // users who have bought, even before they were told of their offer
	raised  int
	drawn   int // entries that were drawn and not forgotten
}

// Whatever buyers, operators and crashes do, units are only offered in the order of the lots and only sold to those who
// are drawn, nobody is over the limit, and the account balances.
func TestRandomStepsKeepTheOrderOfTheLots(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		s := &scene{
			world: open(t, stores, stage.Sale{Stock: map[string]int64{"0": 4, "1": 3}, Limit: limit}),
			rand:  rand.New(rand.NewPCG(seed, 1)), entered: map[string]string{},
			took: map[string]bool{},
		}
		promised := s.result(t, 1).SeedHash
		for range 60 {
			[]func(*testing.T){s.come, s.come, s.come, s.come, s.goes, s.buy, s.run, s.lose}[s.rand.IntN(8)](t)
		}
		require.Len(t, s.rows(t), len(s.entered))
		s.start(t)
		steps := []func(*testing.T){
			s.come, s.goes, s.erase, s.buy, s.take, s.take, s.take, s.lapseOne, s.lapseOne, s.cancelOne, s.more, s.move,
			s.run, s.run, s.run, s.crash, s.crash, s.lose,
		}
		for range 120 {
			steps[s.rand.IntN(len(steps))](t)
		}
		s.run(t)
		requireFair(t, promised, s.result(t, 9))
		assert.Positive(t, s.drawn, "the steps reach an offer")
		bought := map[string]int64{}
		for _, o := range s.orders {
			bought[o.User] += o.Items[0].Quantity
			assert.LessOrEqual(t, bought[o.User], int64(limit))
		}
	})
}

func (s *scene) someone() string { return name(s.rand.IntN(people)) }

func (s *scene) somewhere() string { return points[s.rand.IntN(len(points))] }

// come lets somebody enter. Before the start they are in, and afterwards they are refused.
func (s *scene) come(t *testing.T) {
	user := s.someone()
	s.keys[user] = user + "'s device " + strconv.Itoa(s.rand.IntN(2))
	v, err := s.enter(t, user, s.somewhere(), s.rand.Int64N(limit)+1)
	if closed := s.result(t, 1).ClosedAt > 0; closed {
		assert.Equal(t, "draw_closed", codeOf(err))
		return
	}
	require.NoError(t, err)
	if had, is := s.entered[user]; is {
		assert.Equal(t, had, v.EntryID)
	}
	s.entered[user] = v.EntryID
}

func (s *scene) goes(t *testing.T) {
	user := s.someone()
	err := s.draw.Leave(context.WithoutCancel(t.Context()), user, s.Activity, s.entered[user])
	if _, is := s.entered[user]; is {
		require.NoError(t, err)
		delete(s.entered, user)
	} else {
		assert.Equal(t, "not_found", codeOf(err))
	}
}

func (s *scene) erase(t *testing.T) {
	user := s.someone()
	require.NoError(t, s.Stores.DB.InTx(context.WithoutCancel(t.Context()), func(tx *sqlx.Tx) error {
		return draw.Erase(t.Context(), tx, user)
	}))
	delete(s.entered, user)
}

// buy places an order of somebody, with or without an offer.
func (s *scene) buy(t *testing.T) {
	user, point, quantity := s.someone(), s.somewhere(), s.rand.Int64N(limit)+1
	offered := slices.ContainsFunc(s.offers(t), func(o lua.Offer) bool {
		return o.User == user && o.Point == point && o.Quantity >= quantity && o.UntilMS > time.Now().UnixMilli()
	})
	o, code := s.buys(t, user, point, quantity)
	switch {
	case code == lua.Placed:
		assert.True(t, offered, "nobody buys without an offer")
		s.orders, s.took[user] = append(s.orders, o), true
	case offered:
		assert.Equal(t, lua.OverActivityLimit, code, "an offer that stands can be taken")
	}
}

// take lets a buyer take an offer, as a whole or in part.
func (s *scene) take(t *testing.T) {
	offers := s.offers(t)
	if len(offers) == 0 {
		return
	}
	of := offers[s.rand.IntN(len(offers))]
	o, code := s.buys(t, of.User, of.Point, s.rand.Int64N(of.Quantity)+1)
	if code == lua.Placed {
		s.orders, s.took[of.User] = append(s.orders, o), true
	}
}

func (s *scene) lapseOne(t *testing.T) {
	if offers := s.offers(t); len(offers) > 0 {
		s.lapse(t, offers[s.rand.IntN(len(offers))])
	}
}

func (s *scene) cancelOne(t *testing.T) {
	if len(s.orders) == 0 {
		return
	}
	i, ctx := s.rand.IntN(len(s.orders)), context.WithoutCancel(t.Context())
	o := s.orders[i]
	require.NoError(t, s.Canceller.Cancel(ctx, o.User, o.Number, ""))
	s.settle(t)
	s.orders = slices.Delete(s.orders, i, i+1)
}

func (s *scene) settle(t *testing.T) {
	t.Helper()
	_, err := s.Outbox.RunOnce(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
}

func (s *scene) more(t *testing.T) {
	s.raised++
	_, err := s.Changer.Change(context.WithoutCancel(t.Context()), inventory.StockChange{
		ID:       inventory.ChangeID(s.Activity, "operator", "raise"+strconv.Itoa(s.raised)),
		Activity: s.Activity, SKU: stage.SKU, Point: s.somewhere(), Delta: 1,
	})
	require.NoError(t, err)
}

func (s *scene) move(t *testing.T) { s.Move(t) }

// run runs the jobs. Then whoever comes first at a point is drawn, unless they want more units than those behind them.
func (s *scene) run(t *testing.T) {
	s.serve(t)
	order, rows := map[string]int{}, s.rows(t)
	for i, e := range s.result(t, 100).Items {
		order[e.EntryID] = i
	}
	s.drawn = 0
	for _, behind := range rows {
		if behind.DrawnMS == 0 {
			continue
		}
		s.drawn++
		for _, ahead := range rows {
			waits := ahead.DrawnMS == 0 && ahead.User != "" && !s.took[ahead.User]
			if waits && ahead.Point == behind.Point && behind.User != "" && order[ahead.ID] < order[behind.ID] {
				assert.Greater(t, ahead.Quantity, behind.Quantity, "%+v was passed by %+v", ahead, behind)
			}
		}
	}
	s.Balanced(t)
}

// crash stops the jobs of another instance after a step.
func (s *scene) crash(t *testing.T) {
	steps := []string{"draw_closed", "draw_listed", "waitlist_read", "waitlist_end", "waitlist_offer", "waitlist_told"}
	i, ctx := s.Start(t, stage.CrashAt(steps[s.rand.IntN(len(steps))])), context.WithoutCancel(t.Context())
	_, err := i.Drawer.RunOnce(ctx)
	if err == nil {
		_, err = i.Offerer.RunOnce(ctx)
	}
	if err != nil {
		require.ErrorIs(t, err, stage.ErrCrash)
	}
}

// lose lets Redis lose everything that SQL has, and loads the sale again.
func (s *scene) lose(t *testing.T) {
	s.Move(t)
	s.run(t) // else an offer that was taken comes back with the load
	s.settle(t)
	s.Flush(t)
	s.Load(t)
	s.Balanced(t)
}
