package site

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/seckill/waves"
	"onrush/modules/segments"
	"onrush/test/kit"
)

// Sale is a flash sale for a test; zero fields have their defaults.
type Sale struct {
	SKU            string           // default "sku"
	Others         []string         // more skus, like the first
	Kind           catalogue.Kind   // default virtual
	Price          int64            // default 100
	Free           bool             // the price is 0
	Stock          map[string]int64 // by point; default 100 at "0"
	Regions        map[string][]string
	PurchaseLimit  int64             // of the activity; default none
	SKULimit       int64             // of the sku; default none
	PermitRatio    float64           // default none
	Limits         limits.Settings   // of requests; default none
	PathsPerSecond float64           // of a waiting room; default none
	HumanCheck     human.Kind        // default none
	Segments       segments.Set      // default everybody
	Eligible       eligible.Settings // default everybody
	LimitKey       string            // default none: limits count by user
	Waves          []lua.Wave        // of the sku; default none
	Reserved       []lua.Wave        // units of the sku that are reserved; default none
	ReservedFor    eligible.ReservedFor
	StartsIn       time.Duration // from now; default it started a minute ago
	EndsIn         time.Duration // default an hour
	PayWithinS     int64         // default 900
	PayGraceS      int64         // default none
	OfferWithinS   int64         // default no waiting list
	Mode           seckill.Mode  // default whoever comes first
	BasketMax      int           // skus of an order; default one
	Parts          seckill.Parts // of the bundle set, which has the price of the sale; default there is none
	BundleLimit    int64         // of the bundle; default none
	Draft          bool          // leaves it a draft
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
	sku.Waves, sku.Reserved = waves.Of(sale.Waves), waves.Of(sale.Reserved)
	for point, units := range sale.Stock {
		if point != catalogue.DefaultPoint {
			_, err := s.Server.Catalogue.PutPoint(ctx,
				catalogue.Point{ID: point, Name: point, Regions: sale.Regions[point], Pickup: true})
			require.NoError(t, err)
		}
		sku.Stock = append(sku.Stock, seckill.PointStock{Point: point, Total: units})
	}
	skus := []seckill.ActivitySKU{sku}
	for _, other := range sale.Others {
		_, err := s.Server.Catalogue.PutSKU(ctx, catalogue.SKU{
			ID: other, Title: strings.ToUpper(other[:1]) + other[1:], Shop: "shop", Kind: sale.Kind,
			Price:    2 * sale.Price,
			Currency: "CNY", Stock: 1000,
		})
		require.NoError(t, err)
		more := sku
		more.SKU = other
		skus = append(skus, more)
	}
	if sale.Parts != nil {
		_, err := s.Server.Catalogue.PutSKU(ctx, catalogue.SKU{
			ID: "set", Title: "Set", Shop: "shop", Kind: sale.Kind, Price: 3 * sale.Price, Currency: "CNY",
		})
		require.NoError(t, err)
		skus = append(skus, seckill.ActivitySKU{
			SKU: "set", FlashPrice: sku.FlashPrice, PurchaseLimit: sale.BundleLimit, Parts: sale.Parts.Sorted(),
		})
	}
	now := time.Now()
	a, err := s.Server.Activities.Create(ctx, &seckill.Activity{
		Title: "Sale", Shop: "shop", StartsMS: now.Add(sale.StartsIn).UnixMilli(),
		EndsMS: now.Add(sale.EndsIn).UnixMilli(), PayWithinS: sale.PayWithinS, PayGraceS: sale.PayGraceS,
		PurchaseLimit: sale.PurchaseLimit,
		PermitRatio:   sale.PermitRatio, Limits: sale.Limits, HumanCheck: sale.HumanCheck, Segments: sale.Segments,
		Eligible: sale.Eligible, Reserved: sale.ReservedFor, LimitKey: sale.LimitKey,
		OfferWithinS: sale.OfferWithinS, Mode: sale.Mode,
		BasketMax:   sale.BasketMax,
		WaitingRoom: line.Settings{PathsPerSecond: sale.PathsPerSecond},
		SKUs:        skus,
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
	if sale.BundleLimit == 0 {
		sale.BundleLimit = seckill.Unlimited
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
