package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/segments"
	"onrush/test/goods"
	"onrush/test/kit"
	"onrush/web"
)

// totals is the stock of published sales, which can't be changed the first time.
type totals struct {
	set []int64
	do  func(total int64) // what else is done; nil: nothing
}

func (s *totals) SetTotal(_ context.Context, _, _, _ string, total, version int64) (next int64, err error) {
	if s.do != nil {
		s.do(total)
		defer func() { next = version }() // nothing is noted in the activity
	}
	if s.set = append(s.set, total); len(s.set) == 1 {
		return version, problem.Unavailable(errors.New("away"), "The stock can't be changed right now.")
	}
	return version + 1, nil
}

type loaded struct{}

func (loaded) Load(context.Context, string) error { return nil }

// fileDesk takes files of sales over HTTP.
type fileDesk struct {
	*desk

	app *fiber.App
}

func newFileDesk(t *testing.T, stores *kit.Stores, change func(*admin.Deps)) *fileDesk {
	t.Helper()
	d := &fileDesk{}
	d.desk = newDesk(t, stores, stores.Redis, func(d *admin.Deps) {
		d.Loader = loaded{}
		change(d)
	})
	app, err := web.NewApp(t.Context(), web.Config{RequestDeadline: time.Minute}, slog.New(slog.DiscardHandler),
		kit.IDs(2))
	require.NoError(t, err)
	d.app = app
	app.Put("/:activity_id/file", admin.NewHTTPOperator(d.activities, nil, nil, nil, web.Pictures{}).PutFile)
	return d
}

// put sends the file of the sale "noon", and returns the fields that it changes.
func (d *fileDesk) put(t *testing.T, status int, file string) (fields []string) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/noon/file", strings.NewReader(file))
	req.Header.Set("Content-Type", "application/json")
	res, err := d.app.Test(req, -1)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	require.Equal(t, status, res.StatusCode)
	var plan admin.SalePlan
	require.NoError(t, json.NewDecoder(res.Body).Decode(&plan))
	for _, f := range plan.Differences {
		fields = append(fields, f.Field)
	}
	return fields
}

const noonFile = `{"state": "published", "title": "Noon", "shop_id": "shop-a", "starts_at": "2040-01-01T00:00:00Z",
	"ends_at": "2040-01-02T00:00:00Z", "pay_within_s": 900,
	"skus": [{"sku_id": "lamp", "flash_price": 100, "stock": [{"point_id": "0", "quantity": 5}]}]}`

// The catalogue that a draft is checked against has a vase; where the sale is published, it doesn't exist any more.
func TestANewSaleThatCannotBePublishedLeavesNoDraft(t *testing.T) {
	t.Parallel()
	d := newFileDesk(t, kit.OnEmbedded(t), func(d *admin.Deps) {
		before := catalogue.NewCatalogue(kit.OnEmbedded(t).DB, time.Now)
		goods.PutSKUs(t, before, goods.Lamp("vase"))
		d.Catalogue = before
	})
	vases := strings.ReplaceAll(noonFile, "lamp", "vase")
	d.put(t, http.StatusConflict, vases)
	_, err := d.activities.Get(t.Context(), "noon")
	assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
	d.put(t, http.StatusOK, strings.ReplaceAll(vases, "published", "draft"))
	d.put(t, http.StatusConflict, vases)
	a, err := d.activities.Get(t.Context(), "noon")
	require.NoError(t, err, "it was there before")
	assert.Equal(t, seckill.Draft, a.State)
}

func TestAFileThatWasAppliedInPartHasTheRemainingSteps(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		stock := &totals{}
		d := newFileDesk(t, stores, func(d *admin.Deps) { d.Totals = stock })
		d.put(t, http.StatusOK, noonFile)
		more := strings.NewReplacer("Noon", "Later", `"quantity": 5`, `"quantity": 7`).Replace(noonFile)
		d.put(t, http.StatusServiceUnavailable, more)
		a, err := d.activities.Get(t.Context(), "noon")
		require.NoError(t, err)
		assert.Equal(t, "Later", a.Title)
		assert.Equal(t, []string{"skus[lamp].stock[0].quantity"}, d.put(t, http.StatusOK, more))
		assert.Equal(t, []int64{7, 7}, stock.set)
	})
}

// A file repeats what can't be changed any more.
func TestTheFileOfAPublishedDrawChangesTheOtherFields(t *testing.T) {
	t.Parallel()
	d := newFileDesk(t, kit.OnEmbedded(t), func(d *admin.Deps) { d.Secret = func() string { return "secret" } })
	drawn := strings.Replace(noonFile, "{", `{"mode": "draw", "offer_within_s": 600, `, 1)
	d.put(t, http.StatusOK, drawn)
	assert.Equal(t, []string{"title"}, d.put(t, http.StatusOK, strings.Replace(drawn, "Noon", "Later", 1)))
}

// A file raises a stock and keeps some of the new units for a wave or for some buyers, before anybody else can buy
// them; another file takes them back.
func TestAFileKeepsUnitsByWhichItRaisesAStock(t *testing.T) {
	t.Parallel()
	for name, more := range map[string][]string{
		"a wave": {`5}]`, `20}], "waves": [{"at": "2040-01-01T01:00:00Z", "quantity": 15}]`},
		"reserved": {
			`5}]`, `20}], "reserved": [{"quantity": 15}]`,
			`{"state"`, `{"reserved_for": {"list": true, "until": "2040-01-01T02:00:00Z"}, "state"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores, stock := kit.OnEmbedded(t), &totals{set: []int64{0}}
			d := newFileDesk(t, stores, func(d *admin.Deps) { d.Totals = stock })
			d.put(t, http.StatusOK, noonFile)
			var planned []int64 // units, when the stock was changed
			stock.do = func(total int64) {
				a, err := d.activities.Get(t.Context(), "noon")
				require.NoError(t, err)
				units := int64(0)
				for _, w := range slices.Concat(a.SKUs[0].Waves, a.SKUs[0].Reserved) {
					units += w.Quantity
				}
				planned = append(planned, units)
				_, err = stores.DB.Write.ExecContext(t.Context(), `UPDATE activity_stock SET total = ?`, total)
				require.NoError(t, err)
			}
			raised := strings.NewReplacer(more...).Replace(noonFile)
			d.put(t, http.StatusOK, raised)
			assert.Empty(t, d.put(t, http.StatusOK, raised))
			lowered := strings.NewReplacer(`"quantity": 20`, `"quantity": 12`, `"quantity": 15`, `"quantity": 10`)
			d.put(t, http.StatusOK, lowered.Replace(raised))
			assert.Equal(t, []int64{0, 20, 12}, stock.set)
			assert.Equal(t, []int64{15, 10}, planned)
		})
	}
}

// The names are compared as a set, and a list that is empty lets everybody buy again. What a file doesn't name stays.
func TestAFileNamesTheSegmentsOfItsSaleInAnyOrder(t *testing.T) {
	t.Parallel()
	d := newFileDesk(t, kit.OnEmbedded(t), func(*admin.Deps) {})
	with := func(names string) string { return strings.Replace(noonFile, "{", `{"segments": [`+names+`], `, 1) }
	d.put(t, http.StatusOK, with(`"vip", "gold", "vip"`))
	for _, row := range []struct {
		file   string
		fields []string
		want   segments.Set
	}{
		{with(`"gold", "vip"`), nil, "gold vip"},
		{with(`"vip", "gold", "gold"`), nil, "gold vip"},
		{noonFile, nil, "gold vip"},
		{with(`"vip"`), []string{"segments"}, "vip"},
		{with(``), []string{"segments"}, ""},
		{with(``), nil, ""},
	} {
		assert.Equal(t, row.fields, d.put(t, http.StatusOK, row.file), row.file)
		a, err := d.activities.Get(t.Context(), "noon")
		require.NoError(t, err)
		assert.Equal(t, row.want, a.Segments, row.file)
		assert.Equal(t, seckill.Published, a.State)
	}
	d.put(t, http.StatusUnprocessableEntity, with(`"Gold"`))
	d.put(t, http.StatusUnprocessableEntity, with(`"a"`+strings.Repeat(`,"a"`, segments.MaxOfSale)))
}
