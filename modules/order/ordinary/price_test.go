package ordinary

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

// priced are two instances with their own copies, which never get older: the time stands still.
type priced struct {
	*kit.Stores
	t        *testing.T
	one, two goods.Goods
	placer   *Placer // of one
	request  Request
	keys     int
}

func newPriced(t *testing.T, s *kit.Stores) *priced {
	t.Helper()
	p := &priced{Stores: s, t: t, one: goods.New(s), two: goods.New(s)}
	goods.PutPoints(t, p.one.Catalogue, catalogue.Point{ID: "p5", Regions: []string{"east"}, FreightExtra: 5})
	goods.PutSKUs(t, p.one.Catalogue, goods.Lamp("sku-1"))
	p.placer = NewPlacer(0, Deps{
		DB: s.DB, Catalogue: p.one.Catalogue, Now: kit.NewClock(now).Now, Random: counting(),
		Destinations: catalogue.NewDestinations(p.one.Catalogue, p.one.Addresses),
	})
	p.request = Request{Items: items("sku-1", 1), AddressID: p.one.Address(t, "u", "east").AddressID}
	_, err := p.placer.Confirm(t.Context(), "u", p.request) // one has copies
	require.NoError(t, err)
	return p
}

// place places the request under a new key.
func (p *priced) place() (order.View, error) {
	p.keys++
	views, _, err := p.placer.Place(p.t.Context(), "u", fmt.Sprint("key-", p.keys), "", p.request)
	if err != nil {
		return order.View{}, err
	}
	return views[0], nil
}

// outdating is a change of what orders are made of.
type outdating struct {
	name   string
	change func(*priced) error
	code   problem.Code // that the first order is refused with; none: it is placed
	then   func(t *testing.T, v order.View)
}

// outdatings are changes of each thing that an order costs or shows.
func outdatings() []outdating {
	lamp := func(change func(*catalogue.SKU)) func(*priced) error {
		return func(p *priced) error {
			sku := goods.Lamp("sku-1")
			change(&sku)
			_, err := p.two.Catalogue.PutSKU(p.t.Context(), sku)
			return err
		}
	}
	point := func(id, region string, extra int64, pickup bool) func(*priced) error {
		return func(p *priced) error {
			_, err := p.two.Catalogue.PutPoint(p.t.Context(),
				catalogue.Point{ID: id, Name: id, Regions: []string{region}, FreightExtra: extra, Pickup: pickup})
			return err
		}
	}
	return []outdating{
		{"price", lamp(func(s *catalogue.SKU) { s.Price = 1100 }), CodePriceChanged, costs(1155)},
		{"freight", lamp(func(s *catalogue.SKU) { s.Freight.Fee = 70 }), CodePriceChanged, costs(1075)},
		{"free freight", lamp(func(s *catalogue.SKU) { s.Freight.FreeOver = 500 }), CodePriceChanged, costs(1005)},
		{"currency", lamp(func(s *catalogue.SKU) { s.Currency = "EUR" }), CodePriceChanged, costs(1055)},
		{"shop", lamp(func(s *catalogue.SKU) { s.Shop = "shop-b" }), CodePriceChanged, costs(1055)},
		{"kind", lamp(func(s *catalogue.SKU) { s.Kind = catalogue.Virtual }), CodePriceChanged, costs(1000)},
		{
			"title", lamp(func(s *catalogue.SKU) { s.Title = "A new lamp" }),
			problem.Code{},
			func(t *testing.T, v order.View) { assert.Equal(t, "A new lamp", v.Items[0].Title) },
		},
		{"made again within a millisecond", func(p *priced) error {
			if err := p.two.Catalogue.DeleteSKU(p.t.Context(), "sku-1", 0); err != nil {
				return err
			}
			return lamp(func(s *catalogue.SKU) { s.Price = 900 })(p)
		}, CodePriceChanged, costs(955)},
		{
			"deleted", func(p *priced) error { return p.two.Catalogue.DeleteSKU(p.t.Context(), "sku-1", 0) },
			problem.CodeNotFound, nil,
		},
		{"the point's extra", point("p5", "east", 9, false), CodePriceChanged, costs(1059)},
		{"another point for the region", point("p1", "east", 1, false), CodePriceChanged, costs(1051)},
		{
			"another point at the same cost", point("p1", "east", 5, false),
			problem.Code{},
			func(t *testing.T, v order.View) { assert.Equal(t, "p1", v.Point) },
		},
		{
			"no point", func(p *priced) error { return p.two.Catalogue.DeletePoint(p.t.Context(), "p5", 0) },
			CodePriceChanged, costs(1050),
		},
		{"address", func(p *priced) error {
			a, err := p.two.Addresses.Get(p.t.Context(), "u", p.request.AddressID)
			if err == nil {
				a.Detail = "Road 2"
				_, err = p.two.Addresses.Update(p.t.Context(), "u", a)
			}
			return err
		}, problem.Code{}, func(t *testing.T, v order.View) { assert.Equal(t, "Road 2", v.Address.Detail) }},
	}
}

func TestNoOrderIsStoredFromCopiesThatAnotherInstanceHasOutdated(t *testing.T) {
	t.Parallel()
	for _, c := range outdatings() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, s *kit.Stores) {
				p := newPriced(t, s)
				before, err := p.place()
				require.NoError(t, err)
				require.EqualValues(t, 1055, before.TotalAmount)
				if c.code == problem.CodeNotFound || c.name == "made again within a millisecond" {
					_, err := s.DB.Write.ExecContext(t.Context(), `UPDATE orders SET status = 'cancelled'`)
					require.NoError(t, err) // the sku of an unpaid order can't be deleted
				}
				require.NoError(t, c.change(p))
				v, err := p.place()
				if c.code.Name != "" {
					require.Equal(t, c.code, problem.CodeOf(err), "%v", err)
					assert.Equal(t, 1, countOrders(t, s))
					v, err = p.place()
				}
				if c.then != nil {
					require.NoError(t, err)
					c.then(t, v)
				}
				again, _, err := p.placer.Place(t.Context(), "u", "key-1", "", p.request)
				require.NoError(t, err)
				assert.Equal(t, before.Number, again[0].Number, "a repeat is answered as before")
				assert.EqualValues(t, 1055, again[0].TotalAmount)
			})
		})
	}
}

func costs(total int64) func(*testing.T, order.View) {
	return func(t *testing.T, v order.View) {
		t.Helper()
		assert.Equal(t, total, v.TotalAmount)
	}
}

func TestAnOrderCostsWhatItsBuyerConfirmedOnWhateverInstance(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		p := newPriced(t, s)
		ctx := t.Context()
		old, err := p.placer.Confirm(ctx, "u", p.request)
		require.NoError(t, err)
		sku := goods.Lamp("sku-1")
		sku.Price = 1100
		_, err = p.two.Catalogue.PutSKU(ctx, sku)
		require.NoError(t, err)
		fresh := NewPlacer(0, Deps{DB: s.DB, Catalogue: p.two.Catalogue, Destinations: p.two.Destinations})
		now, err := fresh.Confirm(ctx, "u", p.request)
		require.NoError(t, err)
		require.NotEqual(t, old.Confirmation, now.Confirmation)

		p.request.Confirmation = now.Confirmation
		v, err := p.place()
		require.NoError(t, err, "the buyer has seen the new price, although this instance has not")
		assert.EqualValues(t, 1155, v.TotalAmount)
		p.request.Confirmation = old.Confirmation
		_, err = p.place()
		require.Equal(t, CodePriceChanged, problem.CodeOf(err), "all copies are new, but the buyer saw the old price")
		require.ErrorContains(t, err, "11.55 CNY")
		assert.Equal(t, 1, countOrders(t, s))
		again, _, err := p.placer.Place(ctx, "u", "key-1", "", p.request)
		require.NoError(t, err, "the confirmation is no part of what a key stands for")
		assert.Equal(t, v.Number, again[0].Number)
	})
}

// The price is raised again and again while 48 order from two instances: whoever began after a raise was answered pays
// the new price or more.
func TestNoOrderOfACrowdHasAPriceOfBeforeAnAnsweredChange(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		instances := []goods.Goods{goods.New(s), goods.New(s)}
		sku := goods.Code("sku-1", "shop")
		sku.Stock = 1 << 20
		goods.PutSKUs(t, instances[0].Catalogue, sku)
		random := counting()
		var answered, placed, refused atomic.Int64
		answered.Store(sku.Price)
		var raised atomic.Bool
		kit.Crowd(49, func(i int) {
			if i == 48 {
				defer raised.Store(true)
				for n := range 10 {
					assert.Eventually(t, func() bool { return placed.Load() >= int64(40*n) || t.Failed() },
						time.Minute, time.Millisecond)
					next := sku
					next.Price += int64(n) + 1
					if _, err := instances[n%2].Catalogue.PutSKU(ctx, next); err != nil {
						t.Error(err)
					}
					answered.Store(next.Price)
				}
				return
			}
			placer := NewPlacer(0, Deps{
				DB: s.DB, Catalogue: instances[i%2].Catalogue, Destinations: instances[i%2].Destinations,
				Now: kit.NewClock(now).Now, Random: random,
			})
			for n := 0; !raised.Load() && !t.Failed(); n++ {
				least := answered.Load()
				views, _, err := placer.Place(ctx, fmt.Sprint("u", i), fmt.Sprint(n), "",
					Request{Items: items("sku-1", 1)})
				if problem.CodeOf(err) == CodePriceChanged {
					refused.Add(1)
					continue
				}
				if assert.NoError(t, err) {
					placed.Add(1)
					assert.GreaterOrEqual(t, views[0].TotalAmount, least)
				}
			}
		})
		assert.Positive(t, refused.Load())
		assert.Equal(t, placed.Load(), (1<<20)-goods.Stock(t, s, "sku-1"))
	})
}
