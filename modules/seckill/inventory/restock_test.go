package inventory_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

// refund refunds a paid order completely.
func refund(t *testing.T, s *stage.Stage, o *order.Order) {
	t.Helper()
	payer := order.NewPayer(func() string { return "code" }, nil, nil)
	require.NoError(t, s.Stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		_, err := payer.Refund(t.Context(), tx, o.Number, order.Part{}, time.Now().UnixMilli(),
			order.LogLine{Actor: "test"})
		return err
	}))
}

// restock restocks an order in SQL only.
func restock(ctx context.Context, s *stage.Stage, n order.Number) (won bool, err error) {
	err = s.Stores.DB.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		_, won, err = order.Restock(ctx, tx, n, time.Now().UnixMilli(), order.LogLine{Actor: "test"})
		return err
	})
	return won, err
}

// requireRestocked requires that ann's three units came back once, and bob's one is still sold.
func requireRestocked(t *testing.T, s *stage.Stage, restocked *order.Order) {
	t.Helper()
	assert.Equal(t, "9", s.Left(t, ""))
	assert.Equal(t, "9", s.Left(t, "0"))
	paid := s.Hash(t, s.Stores.Keys.Paid)
	assert.Contains(t, []string{"", "0"}, paid["sku~0"], "units paid")
	assert.Equal(t, map[string]string{"a:bob": "1"}, s.Hash(t, s.Stores.Keys.Bought))
	assert.Zero(t, count(t, s, `SELECT COUNT(*) FROM stock_outbox`), "nothing is owed")
	assert.EqualValues(t, 1, s.Sold(t))
	s.Balanced(t)
	assert.Equal(t, order.Refunded, s.Stored(t)[restocked.Number])
}

func openRestock(t *testing.T, stores *kit.Stores) (s *stage.Stage, o *order.Order) {
	t.Helper()
	s = stage.Open(t, stores, stage.Sale{Limit: 3})
	o = s.Place(t, "ann", 3)
	s.Place(t, "bob", 1)
	s.Move(t)
	pay(t, s, o)
	return s, o
}

func TestARestockIsCountedOnceWhateverHappensBetween(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		crash := func(t *testing.T, s *stage.Stage) {
			_, err := s.Start(t, stage.CrashAt("restock")).Outbox.RunOnce(t.Context())
			require.ErrorIs(t, err, stage.ErrCrash)
		}
		for name, between := range map[string]func(t *testing.T, s *stage.Stage){
			"nothing":                     func(*testing.T, *stage.Stage) {},
			"a load before Redis has it":  func(t *testing.T, s *stage.Stage) { s.Flush(t); s.Load(t) },
			"only the sale is lost":       func(t *testing.T, s *stage.Stage) { s.LoseActivity(t); s.Load(t) },
			"a crash after Redis has it":  crash,
			"two crashes":                 func(t *testing.T, s *stage.Stage) { crash(t, s); crash(t, s) },
			"a load after Redis has it":   func(t *testing.T, s *stage.Stage) { crash(t, s); s.Flush(t); s.Load(t) },
			"an audit that repairs early": func(t *testing.T, s *stage.Stage) { repaired(t, s) },
			"an audit that repairs late":  func(t *testing.T, s *stage.Stage) { crash(t, s); repaired(t, s) },
			"a load between Redis and SQL": func(t *testing.T, s *stage.Stage) {
				again := stage.At("restock", func() error { s.Flush(t); s.Load(t); return nil })
				_, err := s.Start(t, again).Outbox.RunOnce(t.Context())
				require.NoError(t, err)
			},
			"a load by a build that knows no restocks": func(t *testing.T, s *stage.Stage) {
				s.Flush(t)
				s.Load(t)
				require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Changes(s.Lane, s.Activity)).Err())
			},
			"Redis knew nothing": func(t *testing.T, s *stage.Stage) {
				s.Flush(t)
				settle(t, s)
				assert.EqualValues(t, 1, count(t, s, `SELECT COUNT(*) FROM stock_outbox WHERE kind = 'restock'`))
				s.Load(t)
			},
		} {
			for confirmed, settled := range map[string]bool{"confirmed": true, "not yet confirmed": false} {
				t.Run(name+", "+confirmed, func(t *testing.T) {
					s, o := openRestock(t, stores)
					if settled {
						settle(t, s)
					}
					refund(t, s, o)
					won, err := restock(t.Context(), s, o.Number)
					require.NoError(t, err)
					assert.True(t, won)
					between(t, s)
					settle(t, s)
					requireRestocked(t, s, o)
					won, err = restock(t.Context(), s, o.Number)
					require.NoError(t, err)
					assert.False(t, won, "once")
					settle(t, s)
					requireRestocked(t, s, o)
					s.Place(t, "ann", 3) // the limit is hers again
				})
			}
		}
	})
}

// repaired requires that audits find nothing wrong, so that they repair nothing.
func repaired(t *testing.T, s *stage.Stage) {
	t.Helper()
	for _, look := range []func(context.Context, string) (*inventory.Audit, error){s.Auditor.Audit, s.Auditor.Repair} {
		audit, err := look(t.Context(), s.Activity)
		require.NoError(t, err)
		assert.True(t, audit.OK, "%+v", audit)
		assert.Zero(t, audit.PaidWrong)
	}
}

// An order is restocked while its sale is loaded: after the load has begun, and before it reads the orders.
func TestARestockDuringALoadIsCountedOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"load_commit", "load_fill"} {
			t.Run(step, func(t *testing.T) {
				s, o := openRestock(t, stores)
				settle(t, s)
				refund(t, s, o)
				s.LoseActivity(t)
				loader := s.Start(t, stage.At(step, func() error {
					_, err := restock(t.Context(), s, o.Number)
					return err
				})).Loader
				require.NoError(t, loader.Load(t.Context(), s.Activity))
				settle(t, s)
				requireRestocked(t, s, o)
			})
		}
	})
}

// 48 operators restock one order at once, beside runs of the job on two instances.
func TestManyRestockAnOrderOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, o := openRestock(t, stores)
		settle(t, s)
		refund(t, s, o)
		other := s.Start(t, nil)
		won := kit.AtOnce(48, func(i int) bool {
			won, err := restock(t.Context(), s, o.Number)
			_, failed := []*order.StockOutbox{s.Outbox, other.Outbox}[i%2].RunOnce(t.Context())
			assert.NoError(t, errors.Join(err, failed))
			return won
		})
		n := 0
		for _, one := range won {
			if one {
				n++
			}
		}
		assert.Equal(t, 1, n)
		settle(t, s)
		requireRestocked(t, s, o)
	})
}

func TestOnlyRefundedOrdersOfSalesThatHaveStockAreRestocked(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, o := openRestock(t, stores)
		settle(t, s)
		for _, n := range []order.Number{o.Number, 4711} {
			_, err := restock(t.Context(), s, n)
			want := problem.CodeConflict
			if n == 4711 {
				want = problem.CodeNotFound
			}
			assert.Equal(t, want, problem.CodeOf(err))
		}
		refund(t, s, o)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE activities SET retired_ms = 1 WHERE activity_id = ?`,
			s.Activity)
		require.NoError(t, err)
		_, err = restock(t.Context(), s, o.Number)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		assert.EqualValues(t, 4, s.Sold(t), "nothing is given back")
	})
}
