package site

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/segments"
	"onrush/test/kit"
)

// Sale is a flash sale for a test; zero fields have their defaults.
type Sale struct {
	SKU            string           // default "sku"
	Kind           catalogue.Kind   // default virtual
	Price          int64            // default 100
	Free           bool             // the price is 0
	Stock          map[string]int64 // by point; default 100 at "0"
	Regions        map[string][]string
	PurchaseLimit  int64           // of the activity; default none
	SKULimit       int64           // of the sku; default none
	PermitRatio    float64         // default none
	Limits         limits.Settings // of requests; default none
	PathsPerSecond float64         // of a waiting room; default none
	HumanCheck     human.Kind      // default none
	Segments       segments.Set    // default everybody
	StartsIn       time.Duration   // from now; default it started a minute ago
	EndsIn         time.Duration   // default an hour
	PayWithinS     int64           // default 900
	Draft          bool            // leaves it a draft
}

// Open puts the sale's goods into the catalogue, makes the activity, publishes it, and returns
// its id.
func (s *Site) Open(t testing.TB, sale Sale) string {
	t.Helper()
	sale = sale.withDefaults()
	ctx := t.Context()
	_, err := s.Server.Catalogue.PutSKU(ctx, catalogue.SKU{
		ID: sale.SKU, Title: strings.ToUpper(sale.SKU[:1]) + sale.SKU[1:], Shop: "shop", Kind: sale.Kind,
		Price: 2 * sale.Price, Currency: "CNY", Stock: 1000,
	})
	require.NoError(t, err)
	sku := seckill.ActivitySKU{SKU: sale.SKU, FlashPrice: sale.Price, PurchaseLimit: sale.SKULimit}
	if sale.Free {
		sku.FlashPrice = 0
	}
	for point, units := range sale.Stock {
		if point != catalogue.DefaultPoint {
			_, err := s.Server.Catalogue.PutPoint(ctx,
				catalogue.Point{ID: point, Name: point, Regions: sale.Regions[point], Pickup: true})
			require.NoError(t, err)
		}
		sku.Stock = append(sku.Stock, seckill.PointStock{Point: point, Total: units})
	}
	now := time.Now()
	a, err := s.Server.Activities.Create(ctx, &seckill.Activity{
		Title: "Sale", Shop: "shop", StartsMS: now.Add(sale.StartsIn).UnixMilli(),
		EndsMS: now.Add(sale.EndsIn).UnixMilli(), PayWithinS: sale.PayWithinS, PurchaseLimit: sale.PurchaseLimit,
		PermitRatio: sale.PermitRatio, Limits: sale.Limits, HumanCheck: sale.HumanCheck, Segments: sale.Segments,
		WaitingRoom: line.Settings{PathsPerSecond: sale.PathsPerSecond},
		SKUs:        []seckill.ActivitySKU{sku},
	})
	require.NoError(t, err)
	if sale.Draft {
		return a.ID
	}
	for n := range patience { // an instance on a busy machine may not know its site yet
		if _, err = s.Server.Activities.Publish(ctx, a.ID, 0); problem.CodeOf(err) != problem.CodeUnavailable {
			break
		}
		pause(n)
	}
	require.NoError(t, err)
	return a.ID
}

func (sale Sale) withDefaults() Sale {
	if sale.SKU == "" {
		sale.SKU = "sku"
	}
	if sale.Kind == "" {
		sale.Kind = catalogue.Virtual
	}
	if sale.Price == 0 {
		sale.Price = 100
	}
	if sale.Stock == nil {
		sale.Stock = map[string]int64{catalogue.DefaultPoint: 100}
	}
	if sale.PurchaseLimit == 0 {
		sale.PurchaseLimit = seckill.Unlimited
	}
	if sale.SKULimit == 0 {
		sale.SKULimit = seckill.Unlimited
	}
	if sale.PermitRatio == 0 {
		sale.PermitRatio = seckill.Unlimited
	}
	if sale.StartsIn == 0 {
		sale.StartsIn = -time.Minute
	}
	if sale.EndsIn == 0 {
		sale.EndsIn = time.Hour
	}
	if sale.PayWithinS == 0 {
		sale.PayWithinS = 900
	}
	return sale
}

// Path asks for an order path and fails the test where there is none.
func (p *Person) Path(t testing.TB, activity, sku string) string {
	t.Helper()
	a := p.Insist(http.MethodPost, "/api/v1/seckill/path", "",
		map[string]string{"activity_id": activity, "sku_id": sku})
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	return a.JSON(t)["path"].(string)
}

// Submit sends a submit on a path. One whose outcome is not known (503 with a task id) is sent again
// with its key, as clients do: on a busy machine an order may come too late to be placed.
func (p *Person) Submit(t testing.TB, path, key string, body any) Answer {
	t.Helper()
	var a Answer
	for range patience {
		a = p.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/submit", key, body)
		if a.Status != http.StatusServiceUnavailable || a.JSON(t)["task_id"] == nil {
			break
		}
	}
	return a
}

// Buy takes a path and submits one unit with a key; it returns the answer to the submit.
func (p *Person) Buy(t testing.TB, activity, sku, key string) Answer {
	t.Helper()
	return p.Submit(t, p.Path(t, activity, sku), key, map[string]any{"quantity": 1})
}

// Address stores an address in a region and returns its id.
func (p *Person) Address(t testing.TB, region string) string {
	t.Helper()
	a := p.Call(t, http.MethodPost, "/api/v1/addresses", "", map[string]any{
		"receiver": p.Name, "phone": "13800000000", "region": region, "detail": "1 Main Street",
	})
	require.Equal(t, http.StatusCreated, a.Status, string(a.Body))
	return a.JSON(t)["address_id"].(string)
}

// Lane returns the lane that a sale was given.
func Lane(t testing.TB, s *kit.Stores, activity string) (lane int) {
	t.Helper()
	require.NoError(t, s.DB.Write.GetContext(context.WithoutCancel(t.Context()), &lane,
		`SELECT lane FROM activities WHERE activity_id = ?`, activity))
	return lane
}

// Stock returns the units that Redis has left of a sale, by sku and by sku and point.
func Stock(t testing.TB, s *kit.Stores, activity string) map[string]string {
	t.Helper()
	key := s.Keys.Stock(Lane(t, s, activity), activity)
	left, err := s.Redis.HGetAll(context.WithoutCancel(t.Context()), key).Result()
	require.NoError(t, err)
	return left
}
