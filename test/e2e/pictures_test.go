package e2e

import (
	"encoding/json"
	"image"
	imagepng "image/png"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/s3"
	"onrush/test/site"
	"onrush/web/client"
)

// A page with a Content-Security-Policy shows no picture of another host, so the program takes none.
func TestPicturesOfHostsThatTheShopDoesNotShowAreRefused(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	op := s.Operator(t)
	refused := func(url, method string, body any, fields ...string) {
		t.Helper()
		answer := op.Call(t, method, admin+url, "", body)
		var got []string
		for _, e := range site.Read[client.Problem](t, 422, answer).Errors {
			got = append(got, e.Field)
			assert.Contains(t, e.Detail, "or a URL of https://img.example, https://shop.example, https://example.com: "+
				"the shop shows pictures of no other host (the setting image_hosts, or ONRUSH_IMAGE_HOSTS)")
		}
		assert.Equal(t, fields, got)
	}
	stockShop(t, op)
	const foreign = "https://foreign.example/1.png"
	sku := lamp()
	sku.ImageURL = foreign
	refused("/skus/lamp", "PUT", sku, "image_url")
	line := client.SKULine{
		SKUID: "lamp", Title: "Desk lamp", ShopID: "shop", ImageURL: "/assets/lamp.jpg", Kind: "physical",
		Currency: "CNY",
	}
	bad := line
	bad.SKUID, bad.ImageURL = "desk", foreign
	refused("/skus:batch", "PUT", client.SKUBatchRequest{Items: []client.SKULine{line, bad}}, "items[1].image_url")

	sale := lampSale("0")
	sale.ImageURL, sale.Images = "/assets/lamp.jpg", []string{"https://img.example/1.png"}
	id := op.CreateActivity(t, sale).ActivityID
	sale.ImageURL, sale.Images = foreign, []string{"/a.png", foreign}
	refused("/activities", "POST", sale, "image_url", "images[1]")
	refused("/activities/"+id, "PUT", sale, "image_url", "images[1]")
	op.PublishActivity(t, id)
	refused("/activities/"+id, "PATCH", client.ActivityChange{ImageURL: foreign, Images: sale.Images},
		"image_url", "images[1]")
	assert.Equal(t, "/b.png", op.ChangeActivity(t, id, client.ActivityChange{ImageURL: "/b.png"}).ImageURL)
}

func TestHostsOfPicturesChangeWhileInstancesRun(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		op := instances[0].Operator(t)
		sku := lamp()
		sku.ImageURL = "https://new.example/1.png"
		shows := func(at *site.Site) bool {
			page := at.Stranger().Call(t, http.MethodGet, "/", "", nil)
			return strings.Contains(page.Header.Get("Content-Security-Policy"), " https://new.example;")
		}
		for _, hosts := range [][]string{
			{"https://new.example"}, nil, {"https://other.example", "https://new.example"},
		} {
			var value any = hosts
			if hosts == nil {
				value = nil // the settings of the environment
			}
			changeSettings(t, op, map[string]any{"image_hosts": value})
			want := map[bool]int{true: http.StatusOK, false: http.StatusUnprocessableEntity}[hosts != nil]
			for i, at := range instances {
				assert.Eventually(t, func() bool {
					answer := op.At(at).Call(t, http.MethodPut, admin+"/skus/lamp", "", sku)
					return answer.Status == want && shows(at) == (hosts != nil)
				}, 10*time.Second, 20*time.Millisecond, "instance %d, %v", i, hosts)
			}
		}
	})
}

func TestAProgramWithoutPagesTakesPicturesOfEveryHost(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle(), site.Configured(func(cfg *server.Config) { cfg.Pages = false }))
	sku := lamp()
	sku.ImageURL = "https://foreign.example/1.png"
	s.Operator(t).PutSKU(t, "lamp", sku)
}

// An address that was stored before the setting of the bucket changed shows the same picture afterwards, and no log has
// the bucket's secret.
func TestPicturesInABucketAreAtTheSameAddress(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		store := s3.Start(t, time.Now)
		var log kit.Output
		with := func(setting string) *site.Site {
			return site.Start(t, stores, site.Idle(), site.Log(slog.New(slog.NewTextHandler(&log, nil))),
				site.Configured(func(cfg *server.Config) { cfg.PicturesBucket = setting }))
		}
		upload := func(at *site.Site, picture string) (p client.Picture) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.URL+admin+"/pictures",
				strings.NewReader(picture))
			require.NoError(t, err)
			req.Header.Set("Content-Type", "image/png")
			req.Header.Set("Authorization", "Bearer "+at.Operator(t).Token())
			a, err := client.Do(http.DefaultClient, req)
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, a.Status, "%s", a.Body)
			require.NoError(t, json.Unmarshal(a.Body, &p))
			return p
		}
		shows := func(at *site.Site, p client.Picture, picture string) {
			t.Helper()
			a := at.Stranger().Call(t, http.MethodGet, p.ImageURL, "", nil)
			assert.Equal(t, http.StatusOK, a.Status)
			assert.Equal(t, "image/png", a.Header.Get("Content-Type"))
			assert.Equal(t, picture, string(a.Body))
		}
		one, other := png(t, 1), png(t, 2)
		off := with("")
		inSQL := upload(off, one)
		on, back := with(store.Setting("/shop")), with("sql;"+store.Setting("/shop"))
		inBucket := upload(on, other)
		assert.Len(t, store.Keys(), 1)
		for _, at := range []*site.Site{on, back} {
			shows(at, inSQL, one)
			shows(at, inBucket, other)
		}
		shows(off, inSQL, one)
		assert.Equal(t, http.StatusServiceUnavailable,
			off.Stranger().Call(t, http.MethodGet, inBucket.ImageURL, "", nil).Status)

		store.Set(func(s *s3.State) { s.Status, s.Code = http.StatusForbidden, "AccessDenied" })
		fresh := with(store.Setting("/shop"))
		for range 3 {
			a := fresh.Stranger().Call(t, http.MethodGet, inBucket.ImageURL, "", nil)
			assert.Equal(t, "unavailable", a.Code())
		}
		shows(on, inBucket, other)
		assert.Equal(t, 1, strings.Count(log.String(), "AccessDenied"), log.String())
		assert.NotContains(t, log.String(), s3.Secret)

		store.Set(func(s *s3.State) { *s = s3.State{} })
		a := off.Operator(t).Call(t, http.MethodDelete, admin+"/pictures/"+inBucket.PictureID, "", nil)
		assert.Equal(t, http.StatusNoContent, a.Status)
		on.Job(t, "delete_finished")
		assert.NotEmpty(t, store.Keys(), "a backup of SQL may have the picture")
	})
}

// png returns a picture of a width.
func png(t *testing.T, width int) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, imagepng.Encode(&out, image.NewGray(image.Rect(0, 0, width, 1))))
	return out.String()
}
