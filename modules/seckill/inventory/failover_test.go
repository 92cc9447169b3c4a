package inventory_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

// requireMended requires that the audit job has nothing to say, and that Redis has the holds and counts of SQL.
func requireMended(t *testing.T, s *stage.Stage) {
	t.Helper()
	_, err := s.Auditor.RunOnce(t.Context())
	require.NoError(t, err)
	audit, err := s.Auditor.Audit(t.Context(), s.Activity)
	require.NoError(t, err)
	require.True(t, audit.OK, "%+v", audit)
	require.Zero(t, audit.HoldsMissing+audit.HoldsStale+audit.BoughtWrong+audit.PaidWrong, "%+v", audit)
	s.Balanced(t)
}

// requireOffered requires that Redis offers every unit that SQL has, and no other.
func requireOffered(t *testing.T, s *stage.Stage) {
	t.Helper()
	for _, point := range []string{"0", ""} {
		assert.Equal(t, strconv.FormatInt(totalOf(t, s)-s.Sold(t), 10), s.Left(t, point))
	}
}

func TestAuditJobRepairsWhatAFailoverLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for name, lost := range map[string]func(t *testing.T, s *stage.Stage, o *order.Order){
			"a return": func(t *testing.T, s *stage.Stage, o *order.Order) {
				require.NoError(t, s.Canceller.Cancel(t.Context(), o.User, o.Number, ""))
			},
			"a confirm": func(t *testing.T, s *stage.Stage, o *order.Order) { pay(t, s, o); settle(t, s) },
			"a raise": func(t *testing.T, s *stage.Stage, _ *order.Order) {
				state, err := s.Changer.Change(t.Context(), changeOf(s, "raise", 5))
				require.NoError(t, err)
				require.Equal(t, inventory.ChangeDone, state)
			},
			"a reduction": func(t *testing.T, s *stage.Stage, _ *order.Order) {
				state, err := s.Changer.Change(t.Context(), changeOf(s, "lower", -2))
				require.NoError(t, err)
				require.Equal(t, inventory.ChangeDone, state)
			},
			"an order that moved": func(t *testing.T, s *stage.Stage, _ *order.Order) {
				s.Place(t, "late", 2)
				s.Move(t)
			},
		} {
			s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 10}, Limit: 5, SKULimit: 4})
			o := s.Place(t, "ann", 3)
			s.Place(t, "bob", 1)
			s.Move(t)
			replica := kit.CopyRedis(t, stores)
			lost(t, s, o)
			replica.TakeOver(t, stores)
			s.Move(t)
			repaired, err := s.Auditor.RunOnce(t.Context())
			require.NoError(t, err, name)
			assert.Equal(t, 1, repaired, name)
			requireMended(t, s)
			requireOffered(t, s)
			_, err = stores.DB.Write.ExecContext(t.Context(),
				`UPDATE activities SET retired_ms = 1 WHERE activity_id = ?`, s.Activity)
			require.NoError(t, err) // the job leaves it alone from now on
		}
	})
}

// A return that was begun before a failover arrives after the repair.
func TestAReturnThatIsLateComesBackOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		o := s.Place(t, "ann", 3)
		s.Move(t)
		replica := kit.CopyRedis(t, stores)
		require.NoError(t, s.Canceller.Cancel(t.Context(), o.User, o.Number, ""))
		replica.TakeOver(t, stores)
		requireMended(t, s)
		codes, err := s.Scripts.Return(t.Context(), s.Lane, s.Activity, []string{o.Number.String()})
		require.NoError(t, err)
		assert.Equal(t, []lua.ReturnCode{lua.NotHeld}, codes)
		assert.Equal(t, "10", s.Left(t, "0"))
	})
}

func TestAuditJobAddsNothingThatItCannotProve(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		for name, harm := range map[string]func(t *testing.T, s *stage.Stage, o *order.Order){
			"an order without an entry, which has taken units": func(t *testing.T, s *stage.Stage, _ *order.Order) {
				require.NoError(t, stores.Redis.Del(ctx, stores.Keys.Queue(s.Lane)).Err())
			},
			"an entry whose record can't be read": func(t *testing.T, s *stage.Stage, o *order.Order) {
				held := stores.Keys.Held(s.Lane, s.Activity)
				require.NoError(t, stores.Redis.HDel(ctx, held, o.Number.String()).Err())
				require.NoError(t, stores.Redis.HSet(ctx, stores.Keys.Orders(s.Lane, o.User),
					lua.OrderField(o.Number.String()), "{").Err())
			},
			"an unpaid order that SQL has lost": func(t *testing.T, s *stage.Stage, o *order.Order) {
				s.Move(t)
				loseOrder(t, s, o)
			},
			"a paid order that SQL has lost": func(t *testing.T, s *stage.Stage, o *order.Order) {
				s.Move(t)
				pay(t, s, o)
				settle(t, s)
				loseOrder(t, s, o)
			},
			"an entry that can't be read": func(t *testing.T, s *stage.Stage, _ *order.Order) {
				require.NoError(t, stores.Redis.LSet(ctx, stores.Keys.Queue(s.Lane), 0, "garbage").Err())
			},
		} {
			s := stage.Open(t, stores, stage.Sale{})
			o := s.Order("ann", "0", 3)
			o.PlacedAt = api.Millis(time.Now().Add(-time.Hour).UnixMilli())
			results, err := s.TryPlace(ctx, o)
			require.NoError(t, err)
			require.Equal(t, lua.Placed, results[0].Code)
			harm(t, s, o)
			left := s.Hash(t, stores.Keys.Stock)
			_, err = s.Auditor.RunOnce(ctx)
			require.ErrorContains(t, err, "drifts: sku at 0 by -3", name)
			assert.Equal(t, left, s.Hash(t, stores.Keys.Stock), name)
			s.Flush(t)
			_, err = stores.DB.Write.ExecContext(ctx,
				`UPDATE activities SET retired_ms = 1 WHERE activity_id = ?`, s.Activity)
			require.NoError(t, err) // the job leaves it alone from now on
		}
	})
}

// loseOrder makes SQL forget an order, as one that was restored does.
func loseOrder(t *testing.T, s *stage.Stage, o *order.Order) {
	t.Helper()
	for _, statement := range []string{
		`DELETE FROM orders WHERE number = ` + o.Number.String(),
		`UPDATE activity_stock SET sold = sold - 3 WHERE activity_id = '` + s.Activity + `'`,
	} {
		_, err := s.Stores.DB.Write.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
}

// chaos takes random steps with a sale whose Redis fails over to replicas that are behind.
type chaos struct {
	*stage.Stage

	random *rand.Rand
	copies []*kit.RedisCopy
	orders map[order.Number]*order.Order
	done   int // stock changes
}

func (c *chaos) step(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	switch c.random.IntN(12) {
	case 0, 1, 2, 3:
		o := c.Order(fmt.Sprintf("user%d", c.random.IntN(6)), "0", 1+c.random.Int64N(2))
		_, err := c.TryPlace(ctx, o) // it may be sold out
		require.NoError(t, err)
		c.orders[o.Number] = o
	case 4, 5:
		_, _, err := c.Mover.MoveLane(ctx, c.Lane)
		require.NoError(t, err)
	case 6, 7:
		if n, ok := c.unpaid(t); ok {
			require.NoError(t, c.Canceller.Cancel(ctx, c.orders[n].User, n, ""))
		}
	case 8:
		if n, ok := c.unpaid(t); ok {
			pay(t, c.Stage, c.orders[n])
		}
		settle(t, c.Stage)
	case 9:
		c.done++
		change := changeOf(c.Stage, fmt.Sprint("change", c.done), c.random.Int64N(7)-3|1)
		_, _ = c.Changer.Change(ctx, change) // fewer units may be left
	case 10:
		c.copies = append(c.copies, kit.CopyRedis(t, c.Stores))
	case 11:
		if len(c.copies) > 0 { // and older copies belong to servers that are gone
			c.copies[len(c.copies)-1].TakeOver(t, c.Stores)
			c.copies = c.copies[:len(c.copies)-1]
		}
	}
}

// audit runs the job. Afterwards Redis offers what SQL has; of orders that SQL will refuse, it has told buyers before.
func (c *chaos) audit(t *testing.T) {
	t.Helper()
	_, _ = c.Auditor.RunOnce(t.Context()) // it reports the orders that SQL will refuse
	audit, err := c.Auditor.Audit(t.Context(), c.Activity)
	require.NoError(t, err)
	for _, item := range audit.Items {
		require.Equal(t, max(item.Placed+item.Sold-item.Total, 0), item.Drift, "%+v", item)
	}
	require.Zero(t, audit.HoldsMissing+audit.HoldsStale+audit.BoughtWrong+audit.PaidWrong, "%+v", audit)
}

// unpaid draws an unpaid order that SQL has.
func (c *chaos) unpaid(t *testing.T) (order.Number, bool) {
	stored := c.Stored(t)
	maps.DeleteFunc(stored, func(_ order.Number, status order.Status) bool { return status != order.Unpaid })
	if len(stored) == 0 {
		return 0, false
	}
	numbers := slices.Sorted(maps.Keys(stored))
	return numbers[c.random.IntN(len(numbers))], true
}

// After any steps and failovers, one run of the job makes Redis agree with SQL; it never offers a unit that SQL doesn't
// have, and every unit that SQL has is offered.
func TestAuditJobRepairsAnyFailover(t *testing.T) {
	t.Parallel()
	repairFailovers(t, 6)
}

func repairFailovers(t *testing.T, rounds int) {
	t.Helper()
	const steps = 60
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for seed := range uint64(rounds) {
			c := &chaos{
				Stage:  stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 30}, Limit: 6, SKULimit: 5}),
				random: kit.Rand(seed), orders: map[order.Number]*order.Order{},
			}
			for range steps {
				c.step(t)
				if c.random.IntN(10) == 0 {
					c.audit(t)
				}
			}
			c.Move(t)
			settle(t, c.Stage)
			requireMended(t, c.Stage)
			requireOffered(t, c.Stage)
			require.False(t, t.Failed(), "seed %d", seed)
			c.Flush(t)
			_, err := stores.DB.Write.ExecContext(t.Context(),
				`UPDATE activities SET retired_ms = 1 WHERE activity_id = ?`, c.Activity)
			require.NoError(t, err)
		}
	})
}

// The jobs of two instances repair a sale whose units get lost, while buyers order and cancel.
func TestAuditJobsUnderACrowdNeitherOversellNorTakeUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const rounds = 10
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 400}, Limit: 1000, Batch: 20})
		ctx := t.Context()
		var all sync.WaitGroup
		for buyer := range 3 {
			all.Go(func() {
				for i := range 2 * rounds {
					orders := make([]*order.Order, 5)
					for i := range orders {
						orders[i] = s.Order(fmt.Sprintf("buyer%d", buyer), "0", int64(1+i%2))
					}
					results, err := s.TryPlace(ctx, orders...)
					if err != nil {
						t.Error(err)
						return
					}
					if n := i % len(orders); results[n].Code == lua.Placed {
						assert.NoError(t, s.Canceller.Cancel(ctx, orders[n].User, orders[n].Number, ""))
					}
				}
			})
		}
		all.Go(func() {
			for range 3 * rounds {
				_, _, err := s.Mover.MoveLane(ctx, s.Lane)
				assert.NoError(t, err)
			}
		})
		for range 2 {
			auditor := s.Start(t, nil).Auditor
			all.Go(func() {
				for range rounds {
					_, _ = auditor.RunOnce(ctx) // it reports what it could not prove
				}
			})
		}
		all.Go(func() {
			for range rounds {
				for _, field := range []string{stage.SKU, lua.StockField(stage.SKU, "0")} {
					assert.NoError(t, stores.Redis.HIncrBy(ctx, stores.Keys.Stock(s.Lane, s.Activity), field, -3).Err())
				}
			}
		})
		all.Wait()
		s.Move(t)
		settle(t, s)
		requireMended(t, s)
		requireOffered(t, s)
		assert.NotContains(t, slices.Collect(maps.Values(s.Stored(t))), order.Failed, "a unit was offered twice")
	})
}
