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
	"onrush/web/client"
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
	seen := far.Buyer(t, "reader").GetActivity(t, activity)
	require.Equal(t, "upcoming", seen.State, "the sale as the instance has it")
	return activity
}

var cheaper = client.ActivityChange{Skus: []client.ActivityChangeSKU{{SKUID: "sku", FlashPrice: 77}}}

// pathFromStart returns a path as soon as the sale has started.
func pathFromStart(t *testing.T, p *site.Person, at *site.Site, activity string) (path string) {
	t.Helper()
	require.Eventually(t, func() bool {
		at.TryJob(t, "preheat") // it reads the time of the stores
		path = pathOf(askPath(p, activity))
		return path != ""
	}, eventually, soon)
	return path
}

// requirePrice requires what an accepted order costs.
func requirePrice(t *testing.T, p *site.Person, a site.Answer, price int64) {
	t.Helper()
	assert.Equal(t, price, p.GetOrder(t, a.Placed(t).OrderNumber).GoodsAmount)
}

func TestAPriceThatChangedJustBeforeTheStartIsChargedByEveryInstance(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, far := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle(), slow())
		activity := upcoming(t, s, far)
		s.Operator(t).ChangeActivity(t, activity, cheaper)
		alice, bob := far.Buyer(t, "alice"), far.Buyer(t, "bob")
		path := pathFromStart(t, alice, far, activity)

		// Bob confirms what the instance has read before the change, and must confirm again.
		bobs := bob.Path(t, activity, "sku")
		old := bob.Confirm(t, bobs, client.ConfirmRequest{})
		require.EqualValues(t, 100, old.GoodsAmount, "the instance has the old price")
		as := func(c client.Confirmation) client.SubmitRequest {
			return client.SubmitRequest{Confirmation: c.Confirmation}
		}

		requirePrice(t, alice, alice.Submit(t, path, "k", one), 77)
		requireRefusal(t, bob.Submit(t, bobs, "k", as(old)), http.StatusUnprocessableEntity, "invalid_request")
		again := bob.Confirm(t, bobs, client.ConfirmRequest{})
		assert.EqualValues(t, 77, again.GoodsAmount)
		requirePrice(t, bob, bob.Submit(t, bobs, "k", as(again)), 77)
		s.Drain(t)
		require.Empty(t, s.Audit(t, activity))
	})
}

// An instance that has read the sale a moment before a change takes the next order as the change says.
func TestEveryChangeOfASaleHoldsForTheNextOrderOfEveryInstance(t *testing.T) {
	t.Parallel()
	item := client.ActivityLimits{Item: client.RateLimit{Requests: 1, Seconds: 86400}}
	for name, c := range map[string]struct {
		change client.ActivityChange
		code   string // of the next order; "" if it is placed
	}{
		"title":          {client.ActivityChange{Title: "Another"}, ""},
		"purchase limit": {client.ActivityChange{PurchaseLimit: 2}, ""},
		"end":            {client.ActivityChange{}, "ended"},
		"permits":        {client.ActivityChange{PermitRatio: 100}, "path_expired"},
		"item limit":     {client.ActivityChange{Limits: item}, ""},
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
				change := c.change
				if name == "end" {
					change.EndsAt = time.Now()
				}
				s.Operator(t).ChangeActivity(t, activity, change)
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
		patch := func(body client.ActivityChange) {
			a := crashing.Operator(t).Call(t, http.MethodPatch, admin+"/activities/"+activity, "", body)
			require.GreaterOrEqual(t, a.Status, 500)
		}
		patch(cheaper)
		alice := s.Buyer(t, "alice")
		path := pathFromStart(t, alice, s, activity)
		requirePrice(t, alice, alice.Submit(t, path, "k", one), 77)
		patch(client.ActivityChange{EndsAt: time.Now()})
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
				s.Operator(t).ChangeActivity(t, activity, cheaper)
			}
			return nil
		}))
		meta := stores.Keys.Meta(site.Lane(t, stores, activity), activity)
		require.NoError(t, stores.Redis.Del(t.Context(), meta).Err())
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
			op := s.Operator(t)
			changing.Go(func() {
				answer = op.Ask(http.MethodPatch, admin+"/activities/"+activity, "", cheaper)
			})
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
