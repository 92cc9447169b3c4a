package admin_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/site"
	"onrush/test/goods"
	"onrush/test/kit"
	"onrush/test/stage"
)

// desk is a Checker, with activities to check and a clock at noon.
type desk struct {
	*admin.Checker

	activities *admin.Activities
}

// newDesk makes a Checker over stores and a Redis, with two skus and a stock point.
func newDesk(t *testing.T, stores *kit.Stores, rdb redis.UniversalClient, change func(*admin.Deps)) *desk {
	t.Helper()
	shop := catalogue.NewCatalogue(stores.DB, time.Now)
	goods.PutSKUs(t, shop, goods.Lamp("lamp"), goods.Lamp("chair"), goods.Lamp("set"))
	goods.PutPoints(t, shop, catalogue.Point{ID: "east"})
	clock, scripts := clock.Fixed(kit.NewClock(noon).Now), lua.New(rdb, stores.Keys)
	d := admin.Deps{
		DB: stores.DB, Lua: scripts, Clock: clock, Catalogue: shop, Site: site.Fixed(4), NewID: kit.IDs(1),
		Cache: seckill.NewActivityCache(stores.DB, scripts, clock, time.Now), Log: slog.New(slog.DiscardHandler),
		Fleet:    &stage.Builds{},
		Channels: []admin.PaymentChannel{{Name: "sandbox", Test: true}, {Name: "wechat"}},
	}
	change(&d)
	return &desk{Checker: admin.NewChecker(d), activities: admin.NewActivities(d)}
}

// drafts makes a draft that starts in an hour, after change.
func (d *desk) drafts(t *testing.T, change func(*seckill.Activity)) (id string) {
	t.Helper()
	a := &seckill.Activity{
		Title: "Sale", Shop: "shop-a", StartsMS: noon.Add(time.Hour).UnixMilli(),
		EndsMS: noon.Add(2 * time.Hour).UnixMilli(), PayWithinS: 900, PurchaseLimit: 2,
		PermitRatio: seckill.Unlimited,
	}
	for _, sku := range []string{"lamp", "chair"} {
		a.SKUs = append(a.SKUs, seckill.ActivitySKU{
			SKU: sku, FlashPrice: 900, PurchaseLimit: seckill.Unlimited,
			Stock: []seckill.PointStock{{Point: "0", Total: 5}, {Point: "east", Total: 0}},
		})
	}
	change(a)
	a, err := d.activities.Create(t.Context(), a)
	require.NoError(t, err)
	return a.ID
}

// found returns the findings of an activity by check.
func (d *desk) found(t *testing.T, activity string) map[string][]admin.Finding {
	t.Helper()
	checks, err := d.Check(t.Context(), activity)
	require.NoError(t, err)
	assert.Equal(t, activity, checks.ActivityID)
	found := map[string][]admin.Finding{}
	for _, f := range checks.Items {
		assert.NotEmpty(t, f.Detail)
		found[f.Check] = append(found[f.Check], f)
	}
	return found
}

func TestChecksOfAGoodDraftAreOKAndOfABadOneAreNot(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.RedisOnly(), kit.FsyncEverySecond())
	stores := kit.OnEmbedded(t)
	d := newDesk(t, stores, own.Redis, func(*admin.Deps) {})
	good := d.found(t, d.drafts(t, func(*seckill.Activity) {}))
	for _, check := range []string{
		"times", "prices", "stock", "limits", "persistence", "channels", "catalogue", "regions", "reach",
	} {
		require.Len(t, good[check], 1, check)
		assert.Equal(t, admin.OK, good[check][0].Level, "%+v", good[check])
	}
	assert.Len(t, good, 9)

	assertFound := func(name string, want []admin.Finding, change func(*seckill.Activity)) {
		found := d.found(t, d.drafts(t, change))[want[0].Check]
		require.Len(t, found, len(want), name)
		for i, f := range found {
			f.Detail = ""
			assert.Equal(t, want[i], f, name)
		}
	}
	one := func(check string, level admin.Level) []admin.Finding {
		return []admin.Finding{{Check: check, Level: level}}
	}
	assertFound("unlimited", []admin.Finding{
		{Check: "limits", Level: admin.Warning, SKU: "lamp"}, {Check: "limits", Level: admin.Warning, SKU: "chair"},
	}, func(a *seckill.Activity) { a.PurchaseLimit = seckill.Unlimited })
	assertFound("one unlimited", []admin.Finding{{Check: "limits", Level: admin.Warning, SKU: "chair"}},
		func(a *seckill.Activity) { a.PurchaseLimit, a.SKUs[0].PurchaseLimit = seckill.Unlimited, 1 })
	assertFound("limited by sku", one("limits", admin.OK), func(a *seckill.Activity) {
		a.PurchaseLimit, a.SKUs[0].PurchaseLimit, a.SKUs[1].PurchaseLimit = seckill.Unlimited, 1, 0
	})
	assertFound("over", one("times", admin.Failure), func(a *seckill.Activity) {
		a.StartsMS, a.EndsMS = noon.Add(-time.Hour).UnixMilli(), noon.UnixMilli()
	})
	assertFound("already", one("times", admin.Warning), func(a *seckill.Activity) { a.StartsMS = noon.UnixMilli() - 1 })
	assertFound("now", one("times", admin.OK), func(a *seckill.Activity) { a.StartsMS = noon.UnixMilli() })
	assertFound("dear", []admin.Finding{
		{Check: "prices", Level: admin.Warning, SKU: "lamp"}, {Check: "prices", Level: admin.Warning, SKU: "chair"},
	}, func(a *seckill.Activity) { a.SKUs[0].FlashPrice, a.SKUs[1].FlashPrice = 1001, 2000 })
	assertFound("no cheaper", []admin.Finding{{Check: "prices", Level: admin.Warning, SKU: "lamp"}},
		func(a *seckill.Activity) { a.SKUs[0].FlashPrice = 1000 })
	assertFound("free", one("prices", admin.OK), func(a *seckill.Activity) { a.SKUs[0].FlashPrice = 0 })
	assertFound("a sku without units", []admin.Finding{{Check: "stock", Level: admin.Warning, SKU: "chair"}},
		func(a *seckill.Activity) { a.SKUs[1].Stock[0].Total = 0 })
	assertFound("a bundle that can't be made", []admin.Finding{{Check: "stock", Level: admin.Warning, SKU: "set"}},
		func(a *seckill.Activity) {
			a.PurchaseLimit = 7
			a.SKUs = append(a.SKUs, seckill.ActivitySKU{
				SKU: "set", FlashPrice: 900, PurchaseLimit: 1,
				Parts: seckill.Parts{{SKU: "chair", Quantity: 6}, {SKU: "lamp", Quantity: 1}},
			})
		})
	assertFound("no unit", one("stock", admin.Failure), func(a *seckill.Activity) {
		a.SKUs[0].Stock[0].Total, a.SKUs[1].Stock[0].Total = 0, 0
	})
}

func TestCheckNamesWhatTheCatalogueNoLongerHas(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		d := newDesk(t, stores, stores.Redis, func(*admin.Deps) {})
		id := d.drafts(t, func(*seckill.Activity) {})
		for _, statement := range []string{ // what the program itself refuses while a draft has them
			`DELETE FROM skus WHERE sku_id = 'lamp'`, `DELETE FROM stock_points WHERE point_id = 'east'`,
		} {
			_, err := stores.DB.Write.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		found := d.found(t, id)
		assert.Equal(t, []admin.Finding{
			{Check: "catalogue", Level: admin.Failure, SKU: "lamp", Detail: "the sku no longer exists"},
			{Check: "catalogue", Level: admin.Failure, Point: "east", Detail: "the stock point no longer exists"},
		}, found["catalogue"])
		assert.Equal(t, admin.OK, found["prices"][0].Level, "a sku that is gone has no price")
		_, err := d.activities.Publish(t.Context(), id, 0)
		require.ErrorContains(t, err, "sku lamp no longer exists", "publishing refuses it too")

		_, err = d.Check(t.Context(), "nothing")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
	})
}

func TestCheckWarnsOfChannelsThatMoveNoMoney(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	test := admin.PaymentChannel{Name: "sandbox", Test: true}
	for _, tc := range []struct {
		on     []admin.PaymentChannel
		level  admin.Level
		detail string
	}{
		{nil, admin.Warning, "no payment channel"},
		{[]admin.PaymentChannel{test, {Name: "stripe", Test: true}}, admin.Warning, "sandbox, stripe"},
		{[]admin.PaymentChannel{test, {Name: "alipay"}}, admin.OK, "on: alipay"},
	} {
		d := newDesk(t, stores, stores.Redis, func(d *admin.Deps) { d.Channels, d.EmbeddedRedis = tc.on, true })
		id := d.drafts(t, func(a *seckill.Activity) { a.ID = "draft-" + string(tc.level) + tc.detail[:2] })
		found := d.found(t, id)
		require.Len(t, found["channels"], 1)
		assert.Equal(t, tc.level, found["channels"][0].Level)
		assert.Contains(t, found["channels"][0].Detail, tc.detail)
		require.Len(t, found["persistence"], 1)
		assert.Equal(t, admin.Warning, found["persistence"][0].Level)
		assert.Contains(t, found["persistence"][0].Detail, "lost if the program is killed")
	}
}

func TestCheckSaysWhatRedisLosesOrThatItIsNotKnown(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.RedisOnly())
	ctx := t.Context()
	require.NoError(t, own.Redis.Do(ctx, "ACL", "SETUSER", "shop", "on", ">pass", "~*", "+@all", "-config").Err())
	managed, err := redisdb.Connect(strings.Replace(own.RedisURL, "redis://", "redis://shop:pass@", 1))
	require.NoError(t, err)
	t.Cleanup(func() { _ = managed.Close() })
	stores := kit.OnEmbedded(t)
	d := newDesk(t, stores, managed, func(*admin.Deps) {})
	id := d.drafts(t, func(*seckill.Activity) {})
	warns := func(detail string) {
		found := d.found(t, id)["persistence"]
		require.Len(t, found, 1)
		assert.Equal(t, admin.Warning, found[0].Level)
		assert.Contains(t, found[0].Detail, detail)
	}
	warns("no append-only file")
	require.NoError(t, own.Redis.ConfigSet(ctx, "appendonly", "yes").Err())
	warns("unknown")
	own.RedisServer.Kill(t)
	warns("could not be checked")
}

func TestCheckNamesTheNodesOfACluster(t *testing.T) {
	t.Parallel()
	stores := kit.OnCluster(t)
	d := newDesk(t, stores, stores.Redis, func(*admin.Deps) {})
	id := d.drafts(t, func(*seckill.Activity) {})
	var addresses []string
	require.NoError(t, redisdb.EachNode(t.Context(), stores.Redis,
		func(_ context.Context, addr string, _ redis.Cmdable) error {
			addresses = append(addresses, addr)
			return nil
		}))
	found := d.found(t, id)["persistence"]
	require.Len(t, found, 3)
	for _, f := range found {
		addr, _, _ := strings.Cut(f.Detail, ": ")
		assert.Contains(t, addresses, addr)
	}

	w := newWorld(t, stores, noon)
	w.put(t, sale{id: "a", lane: 1}, sale{id: "b", lane: 2}, sale{id: "c", lane: 3})
	assert.Equal(t, 3, w.samples(t), "of several nodes")
	for _, id := range []string{"a", "b", "c"} {
		assert.EqualValues(t, 10, *w.points(t, id)[0].Remaining)
	}
}

func TestCheckIsUnavailableWithoutSQL(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		d := newDesk(t, stores, stores.Redis, func(*admin.Deps) {})
		id := d.drafts(t, func(*seckill.Activity) {})
		stores.SQLAway(t)
		_, err := d.Check(t.Context(), id)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	}, kit.Breakable())
}

// Two points of a sale that claim one region are a warning that says which of them wins.
func TestChecksWarnOfRegionsThatTwoPointsOfTheSaleClaim(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		d := newDesk(t, stores, stores.Redis, func(d *admin.Deps) {
			goods.PutPoints(t, d.Catalogue,
				catalogue.Point{ID: "east", Regions: []string{"Shanghai"}},
				catalogue.Point{ID: "east-2", Regions: []string{"shanghai", "Jiangsu"}},
				catalogue.Point{ID: "other", Regions: []string{"jiangsu"}})
		})
		regions := func(points ...string) []admin.Finding {
			id := d.drafts(t, func(a *seckill.Activity) {
				for i := range a.SKUs {
					a.SKUs[i].Stock = nil
					for _, point := range points {
						a.SKUs[i].Stock = append(a.SKUs[i].Stock, seckill.PointStock{Point: point, Total: 5})
					}
				}
			})
			checks, err := d.Check(t.Context(), id)
			require.NoError(t, err)
			return checks.Items[len(checks.Items)-1:]
		}
		assert.Equal(t, admin.OK, regions("0", "east")[0].Level)
		assert.Equal(t, admin.OK, regions("0", "east-2")[0].Level)
		found := regions("0", "east", "east-2")[0]
		assert.Equal(t, "regions", found.Check)
		assert.Equal(t, admin.Warning, found.Level)
		assert.Equal(t, "east", found.Point)
		assert.Contains(t, found.Detail, "east, east-2 claim the region Shanghai")
	})
}

// A sku that can't be sent to a region is a warning: its point there has no unit, or no point serves it.
func TestChecksWarnOfRegionsThatNothingIsSentTo(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		d := newDesk(t, stores, stores.Redis, func(d *admin.Deps) {
			goods.PutPoints(t, d.Catalogue,
				catalogue.Point{ID: "east", Regions: []string{"Shanghai"}},
				catalogue.Point{ID: "south", Regions: []string{"Guangdong"}})
		})
		const others = "all regions that no stock point claims"
		for _, tc := range []struct {
			stock map[string]int64
			lost  string // regions; "" is none
		}{
			{map[string]int64{"0": 5}, ""},
			{map[string]int64{"0": 5, "east": 1}, ""},
			{map[string]int64{"0": 5, "east": 0}, "Shanghai"},
			{map[string]int64{"east": 5}, "Guangdong, " + others},
			{map[string]int64{"0": 0, "south": 5}, "Shanghai, " + others},
			{map[string]int64{"east": 5, "south": 5}, others},
		} {
			found := d.found(t, d.drafts(t, func(a *seckill.Activity) {
				a.SKUs = a.SKUs[:1]
				a.SKUs[0].Stock = nil
				for point, total := range tc.stock {
					a.SKUs[0].Stock = append(a.SKUs[0].Stock, seckill.PointStock{Point: point, Total: total})
				}
			}))["reach"]
			require.Len(t, found, 1)
			want := admin.Finding{Check: "reach", Level: admin.OK, Detail: "units can be sent to every region"}
			if tc.lost != "" {
				want = admin.Finding{
					Check: "reach", Level: admin.Warning, SKU: "lamp", Detail: "no unit can be sent to " + tc.lost,
				}
			}
			assert.Equal(t, want, found[0], "%v", tc.stock)
		}
	})
}
