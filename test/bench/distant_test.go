package bench

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/load"
	"onrush/test/site"
)

const (
	distantUsers   = 300
	distantRate    = 300.0 // paths per second
	distantSeconds = 3.0
	// distance is a round trip to Redis in another building.
	distance = 25 * time.Millisecond
	// largeSKUs and largePoints are the skus and points of a large sale, which has a count for each pair.
	largeSKUs, largePoints = 60, 1000
	// permitsOut are the permits of a sale that has no other left.
	permitsOut = 15_000
)

// crowd sends 300 paths per second of 300 users, and reports how they were answered under a name.
func (p *program) crowd(b *testing.B, name, activity string, sku func(i int) string) {
	b.Helper()
	requests := make([]load.Request, distantUsers)
	for i := range requests {
		requests[i] = load.Request{
			Method: http.MethodPost, Path: "/api/v1/seckill/path", Token: p.token(b, fmt.Sprint("user-", i)),
			Body: fmt.Sprintf(`{"activity_id":%q,"sku_id":%q}`, activity, sku(i)),
		}
	}
	r := generate(b, load.Plan{
		Addr: p.addr(), Connections: distantUsers, Rate: distantRate, Seconds: distantSeconds, Requests: requests,
	})[0]
	b.Logf("%s: %+v", name, r)
	var answers, away int64
	for code, n := range r.Answers {
		answers += n
		if code[:3] == "503" {
			away += n
		}
	}
	b.ReportMetric(100*float64(away)/float64(answers), name+"-503-%")
	b.ReportMetric(r.P50, name+"-p50-ms")
}

func thatSKU(int) string { return "sku" }

// BenchmarkPathsOfADistantRedis asks for paths while Redis is 25 ms away: of a sale with permits for all, and of one
// whose permits are issued.
func BenchmarkPathsOfADistantRedis(b *testing.B) {
	p := startProgramOn(b, kit.Own(b, kit.FsyncEverySecond(), kit.RedisAt(distance)))
	enough := p.inspector.Open(b, site.Sale{Stock: map[string]int64{"0": 100_000}, PermitRatio: 1})
	none := p.inspector.Open(b, site.Sale{Stock: map[string]int64{"0": 1}, PermitRatio: 1})
	p.inspector.Buyer(b, "first").Path(b, none, "sku")
	for b.Loop() {
		p.crowd(b, "taken", enough, thatSKU)
		p.crowd(b, "refused", none, thatSKU)
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkPathsOfALargeSale asks for paths of a sale of 60 skus at 1,000 stock points.
func BenchmarkPathsOfALargeSale(b *testing.B) {
	skipLarge(b)
	p := startProgram(b)
	activity := openLarge(b, p.inspector)
	for b.Loop() {
		p.crowd(b, "large", activity, largeSKU)
	}
	b.ReportMetric(0, "ns/op")
}

func largeSKU(i int) string { return fmt.Sprint("sku-", i%largeSKUs) }

// openLarge publishes a large sale and returns its id.
func openLarge(b *testing.B, s *site.Site) string {
	b.Helper()
	ctx := b.Context()
	stock := make([]seckill.PointStock, largePoints)
	for i := range stock {
		id := fmt.Sprint("point-", i)
		stock[i] = seckill.PointStock{Point: id, Total: 10}
		_, err := s.Server.Catalogue.PutPoint(ctx, catalogue.Point{ID: id, Name: id, Pickup: true})
		require.NoError(b, err)
	}
	skus := make([]seckill.ActivitySKU, largeSKUs)
	for i := range skus {
		id := largeSKU(i)
		skus[i] = seckill.ActivitySKU{SKU: id, FlashPrice: 1, PurchaseLimit: seckill.Unlimited, Stock: stock}
		_, err := s.Server.Catalogue.PutSKU(ctx, catalogue.SKU{
			ID: id, Title: id, Shop: "shop", Kind: catalogue.Physical, Price: 2, Currency: "CNY",
		})
		require.NoError(b, err)
	}
	now := time.Now()
	a, err := s.Server.Activities.Create(ctx, &seckill.Activity{
		Title: "Large", Shop: "shop",
		StartsMS: now.Add(-time.Minute).UnixMilli(), EndsMS: now.Add(time.Hour).UnixMilli(),
		PayWithinS: 900, PurchaseLimit: seckill.Unlimited, PermitRatio: seckill.Unlimited, SKUs: skus,
	})
	require.NoError(b, err)
	_, err = s.Server.Activities.Publish(ctx, a.ID, a.Version)
	require.NoError(b, err)
	return a.ID
}

// BenchmarkRefusalsWhilePermitsAreOut refuses users while 15,000 permits are out, in a sale that goes on and in one
// that ends before the permits would, and reports what of a core Redis uses.
func BenchmarkRefusalsWhilePermitsAreOut(b *testing.B) {
	skipLarge(b)
	p := startProgram(b)
	scripts := lua.New(p.stores.Redis, p.stores.Keys)
	refuse := func(name string, endsIn time.Duration) {
		activity := p.inspector.Open(b, site.Sale{
			Stock: map[string]int64{"0": permitsOut}, PermitRatio: 1, EndsIn: endsIn,
		})
		a, err := seckill.ViewActivity(b.Context(), p.stores.DB, activity)
		require.NoError(b, err)
		for from := 0; from < permitsOut; from += 250 {
			users := make([]string, 250)
			for i := range users {
				users[i] = fmt.Sprint("holder-", from+i)
			}
			_, _, err := scripts.TakePermits(b.Context(), &lua.PermitCall{
				Lane: a.Lane, Activity: activity, SKU: "sku", Ratio: 1, TTL: 2 * time.Minute, EndsMS: a.EndsMS,
				Users: users,
			})
			require.NoError(b, err)
		}
		before, began := p.uses(b).redis, time.Now()
		p.crowd(b, name, activity, thatSKU)
		b.ReportMetric((p.uses(b).redis-before)/float64(time.Since(began).Microseconds())*100, name+"-redis-%")
	}
	for b.Loop() {
		refuse("goes-on", time.Hour)
		refuse("ends", 110*time.Second)
	}
	b.ReportMetric(0, "ns/op")
}
