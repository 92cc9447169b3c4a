package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// longID is an id of 32 characters, the longest there are.
func longID(kind string, i int) string { return fmt.Sprintf("%s%0*d", kind, 32-len(kind), i) }

// largeSale is a sale of skus at points with the longest texts that the file allows, as JSON.
func largeSale(skus, points int) []byte {
	var b bytes.Buffer
	now := time.Now().UTC()
	fmt.Fprintf(&b,
		`{"title":"%s","shop_id":"%s","starts_at":%q,"ends_at":%q,"pay_within_s":31536000,"purchase_limit":1000000,`+
			`"permit_ratio":-1,"skus":[`, strings.Repeat(`\ud83d\ude00`, 200), longID("shop", 0),
		now.Add(-time.Minute).Format(time.RFC3339Nano), now.Add(time.Hour).Format(time.RFC3339Nano))
	for s := range skus {
		if s > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"sku_id":%q,"flash_price":1000000000000,"purchase_limit":1000000,"stock":[`, longID("sku", s))
		for p := range points {
			if p > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"point_id":%q,"quantity":1000000000}`, longID("p", p))
		}
		b.WriteString(`]}`)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

func TestOperatorsBodyMayHaveTheDocumentedMaximum(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		body := largeSale(100, 1000)
		refused := s.Operator(t).Call(t, http.MethodPost, admin+"/activities", "", body)
		assert.Equal(t, http.StatusUnprocessableEntity, refused.Status, "%d bytes: %.200s", len(body), refused.Body)
		assert.Contains(t, string(refused.Body), "there is no such sku", "it was read")
		for name, who := range map[string]*site.Person{"a buyer": s.Buyer(t, "buyer"), "a stranger": s.Stranger()} {
			for _, path := range []string{admin + "/activities", "/api/v1/orders"} {
				a, err := who.Try(t.Context(), http.MethodPost, path, "key", body)
				if err == nil { // else the connection was closed while the body was sent
					assert.Equal(t, http.StatusRequestEntityTooLarge, a.Status, "%s at %s", name, path)
				}
			}
		}
	})
}

// TestLargeSaleIsLoadedAndSells is of 100 skus at 100 points; with ONRUSH_TEST_LARGE_SALE=1 it is of
// 1,000 points, the most there may be.
func TestLargeSaleIsLoadedAndSells(t *testing.T) {
	t.Parallel()
	skus, points := 100, 100
	if os.Getenv("ONRUSH_TEST_LARGE_SALE") == "1" {
		points = 1000
	}
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		if testing.Short() && stores.Name == kit.Embedded {
			t.Skip("a large sale")
		}
		s := site.Start(t, stores, site.Idle())
		for i := range skus {
			_, err := s.Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
				ID: longID("sku", i), Title: "Thing", Shop: longID("shop", 0), Kind: catalogue.Physical,
				Currency: "CNY",
			})
			require.NoError(t, err)
		}
		args := []any{}
		for i := range points {
			args = append(args, longID("p", i), fmt.Sprintf(`["region-%d"]`, i))
		}
		_, err := stores.DB.Write.ExecContext(t.Context(),
			`INSERT INTO stock_points (point_id, name, regions, freight_extra, pickup, updated_ms) VALUES `+
				sqldb.Repeat("(?,'Point',?,0,1,1)", points), args...)
		require.NoError(t, err)

		op, buyer := s.Operator(t), s.Buyer(t, "buyer")
		began := time.Now()
		activity := site.Read[client.AdminActivity](t, http.StatusCreated,
			op.Call(t, http.MethodPost, admin+"/activities", "", largeSale(skus, points))).ActivityID
		drafted := time.Now()
		must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/activities/"+activity, "", largeSale(skus, points)))
		changed := time.Now()
		op.PublishActivity(t, activity)
		t.Logf("%d skus at %d points: drafted in %s, replaced in %s, published in %s",
			skus, points, drafted.Sub(began), changed.Sub(drafted), time.Since(changed))

		var path string
		for range 20 { // a busy machine may not read 10,000 stocks in time; buyers ask again then
			a := buyer.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
				map[string]string{"activity_id": activity, "sku_id": longID("sku", skus-1)})
			if a.Status == http.StatusServiceUnavailable {
				continue
			}
			require.Equal(t, http.StatusOK, a.Status, string(a.Body))
			path = a.JSON(t)["path"].(string)
			break
		}
		require.NotEmpty(t, path)
		choice := client.SubmitRequest{Quantity: 2, Delivery: "pickup", PickupPointID: longID("p", points-1)}
		must(t, http.StatusAccepted, buyer.Submit(t, path, "key", choice))
		s.Drain(t)
		assert.Empty(t, s.Audit(t, activity))
	})
}
