package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/stage"
)

// inEveryStatus places orders of "p1" and brings each to another status. What is left to be moved
// stays in the queue.
type inEveryStatus struct {
	unpaid, paid, refunded, cancelled, returning, failed, queued, dead *order.Order
}

func fillSale(t *testing.T, s *stage.Stage) inEveryStatus {
	t.Helper()
	var in inEveryStatus
	for i, o := range []**order.Order{&in.unpaid, &in.paid, &in.refunded, &in.cancelled, &in.returning, &in.failed} {
		*o = s.PlaceAt(t, fmt.Sprintf("u_%d:x", i), "p1", 2)
	}
	// Redis offers two units more than SQL has: the order that gets them fails.
	ctx := t.Context()
	filler := s.PlaceAt(t, "filler", "p1", 6)
	_, err := s.Stores.DB.Write.ExecContext(ctx,
		`UPDATE activity_stock SET total = total - 2 WHERE activity_id = ? AND point_id = 'p1'`, s.Activity)
	require.NoError(t, err)
	extra := s.PlaceAt(t, "extra", "p1", 2)
	s.Move(t)
	require.Equal(t, order.Failed, s.Stored(t)[extra.Number])
	for _, o := range []*order.Order{filler, in.cancelled, in.failed} {
		require.NoError(t, s.Canceller.Cancel(ctx, o.User, o.Number, ""))
	}
	in.failed = extra
	crashed := s.Start(t, stage.CrashAt("cancel_commit"))
	require.ErrorIs(t, crashed.Canceller.Cancel(ctx, in.returning.User, in.returning.Number, ""), stage.ErrCrash)
	for o, status := range map[*order.Order]order.Status{in.paid: order.Paid, in.refunded: order.Refunded} {
		s.SetStatus(t, o.Number, status)
		require.NoError(t, s.Stores.Redis.HDel(ctx, s.Stores.Keys.Held(s.Lane, s.Activity), o.Number.String()).Err())
		require.NoError(t, s.Stores.Redis.HIncrBy(ctx, s.Stores.Keys.Paid(s.Lane, s.Activity), "sku~p1", 2).Err())
	}
	in.dead = s.PlaceAt(t, strings.Repeat("long", 75), "p1", 1)
	s.Move(t)
	in.queued = s.PlaceAt(t, "queued", "p2", 3)
	return in
}

func saleOfTwoPoints() stage.Sale {
	return stage.Sale{Stock: map[string]int64{"p1": 20, "p2": 5}, Limit: 20, SKULimit: 10}
}

func TestLoadRestoresStockAndCountsOfEveryStatus(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, saleOfTwoPoints())
		in := fillSale(t, s)
		raise := changeOf(s, "pending raise", 4)
		raise.Point = "p2"
		_, err := s.Start(t, stage.CrashAt("change_begin")).Changer.Change(t.Context(), raise)
		require.ErrorIs(t, err, stage.ErrCrash)
		s.Balanced(t)

		s.LoseActivity(t)
		s.Load(t)
		// p1: 18 in all, of which 3 orders of 2 are sold, one of 2 is on its way back, 1 is dead.
		// p2: 5 and the raise of 4, of which 3 are in the queue.
		assert.Equal(t, map[string]string{"sku": "15", "sku~p1": "9", "sku~p2": "6"}, s.Hash(t, stores.Keys.Stock))
		assert.Equal(t, map[string]string{"sku~p1": "4"}, s.Hash(t, stores.Keys.Paid))
		held := map[string]string{}
		bought := map[string]string{}
		for _, o := range []*order.Order{in.unpaid, in.returning, in.queued, in.dead} {
			held[o.Number.String()] = fmt.Sprintf("sku~%s~%d~%s", o.Point, o.Items[0].Quantity, o.User)
		}
		for _, o := range []*order.Order{in.unpaid, in.returning, in.queued, in.dead, in.paid, in.refunded} {
			bought["a:"+o.User], bought["s:sku~"+o.User] = fmt.Sprint(o.Items[0].Quantity),
				fmt.Sprint(o.Items[0].Quantity)
		}
		assert.Equal(t, held, s.Hash(t, stores.Keys.Held))
		assert.Equal(t, bought, s.Hash(t, stores.Keys.Bought))
		assert.Equal(t, map[string]string{raise.ID: "4"}, s.Hash(t, stores.Keys.Changes))
		for o, state := range map[*order.Order]string{
			in.unpaid: "S", in.paid: "S", in.refunded: "S", in.cancelled: "S", in.returning: "S",
			in.failed: "F:no_stock", in.queued: "P", in.dead: "P",
		} {
			assert.Equal(t, state, s.Task(t, o), "%v", o.User)
		}
		s.Balanced(t)

		settled, err := s.Outbox.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, settled)
		_, err = s.Changer.RunOnce(t.Context())
		require.NoError(t, err)
		s.Move(t)
		assert.Equal(t, "S", s.Task(t, in.queued))
		assert.Equal(t, map[string]string{"sku": "17", "sku~p1": "11", "sku~p2": "6"}, s.Hash(t, stores.Keys.Stock))
		s.Balanced(t)
	})
}

func TestLoadAfterRedisLostAllRestoresWhatSQLHas(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, saleOfTwoPoints())
		in := fillSale(t, s)
		s.Flush(t)
		s.Load(t)
		assert.Equal(t, map[string]string{"sku": "15", "sku~p1": "10", "sku~p2": "5"}, s.Hash(t, stores.Keys.Stock))
		assert.Len(t, s.Hash(t, stores.Keys.Held), 2)
		assert.NotContains(t, s.Hash(t, stores.Keys.Tasks), order.TaskHash(in.queued.Task))
		s.Balanced(t)
	})
}

func TestThousandsOfOrdersAreLoadedAndAudited(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		if testing.Short() && stores.Name == kit.Embedded {
			t.Skip("4,100 orders")
		}
		const n = 4100 // three pages
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": n + 5}, Limit: 1})
		s.PlaceMany(t, n)
		s.Move(t)
		s.Flush(t)
		s.Load(t)
		assert.Equal(t, "5", s.Left(t, ""))
		assert.Len(t, s.Hash(t, stores.Keys.Held), n)
		assert.Len(t, s.Hash(t, stores.Keys.Tasks), n)
		assert.Len(t, s.Hash(t, stores.Keys.Bought), n)
		s.Balanced(t)

		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Held(s.Lane, s.Activity)).Err())
		audit, err := s.Auditor.Repair(t.Context(), s.Activity)
		require.NoError(t, err)
		assert.True(t, audit.OK)
		assert.Len(t, s.Hash(t, stores.Keys.Held), n)
	})
}

func metaOf(t *testing.T, s *stage.Stage) (state, epoch string) {
	t.Helper()
	meta := s.Hash(t, s.Stores.Keys.Meta)
	return meta["state"], meta["epoch"]
}

func TestOneOfManyConcurrentLoadsSucceeds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.PlaceMany(t, 4)
		s.Move(t)
		for range 5 {
			s.Flush(t)
			var instances [4]*stage.Instance
			for i := range instances {
				instances[i] = s.Start(t, nil)
			}
			won := 0
			for _, err := range kit.AtOnce(len(instances), func(i int) error {
				return instances[i].Loader.Load(context.WithoutCancel(t.Context()), s.Activity)
			}) {
				if err == nil {
					won++
					continue
				}
				overtaken := errors.Is(err, lua.ErrSuperseded) // by one that began after its commit
				assert.True(t, overtaken || errors.Is(err, seckill.ErrLoaded), "%v", err)
			}
			assert.Equal(t, 1, won)
			state, _ := metaOf(t, s)
			assert.Equal(t, "open", state)
			assert.Equal(t, "6", s.Left(t, ""))
			s.Balanced(t)
		}
	})
}

func TestInterruptedLoadIsDoneAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.PlaceMany(t, 4)
		s.Move(t)
		for _, step := range []string{"load_begin", "load_commit"} {
			s.Flush(t)
			err := s.Start(t, stage.CrashAt(step)).Loader.Load(t.Context(), s.Activity)
			require.ErrorIs(t, err, stage.ErrCrash)
			state, before := metaOf(t, s)
			assert.Equal(t, "loading", state)
			results, err := s.TryPlace(t.Context(), s.Order("u", "0", 1))
			require.NoError(t, err)
			assert.Equal(t, lua.NotLoaded, results[0].Code)
			_, err = s.Auditor.Audit(t.Context(), s.Activity)
			require.Error(t, err)

			s.Load(t)
			state, after := metaOf(t, s)
			assert.Equal(t, "open", state)
			assert.Equal(t, step == "load_commit", before != after,
				"the epoch of a load that SQL never had is used again")
			assert.Equal(t, "6", s.Left(t, ""))
			s.Balanced(t)
			require.ErrorIs(t, s.Loader.Load(t.Context(), s.Activity), seckill.ErrLoaded)
			_, epoch := metaOf(t, s)
			assert.Equal(t, after, epoch)
			s.Balanced(t)
		}
	})
}

func TestLoadOvertakenByAnotherOpensNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.Flush(t)
		var sold *order.Order
		slow := s.Start(t, stage.At("load_commit", func() error {
			s.Load(t)
			sold = s.Place(t, "u", 3)
			return nil
		})).Loader
		require.ErrorIs(t, slow.Load(t.Context(), s.Activity), lua.ErrSuperseded)
		assert.Equal(t, "7", s.Left(t, ""))
		s.Move(t)
		assert.Equal(t, order.Unpaid, s.Stored(t)[sold.Number])
		s.Balanced(t)
	})
}

func TestActivityTakenOfflineIsLoadedClosed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		o := s.Place(t, "u", 3)
		s.Move(t)
		_, err := s.Activities.Offline(t.Context(), s.Activity)
		require.NoError(t, err)
		s.Flush(t)
		s.Load(t)
		state, _ := metaOf(t, s)
		assert.Equal(t, "closed", state)
		require.NoError(t, s.Canceller.Cancel(t.Context(), "u", o.Number, ""))
		assert.Equal(t, "10", s.Left(t, ""))
		s.Balanced(t)
	})
}

func TestDraftIsNotLoaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		require.ErrorContains(t, s.Loader.Load(t.Context(), "nope"), "not published")
		assert.Empty(t, stores.KeysLike(t, stores.Keys.Prefix+":*nope*"))
	})
}

// An entry that becomes dead, or is replayed, while the load reads both lists is counted once.
func TestLoadCountsAnEntryOnceWhileItBecomesDeadAndIsReplayed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Limit: 9})
		o := s.Place(t, strings.Repeat("long", 75), 2)
		toDead := func() int {
			acked, err := s.Scripts.AckMoved(t.Context(), s.Lane, 0, []lua.Ack{{
				Entry: s.QueueLine(t)[0], Number: o.Number.String(), Activity: s.Activity, User: o.User,
				Verdict: lua.VerdictDead, DeadID: o.Number.String(),
				Dead: fmt.Sprintf(`{"entry":%q}`, s.QueueLine(t)[0]),
			}}, lua.Note{})
			require.NoError(t, err)
			return acked.Removed
		}
		between := []func(){
			func() { assert.Zero(t, toDead(), "no entry leaves the queue while its sale is loaded") },
			func() {
				_, err := s.Queue.Discard(t.Context(), fmt.Sprintf("%d-%s", s.Lane, o.Number), "operator:x")
				require.Error(t, err, "nor is one discarded")
				_, err = s.Queue.Replay(t.Context(), fmt.Sprintf("%d-%s", s.Lane, o.Number))
				require.NoError(t, err)
			},
		}
		for i, between := range between {
			if i == 1 {
				require.Equal(t, 1, toDead())
			}
			reads := 0
			rdb := stage.Watch(t, stores, func(cmd redis.Cmder) {
				if cmd.Name() == "lrange" || cmd.Name() == "hscan" {
					if reads++; reads == 1 {
						between()
					}
				}
			})
			s.LoseActivity(t)
			require.NoError(t, s.StartOn(t, nil, stores.DB, rdb).Loader.Load(t.Context(), s.Activity), i)
			assert.Positive(t, reads)
			assert.Equal(t, "8", s.Left(t, ""), i)
			assert.Equal(t, "2", s.Hash(t, stores.Keys.Bought)["a:"+o.User], i)
			s.Balanced(t)
		}
	})
}

// A newer build has published the sale: this build would sell what only that one keeps apart.
func TestASaleThatNeedsWhatThisBuildLacksIsNotLoaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.LoseActivity(t)
		need := func(abilities string) {
			_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE activities SET needs = ? WHERE activity_id = ?`,
				abilities, s.Activity)
			require.NoError(t, err)
		}
		need("teleport waves")
		require.ErrorContains(t, s.Loader.Load(t.Context(), s.Activity), "teleport")
		assert.Empty(t, s.Hash(t, stores.Keys.Meta))
		assert.Empty(t, s.Hash(t, stores.Keys.Stock))
		need("waves")
		require.NoError(t, s.Loader.Load(t.Context(), s.Activity))
	})
}
