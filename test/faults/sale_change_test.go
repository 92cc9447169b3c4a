package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
)

// saleChanges is how many changes of the sale an operator makes while buyers buy.
const saleChanges = 30

// changeUntilAnswered sends a change until an instance answers it with a status other than 503.
func (p *program) changeUntilAnswered(t *testing.T, activity string, body map[string]any) (a site.Answer) {
	t.Helper()
	op := p.inspector.Operator(t)
	until(t, func() bool {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		instance := p.running()
		if instance == nil {
			return true
		}
		var err error
		a, err = op.At(instance).Try(ctx, http.MethodPatch, "/admin/api/v1/activities/"+activity, "", body)
		return err == nil && a.Status != http.StatusServiceUnavailable
	})
	return a
}

// changedSale is what SQL has of a sale that changed.
type changedSale struct {
	Lane    int    `db:"lane"`
	Title   string `db:"title"`
	EndsMS  int64  `db:"ends_ms"`
	Version int64  `db:"version"`
	Applied int64  `db:"applied"`
}

// An operator changes the title and the end of a sale while 64 buyers at a time buy and the program is killed
// wherever it is: the last change is in SQL, in Redis, in the copy, and what buyers see.
func TestChangesOfARunningSaleSurviveKillsUnderLoad(t *testing.T) {
	t.Parallel()
	p, _ := newProgram(t)
	activity := p.inspector.Open(t, site.Sale{Stock: map[string]int64{"0": 1000}})
	p.start(t)
	r := newBuyerGroup(p, activity)
	ends := time.Now().Add(2 * time.Hour).UTC().Truncate(time.Second)
	var operator sync.WaitGroup
	operator.Go(func() {
		for i := range saleChanges {
			until(t, func() bool { return r.answered.Load() >= int64(i*1200/saleChanges/2) })
			a := p.changeUntilAnswered(t, activity, map[string]any{
				"title": fmt.Sprint("Sale ", i+1), "ends_at": ends.Add(time.Duration(i+1) * time.Minute),
			})
			assert.Equal(t, http.StatusOK, a.Status, string(a.Body))
		}
	})
	again := func() { p.kill(t); p.start(t) }
	r.run(t, 1200, again, again, again, again, again)
	operator.Wait()

	stores, want := p.stores, ends.Add(saleChanges*time.Minute)
	var sale changedSale
	waitFor(t, "the last change is applied", func() bool {
		err := stores.DB.Read.GetContext(t.Context(), &sale,
			`SELECT lane, title, ends_ms, version, applied FROM activities WHERE activity_id = ?`, activity)
		return err == nil && sale.Applied == sale.Version
	})
	assert.Equal(t, fmt.Sprint("Sale ", saleChanges), sale.Title)
	assert.Equal(t, want.UnixMilli(), sale.EndsMS)
	meta, err := stores.Redis.HGetAll(t.Context(), stores.Keys.Meta(sale.Lane, activity)).Result()
	require.NoError(t, err)
	assert.Equal(t, strconv.FormatInt(sale.Version, 10), meta["version"])
	assert.Equal(t, strconv.FormatInt(sale.EndsMS, 10), meta["ends_ms"])
	var kept struct {
		Activity struct{ Title string } `json:"activity"`
	}
	data, err := stores.Redis.Get(t.Context(), stores.Keys.Sale(activity)).Bytes()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &kept))
	assert.Equal(t, sale.Title, kept.Activity.Title, "the copy of the sale")
	buyer := p.inspector.Buyer(t, "reader")
	for _, instance := range []*site.Site{p.running(), p.inspector} {
		waitFor(t, "an instance knows the change", func() bool {
			a := buyer.At(instance).Ask(http.MethodGet, "/api/v1/activities/"+activity, "", nil)
			return a.Status == http.StatusOK && a.JSON(t)["title"] == sale.Title &&
				a.JSON(t)["ends_at"] == want.Format("2006-01-02T15:04:05.000Z")
		})
	}
	r.requireSettled(t)
}
