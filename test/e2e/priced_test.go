package e2e

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// slow gives an instance a clock by which its copies hardly age. Sales follow the time of the stores.
func slow() site.Option {
	began := time.Now()
	return site.Now(func() time.Time { return began.Add(time.Since(began) / 1000) })
}

// upcoming opens a sale that starts in a few seconds, which an instance has read before the start.
func upcoming(t *testing.T, s, far *site.Site) (activity string) {
	t.Helper()
	activity = s.Open(t, site.Sale{StartsIn: 4 * time.Second})
	seen := must(t, http.StatusOK,
		far.Buyer(t, "reader").Call(t, http.MethodGet, "/api/v1/activities/"+activity, "", nil))
	require.Equal(t, "upcoming", seen["state"], "the sale as the instance has it")
	return activity
}

var cheaper = map[string]any{"skus": []any{map[string]any{"sku_id": "sku", "flash_price": 77}}}

// pathFromStart returns a path as soon as the sale has started.
func pathFromStart(t *testing.T, p *site.Person, at *site.Site, activity string) (path string) {
	t.Helper()
	require.Eventually(t, func() bool {
		at.TryJob(t, "preheat") // it reads the time of the stores
		path = answered(askPath(p, activity), "path")
		return path != ""
	}, eventually, soon)
	return path
}

// requirePrice requires what an accepted order costs.
func requirePrice(t *testing.T, p *site.Person, a site.Answer, price float64) {
	t.Helper()
	number := must(t, http.StatusAccepted, a)["order_number"].(string)
	order := must(t, http.StatusOK, p.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil))
	assert.InDelta(t, price, order["goods_amount"], 0)
}

func TestAPriceThatChangedJustBeforeTheStartIsChargedByEveryInstance(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, far := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle(), slow())
		activity := upcoming(t, s, far)
		must(t, http.StatusOK, change(t, s.Operator(t), activity, cheaper))
		alice, bob := far.Buyer(t, "alice"), far.Buyer(t, "bob")
		path := pathFromStart(t, alice, far, activity)

		// Bob confirms what the instance has read before the change, and must confirm again.
		bobs := bob.Path(t, activity, "sku")
		confirm := func() map[string]any {
			return must(t, http.StatusOK, bob.Call(t, http.MethodPost, "/api/v1/seckill/"+bobs+"/confirm", "", one))
		}
		old := confirm()
		require.InDelta(t, 100, old["goods_amount"], 0, "the instance has the old price")
		with := func(c map[string]any) map[string]any {
			return map[string]any{"quantity": 1, "confirmation": c["confirmation"]}
		}

		requirePrice(t, alice, alice.Submit(t, path, "k", one), 77)
		requireRefusal(t, bob.Submit(t, bobs, "k", with(old)), http.StatusUnprocessableEntity, "invalid_request")
		again := confirm()
		assert.InDelta(t, 77, again["goods_amount"], 0)
		requirePrice(t, bob, bob.Submit(t, bobs, "k", with(again)), 77)
		s.Drain(t)
		require.Empty(t, s.Audit(t, activity))
	})
}

// An instance that has read the sale a moment before a change takes the next order as the change says.
func TestEveryChangeOfASaleHoldsForTheNextOrderOfEveryInstance(t *testing.T) {
	t.Parallel()
	item := map[string]any{"item": map[string]any{"requests": 1, "seconds": 86400}}
	for name, c := range map[string]struct {
		change map[string]any
		code   string // of the next order; "" if it is placed
	}{
		"title":          {map[string]any{"title": "Another"}, ""},
		"purchase limit": {map[string]any{"purchase_limit": 2}, ""},
		"end":            {map[string]any{"ends_at": time.Now().UTC()}, "ended"},
		"permits":        {map[string]any{"permit_ratio": 100}, "path_expired"},
		"item limit":     {map[string]any{"limits": item}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				s := site.Start(t, stores, site.Idle(), limited("on", "none", ""))
				far := site.Start(t, stores, site.Idle(), limited("on", "none", ""), slow())
				activity := s.Open(t, site.Sale{PurchaseLimit: 1})
				alice := far.Buyer(t, "alice")
				path := alice.Path(t, activity, "sku")
				must(t, http.StatusAccepted, alice.Submit(t, path, "first", one))
				bob := far.Buyer(t, "bob")
				bobs := bob.Path(t, activity, "sku")
				if name == "end" {
					c.change["ends_at"] = time.Now().UTC()
				}
				must(t, http.StatusOK, change(t, s.Operator(t), activity, c.change))
				next := bob.Submit(t, bobs, "k", one)
				require.Equal(t, c.code, next.Code(), string(next.Body))
				switch name {
				case "purchase limit":
					must(t, http.StatusAccepted, alice.Submit(t, path, "second", one))
					requireRefusal(t, alice.Submit(t, path, "third", one), http.StatusConflict, "purchase_limit")
				case "item limit":
					cid := far.Buyer(t, "cid")
					requireRefusal(t, cid.Buy(t, activity, "sku", "k"), http.StatusTooManyRequests, "rate_limited")
				}
				s.Drain(t)
				require.Empty(t, s.Audit(t, activity))
			})
		})
	}
}

// The instance that changed the sale died before Redis had the change. The first order of another instance brings it.
func TestAnOrderGivesRedisTheChangeThatItMissed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		crashing := site.Start(t, stores, site.Idle(), site.Faults(func(step string) error {
			if step == "change_commit" {
				return errors.New("crash")
			}
			return nil
		}))
		activity := s.Open(t, site.Sale{StartsIn: 4 * time.Second})
		patch := func(body map[string]any) {
			a := crashing.Operator(t).Call(t, http.MethodPatch, admin+"/activities/"+activity, "", body)
			require.GreaterOrEqual(t, a.Status, 500)
		}
		patch(cheaper)
		alice := s.Buyer(t, "alice")
		path := pathFromStart(t, alice, s, activity)
		requirePrice(t, alice, alice.Submit(t, path, "k", one), 77)
		patch(map[string]any{"ends_at": time.Now().UTC()})
		require.Eventually(t, func() bool { // the instance reads the sale at most a second later
			return askPath(alice, activity).Code() == "ended"
		}, eventually, soon)
		requireRefusal(t, alice.Submit(t, path, "late", one), http.StatusConflict, "ended")
		s.Job(t, "settle_stock")
		s.Drain(t)
		require.Empty(t, s.Audit(t, activity))
	})
}

// The change is committed while another instance loads the sale, which has been read already.
func TestAPriceThatChangesWhileTheSaleIsLoadedIsCharged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, far := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle(), slow())
		activity := upcoming(t, s, far)
		changed := false
		loading := site.Start(t, stores, site.Idle(), site.Faults(func(step string) error {
			if step == "load_fill" && !changed {
				changed = true
				must(t, http.StatusOK, change(t, s.Operator(t), activity, cheaper))
			}
			return nil
		}))
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Meta(laneOf(t, stores, activity), activity)).Err())
		loading.Job(t, "preheat")
		require.True(t, changed)
		alice := far.Buyer(t, "alice")
		requirePrice(t, alice, alice.Submit(t, pathFromStart(t, alice, far, activity), "k", one), 77)
	})
}

// A change of the price is sent before the start, and waits for the row of the sale until after it.
func TestAChangeOfThePriceThatHasWaitedUntilTheStartIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var later atomic.Int64
		s := site.Start(t, stores, site.Idle(), site.Time(func() time.Time {
			return time.Now().Add(time.Duration(later.Load()))
		}))
		activity := s.Open(t, site.Sale{StartsIn: time.Minute})
		var answer site.Answer
		var changing sync.WaitGroup
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			const lock = `UPDATE activities SET applied = applied WHERE activity_id = ?`
			if _, err := tx.ExecContext(t.Context(), lock, activity); err != nil {
				return err
			}
			sent := time.Now()
			changing.Go(func() { answer = change(t, s.Operator(t), activity, cheaper) })
			require.Eventually(t, func() bool { return time.Since(sent) > waits }, eventually, soon)
			later.Store(int64(2 * time.Minute))
			return nil
		}))
		changing.Wait()
		requireRefusal(t, answer, http.StatusUnprocessableEntity, "invalid_request")
	})
}

// waits is long enough for a request to come to wait for a row, and shorter than it waits.
const waits = 400 * time.Millisecond
