package faults

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	api "onrush/web/client"
)

const settingsPath = "/admin/api/v1/settings"

// emergency is a sale on two instances, whose SQL server freezes or dies, and operators who stop it.
type emergency struct {
	own       *kit.Owned
	instances []*site.Site
	buyers    []*site.Person // of each instance
	path      string
	submits   int
}

// submit sends a new order to an instance.
func (e *emergency) submit(t *testing.T, instance int) string {
	t.Helper()
	e.submits++
	a, err := e.buyers[instance].Try(t.Context(), http.MethodPost, "/api/v1/seckill/"+e.path+"/submit",
		"k"+time.Duration(e.submits).String(), map[string]any{"quantity": 1})
	require.NoError(t, err)
	if a.Status == http.StatusAccepted {
		return ""
	}
	return a.Code()
}

// change lets an operator change whether sales are stopped, and requires that both instances follow within a second.
func (e *emergency) change(t *testing.T, op *site.Person, stopped any, code string) api.Settings {
	t.Helper()
	asked := time.Now()
	a, err := op.Try(t.Context(), http.MethodPatch, settingsPath, "", map[string]any{"sales_stopped": stopped})
	require.NoError(t, err)
	changed := site.Read[api.Settings](t, a.Status, a)
	require.Equal(t, changed.Pending, a.Status == http.StatusAccepted, string(a.Body))
	answered := time.Now()
	assert.Less(t, answered.Sub(asked), 4*time.Second, "a second for the key and one for SQL, and a slow machine")
	assert.Equal(t, code, e.submit(t, 0), "from the answer on")
	waitFor(t, "the other instance follows", func() bool { return e.submit(t, 1) == code })
	assert.Less(t, time.Since(answered), 2*time.Second, "a second, and the time of a slow machine")
	return changed
}

// during takes SQL away, stops all sales, and resumes them in the same or the next outage.
func (e *emergency) during(t *testing.T, who string, op *site.Person, away, back func()) {
	t.Helper()
	before := len(e.log(t))
	require.Empty(t, e.submit(t, 0))
	require.Empty(t, e.submit(t, 1), "it has read the sale")
	away()
	stopped := e.change(t, op, true, "sales_stopped")
	assert.True(t, stopped.InForce.SalesStopped)
	shown, err := op.Try(t.Context(), http.MethodGet, settingsPath, "", nil)
	require.NoError(t, err)
	assert.Equal(t, stopped, site.Read[api.Settings](t, http.StatusOK, shown))
	e.change(t, op, nil, "")
	e.change(t, op, true, "sales_stopped")
	back()
	var log []api.Change
	waitFor(t, "SQL has the changes", func() bool { log = e.log(t); return len(log) == before+3 })
	for _, c := range log[:3] { // the newest first
		assert.Equal(t, "settings.changed", c.Action)
		assert.Equal(t, who, c.Actor)
		assert.Equal(t, "127.0.0.1", c.ClientIP)
	}
	assert.Equal(t, "sales_stopped", e.submit(t, 0))
	third := site.Start(t, e.own.Stores)
	a := e.buyers[0].At(third).Call(t, http.MethodPost, "/api/v1/seckill/path", "",
		api.PathRequest{ActivityID: "any", SKUID: "sku"})
	assert.Equal(t, "sales_stopped", a.Code())
	third.Stop(t)
	e.change(t, op, nil, "")
	assert.Len(t, e.log(t), before+4)
}

// log returns the log's changes of the settings, newest first; none while SQL is away.
func (e *emergency) log(t *testing.T) []api.Change {
	t.Helper()
	a, err := e.instances[0].Operator(t).Try(t.Context(), http.MethodGet, "/admin/api/v1/changes?on=settings", "", nil)
	if err != nil || a.Status != http.StatusOK {
		return nil
	}
	return site.Read[api.ChangeList](t, http.StatusOK, a).Items
}

func TestOperatorsStopAllSalesWhileTheSQLServerIsFrozenOrKilled(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.FlushAtCommit())
	e := &emergency{own: own}
	for range 2 {
		e.instances = append(e.instances, site.Start(t, own.Stores))
	}
	activity := e.instances[0].Open(t, site.Sale{Stock: map[string]int64{"0": 10_000}})
	buyer := e.instances[0].Buyer(t, "ada")
	e.path = buyer.Path(t, activity, "sku")
	e.buyers = []*site.Person{buyer, buyer.At(e.instances[1])}
	op := e.instances[0].Operator(t)
	key := site.Read[api.Key](t, http.StatusCreated, op.Call(t, http.MethodPost, "/admin/api/v1/keys", "key",
		api.KeyRequest{Name: "on call", Scope: "admin", ExpiresAt: time.Now().Add(time.Hour)}))
	onCall := e.instances[0].Holder(key.Secret)
	site.Read[api.Settings](t, http.StatusOK, onCall.Call(t, http.MethodGet, settingsPath, "", nil))

	e.during(t, "key:on call", onCall, func() { own.SQLServer.Freeze(t) }, func() { own.SQLServer.Thaw(t) })
	e.during(t, "operator", op, func() { own.SQLServer.Kill(t) }, func() { own.SQLServer.Restart(t) })
	waitFor(t, "the orders are stored", func() bool { return len(e.instances[0].Audit(t, activity)) == 0 })
}
