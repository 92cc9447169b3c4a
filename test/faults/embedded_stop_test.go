package faults

import (
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/site"
)

// newEmbedded returns the program with only a data folder configured.
func newEmbedded(t *testing.T) (p *program, data string) {
	t.Helper()
	skipInShort(t)
	data = filepath.Join(t.TempDir(), "data")
	p = &program{env: []string{"ONRUSH_DATA_DIR=" + data}, inspector: site.Remote(t, "")}
	p.started = sync.NewCond(&p.mu)
	return p, data
}

// openSale makes and publishes a sale as an operator does.
func openSale(t *testing.T, operator *site.Person, units int) (activity string) {
	t.Helper()
	call := func(method, path string, body any, want int) map[string]any {
		a := operator.Call(t, method, "/admin/api/v1"+path, "", body)
		require.Equal(t, want, a.Status, string(a.Body))
		return a.JSON(t)
	}
	call(http.MethodPut, "/skus/sku", map[string]any{
		"title": "Thing", "shop_id": "shop", "kind": "virtual", "price": 200, "currency": "CNY", "stock": 0,
	}, http.StatusOK)
	now := time.Now().UTC()
	activity = call(http.MethodPost, "/activities", map[string]any{
		"title": "Sale", "shop_id": "shop", "starts_at": now.Add(-time.Minute), "ends_at": now.Add(time.Hour),
		"pay_within_s": 900,
		"skus": []any{map[string]any{
			"sku_id": "sku", "flash_price": 100, "stock": []any{map[string]any{"point_id": "0", "quantity": units}},
		}},
	}, http.StatusCreated)["activity_id"].(string)
	call(http.MethodPost, "/activities/"+activity+"/publish", nil, http.StatusOK)
	return activity
}

// inFile reads the orders in the data folder of a stopped program.
func inFile(t *testing.T, data, activity string) map[string]row {
	t.Helper()
	db, err := sqldb.OpenSQLite(t.Context(), filepath.Join(data, "onrush.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	return rows(t, &kit.Stores{DB: db}, activity)
}

// left returns the remaining stock that the program's storefront and its audit report.
func left(t *testing.T, p *program, activity string) float64 {
	t.Helper()
	operator := p.running().Operator(t)
	assert.Equal(t, true, get(t, operator, "/admin/api/v1/activities/"+activity+"/audit")["ok"])
	sku := get(t, p.running().Buyer(t, "anybody"), "/api/v1/activities/"+activity)["skus"].([]any)[0].(map[string]any)
	return sku["remaining"].(float64)
}

func TestEmbeddedRunKeepsItsOrdersThroughAGracefulStop(t *testing.T) {
	t.Parallel()
	const units, buyers = 500, 400
	p, data := newEmbedded(t)
	p.start(t)
	activity := openSale(t, p.running().Operator(t), units)
	r := newBuyerGroup(p, activity)
	again := func() {
		p.terminate(t)
		r.mu.Lock()
		accepted := maps.Clone(r.accepted)
		r.mu.Unlock()
		stored := inFile(t, data, activity)
		for number := range accepted {
			assert.Contains(t, stored, number, "an order that was accepted before the stop")
		}
		p.start(t)
	}
	r.run(t, buyers, again, again)
	assert.Len(t, r.accepted, buyers)
	again()
	assert.InDelta(t, units-buyers, left(t, p, activity), 0)
	for number, user := range r.accepted {
		a := p.running().Buyer(t, user).Call(t, http.MethodPost, r.submits[user], "key", map[string]any{"quantity": 1})
		require.Equal(t, number, placed(t, a), "the key of %s", user)
	}
	inParallel(units-buyers+10, 16, func(i int) { r.buy(t, fmt.Sprintf("late%d", i)) })
	assert.Len(t, r.accepted, units)
	p.terminate(t)
	stored := inFile(t, data, activity)
	assert.Len(t, stored, units)
	for number, user := range r.accepted {
		assert.Equal(t, user, stored[number].User, number)
	}
}
