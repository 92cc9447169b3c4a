package upgrade

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill"
	"onrush/test/site"
	"onrush/web/client"
)

// wisher asks two instances in turn for what the older version lacked.
type wisher struct {
	t       *testing.T
	s       *site.Site // opens sales and signs tokens
	at      [2]*site.Site
	asked   int
	ordered map[string]string // order → user
}

// as returns a buyer at the next instance.
func (w *wisher) as(user string) *site.Person {
	w.asked++
	return w.s.Buyer(w.t, user).At(w.at[w.asked%2])
}

// asks calls as a user, requires a status, and reads the answer.
func asks[T any](w *wisher, user, method, path string, body any, status int) T {
	w.t.Helper()
	return site.Read[T](w.t, status, w.as(user).Insist(method, path, "", body))
}

// eventually waits until a list of a buyer has an entry with units that are offered.
func (w *wisher) eventually(user, list string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		var found struct{ Items []struct{ State string } }
		a := w.as(user).Insist(http.MethodGet, list, "", nil)
		return a.Status == http.StatusOK && json.Unmarshal(a.Body, &found) == nil && len(found.Items) == 1 &&
			found.Items[0].State == "offered"
	}, time.Minute, 50*time.Millisecond, "%s is offered units", user)
}

func (w *wisher) buys(user, activity string, path client.PathRequest, body client.SubmitRequest) string {
	w.t.Helper()
	path.ActivityID = activity
	given := asks[client.Path](w, user, http.MethodPost, "/api/v1/seckill/path", path, http.StatusOK)
	number := w.as(user).InsistOn(given.Path, "wish", body).Placed(w.t).OrderNumber
	w.ordered[number] = user
	return number
}

// all sets units of a sale of the older version aside and orders one, and buys from a waiting list, in a draw of which
// a reminder is told, and a basket.
func (w *wisher) all(running string) {
	w.t.Helper()
	t, op := w.t, w.s.Operator(w.t).At(w.at[0])
	one := client.SubmitRequest{Quantity: 1}

	holds := admin + "/activities/" + running + "/holds"
	held := site.Read[client.UnitHold](t, http.StatusCreated, op.Insist(http.MethodPost, holds, "hold",
		client.UnitHoldRequest{SKUID: "sku", PointID: "0", Quantity: 2}))
	ordered := site.Read[client.OrderedHold](t, http.StatusCreated, op.At(w.at[1]).Insist(http.MethodPost,
		holds+"/"+held.HoldID+"/order", "order", client.UnitHoldOrder{UserID: "hal", Quantity: 1}))
	w.ordered[ordered.OrderNumber] = "hal"

	list := w.s.Open(t, site.Sale{SKU: "vase", Stock: map[string]int64{"0": 1}, OfferWithinS: 60})
	vase := client.PathRequest{SKUID: "vase"}
	number := w.buys("bob", list, vase, one)
	asks[client.WaitlistEntry](w, "ann", http.MethodPost, "/api/v1/seckill/waitlist",
		client.WaitlistRequest{ActivityID: list, SKUID: "vase"}, http.StatusOK)
	asks[client.Order](w, "bob", http.MethodPost, "/api/v1/orders/"+number+"/cancel", nil, http.StatusOK)
	delete(w.ordered, number)
	w.eventually("ann", "/api/v1/seckill/waitlist?activity_id="+list)
	w.buys("ann", list, vase, one)

	draw := w.s.Open(t, site.Sale{
		SKU: "dress", Stock: map[string]int64{"0": 1}, Mode: seckill.Draw, OfferWithinS: 60, StartsIn: time.Hour,
		EndsIn: 2 * time.Hour,
	})
	asks[client.Reminder](w, "eve", http.MethodPost, "/api/v1/seckill/reminders",
		client.ReminderRequest{ActivityID: draw, Kind: "start"}, http.StatusOK)
	entries := "/api/v1/seckill/draws/" + draw + "/entries"
	asks[client.DrawEntry](w, "dan", http.MethodPost, entries, client.DrawRequest{SKUID: "dress"}, http.StatusOK)
	op.ChangeActivity(t, draw, client.ActivityChange{StartsAt: time.Now()})
	w.eventually("dan", entries)
	w.buys("dan", draw, client.PathRequest{SKUID: "dress"}, one)

	baskets := w.s.Open(t, site.Sale{SKU: "cup", Others: []string{"plate"}, BasketMax: 2})
	lines := client.Lines{{SKUID: "cup", Quantity: 1}, {SKUID: "plate", Quantity: 2}}
	number = w.buys("cid", baskets, client.PathRequest{Lines: lines}, client.SubmitRequest{Lines: lines})
	require.Eventually(t, func() bool {
		var o client.Order
		a := w.as("cid").Insist(http.MethodGet, "/api/v1/orders/"+number, "", nil)
		return a.Status == http.StatusOK && json.Unmarshal(a.Body, &o) == nil && len(o.Items) == 2
	}, time.Minute, 50*time.Millisecond, "both lines are stored")
	for _, id := range []string{running, list, draw, baskets} {
		assert.Empty(t, w.s.Audit(t, id), fmt.Sprint("the account of ", id))
	}
}

// What this version has more is there on the database of an older one, beside its running sale.
func TestNewFeaturesWorkOnAnOlderState(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, old *upgraded) {
		w := &wisher{t: t, s: site.Start(t, old.Stores, configured()), ordered: map[string]string{}}
		w.at = [2]*site.Site{w.s, site.Start(t, old.Stores, configured())}
		w.all(old.sale(t, "sku"))
		assert.Len(t, w.ordered, 4)
		old.requireMoved(t, w.ordered)
		old.requireNoDrift(t, w.s)
		require.Eventually(t, func() bool { return len(w.s.Operator(t).ListEvents(t, "types=reminder.due")) == 1 },
			time.Minute, 50*time.Millisecond, "a reminder is told")
	})
}
