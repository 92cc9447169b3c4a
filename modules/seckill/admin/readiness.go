package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/needs"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// Level is the result of a check.
type Level string

// The levels, from good to bad.
const (
	OK      Level = "ok"
	Warning Level = "warning" // it may be published, but an operator should know
	Failure Level = "failure" // it can't be published, or sells nothing
)

// Finding is what one check of an activity found.
type Finding struct {
	Check  string `json:"check"`
	Level  Level  `json:"level"`
	Detail string `json:"detail"`
	SKU    string `json:"sku_id,omitempty"`
	Point  string `json:"point_id,omitempty"`
}

// ActivityChecks are the findings of all checks of an activity.
type ActivityChecks struct {
	ActivityID string    `json:"activity_id"`
	Items      []Finding `json:"items"`
}

// PaymentChannel is a payment channel that is on. Test says that it moves no money.
type PaymentChannel struct {
	Name string
	Test bool
}

const (
	// askRedisWithin bounds the questions to Redis.
	askRedisWithin = time.Second
	// maxMissing bounds the findings of stock points that no longer exist, and of regions.
	maxMissing = 100
)

// Checker looks for problems that an operator should know of before publishing an activity. It changes nothing, and
// Activities.Publish doesn't call it.
type Checker struct {
	db        *sqldb.DB
	lua       *lua.Scripts
	clock     *clock.Clock
	catalogue *catalogue.Catalogue
	channels  []PaymentChannel
	embedded  bool
	fleet     needs.Fleet
}

// NewChecker returns a Checker.
func NewChecker(d Deps) *Checker {
	return &Checker{
		db: d.DB, lua: d.Lua, clock: d.Clock, catalogue: d.Catalogue, channels: d.Channels, embedded: d.EmbeddedRedis,
		fleet: d.Fleet,
	}
}

// Check runs all checks. Each of them returns either all the problems that it found, or one finding that is OK. An
// unavailable Redis is a finding; if SQL is unavailable, so is the error.
func (c *Checker) Check(ctx context.Context, activity string) (*ActivityChecks, error) {
	var a *seckill.Activity
	var missing []string
	err := c.db.InView(ctx, func(tx *sqlx.Tx) (err error) {
		if a, err = seckill.SelectActivity(ctx, tx, activity); err != nil || a == nil {
			return err
		}
		missing, err = missingPoints(ctx, tx, activity, maxMissing)
		return err
	})
	switch {
	case err != nil:
		return nil, problem.Unavailable(err, "The activity can't be read right now.")
	case a == nil:
		return nil, problem.NotFound("activity")
	}
	regions, err := c.regions(ctx, a)
	if err != nil {
		return nil, problem.Unavailable(err, "The stock points can't be read right now.")
	}
	reach, err := c.reach(ctx, a)
	if err != nil {
		return nil, problem.Unavailable(err, "The stock points can't be read right now.")
	}
	checks := &ActivityChecks{ActivityID: activity}
	for _, findings := range [][]Finding{
		c.times(a), prices(a), stock(a), purchaseLimits(a), c.persistence(ctx), c.payments(), fit(a, missing), reach,
		regions, planned(a), c.instances(ctx, a),
	} {
		checks.Items = append(checks.Items, findings...)
	}
	return checks, nil
}

func (c *Checker) times(a *seckill.Activity) []Finding {
	f := Finding{
		Check: "times", Level: OK, Detail: "from " + api.FormatMS(a.StartsMS) + " to " + api.FormatMS(a.EndsMS),
	}
	now := c.clock.NowMS()
	switch {
	case a.State == seckill.Offline:
		f.Level, f.Detail = Failure, "the sale is permanently offline"
	case a.EndsMS <= now:
		f.Level, f.Detail = Failure, "ended at "+api.FormatMS(a.EndsMS)
	case a.State == seckill.Draft && a.StartsMS < now:
		f.Level, f.Detail = Warning, "starts_at is in the past: the sale starts as soon as it is published"
	}
	return []Finding{f}
}

func prices(a *seckill.Activity) (found []Finding) {
	for _, g := range a.SKUs {
		// A sku that no longer exists has no list price, and the list price of a sku in another currency can't be
		// compared.
		sameMoney := g.Kind != "" && g.Currency == g.SKUCurrency
		if sameMoney && g.FlashPrice > 0 && g.FlashPrice >= g.ListPrice {
			found = append(found, Finding{
				Check: "prices", Level: Warning, SKU: g.SKU,
				Detail: fmt.Sprintf("the flash price, %s, is not below the list price, %s",
					api.Money(g.FlashPrice, g.Currency), api.Money(g.ListPrice, g.Currency)),
			})
		}
	}
	if len(found) == 0 {
		found = append(found, Finding{Check: "prices", Level: OK, Detail: "every flash price is below its list price"})
	}
	return found
}

func stock(a *seckill.Activity) (found []Finding) {
	var units int64
	for i := range a.SKUs {
		g := &a.SKUs[i]
		total := a.Total(g)
		if !g.Bundle() {
			units += total
		}
		if total > 0 {
			continue
		}
		f := Finding{Check: "stock", Level: Warning, SKU: g.SKU, Detail: "the sku has no unit at any stock point"}
		if g.Bundle() {
			f.Detail = "no stock point has enough units of all parts of the bundle"
		}
		found = append(found, f)
	}
	switch {
	case units == 0:
		return []Finding{{Check: "stock", Level: Failure, Detail: "the sale has no unit"}}
	case len(found) == 0:
		found = append(found, Finding{Check: "stock", Level: OK, Detail: fmt.Sprintf("units on sale: %d", units)})
	}
	return found
}

// purchaseLimits warns of what one buyer may buy alone.
func purchaseLimits(a *seckill.Activity) (found []Finding) {
	if a.PurchaseLimit >= 0 {
		return []Finding{{
			Check: "limits", Level: OK,
			Detail: fmt.Sprintf("units of the sale that a buyer may have: %d", a.PurchaseLimit),
		}}
	}
	for _, g := range a.SKUs {
		if g.PurchaseLimit < 0 {
			found = append(found, Finding{
				Check: "limits", Level: Warning, SKU: g.SKU,
				Detail: "neither the sku nor the sale has a purchase_limit (-1): one buyer may buy all units",
			})
		}
	}
	if len(found) == 0 {
		found = append(found, Finding{Check: "limits", Level: OK, Detail: "every sku has a purchase limit"})
	}
	return found
}

// persistence says what a crash of Redis loses.
func (c *Checker) persistence(ctx context.Context) (found []Finding) {
	if c.embedded {
		return []Finding{persistenceOf("", redisdb.EmbeddedPersistence())}
	}
	ctx, cancel := context.WithTimeout(ctx, askRedisWithin)
	defer cancel()
	var safe []string
	err := redisdb.EachNode(ctx, c.lua.Redis, func(ctx context.Context, addr string, node redis.Cmdable) error {
		p, err := redisdb.ReadPersistence(ctx, node)
		switch {
		case err != nil:
			return err
		case p.Safe:
			safe = append(safe, p.Detail)
		default:
			found = append(found, persistenceOf(addr, p))
		}
		return nil
	})
	if err != nil {
		found = append(found, Finding{
			Check: "persistence", Level: Warning, Detail: "could not be checked: Redis can't be asked right now",
		})
	}
	if len(found) == 0 {
		slices.Sort(safe)
		found = append(found, Finding{
			Check: "persistence", Level: OK, Detail: strings.Join(slices.Compact(safe), "; "),
		})
	}
	return found
}

// persistenceOf returns the finding of a Redis node that is not safe.
func persistenceOf(addr string, p redisdb.Persistence) Finding {
	f := Finding{Check: "persistence", Level: Warning, Detail: p.Detail + "; " + p.Advice}
	if p.Broken {
		f.Level = Failure
	}
	if addr != "" {
		f.Detail = addr + ": " + f.Detail
	}
	return f
}

func (c *Checker) payments() []Finding {
	var live, test []string
	for _, channel := range c.channels {
		if channel.Test {
			test = append(test, channel.Name)
		} else {
			live = append(live, channel.Name)
		}
	}
	f := Finding{Check: "channels", Level: OK, Detail: "on: " + strings.Join(live, ", ")}
	switch {
	case len(c.channels) == 0:
		f.Level, f.Detail = Warning, "no payment channel is on: orders can't be paid"
	case len(live) == 0:
		f.Level = Warning
		f.Detail = "only in test mode: " + strings.Join(test, ", ") + ": orders are paid and no money moves"
	}
	return []Finding{f}
}

// regions says which regions several stock points of the sale claim, and which of them wins.
func (c *Checker) regions(ctx context.Context, a *seckill.Activity) (found []Finding, err error) {
	points := map[string]bool{}
	for _, g := range a.SKUs {
		for _, p := range g.Stock {
			points[p.Point] = points[p.Point] || g.Kind == catalogue.Physical
		}
	}
	shared, err := c.catalogue.SharedRegions(ctx, func(point string) bool { return points[point] }, maxMissing)
	if err != nil {
		return nil, err
	}
	for _, claim := range shared {
		found = append(found, Finding{
			Check: "regions", Level: Warning, Point: claim.Points[0],
			Detail: fmt.Sprintf("the stock points %s claim the region %s: the first of them at which a sku is on sale "+
				"takes its orders, even if it is sold out there", strings.Join(claim.Points, ", "), claim.Region),
		})
	}
	if len(found) == 0 {
		found = append(found, Finding{
			Check: "regions", Level: OK, Detail: "no two of its stock points claim the same region",
		})
	}
	return found, nil
}

// reach warns of regions to which a sku can't be sent: the stock point that takes their orders has no unit of it.
func (c *Checker) reach(ctx context.Context, a *seckill.Activity) (found []Finding, err error) {
	claims, err := c.catalogue.Claims(ctx)
	if err != nil {
		return nil, err
	}
	for _, g := range a.SKUs {
		if g.Kind != catalogue.Physical || g.Bundle() {
			continue
		}
		units := map[string]int64{}
		for _, p := range g.Stock {
			units[p.Point] = p.Total
		}
		var lost []string
		for _, claim := range claims {
			if units[sender(claim, units)] == 0 && len(lost) < maxMissing {
				lost = append(lost, claim.Region)
			}
		}
		if units[catalogue.DefaultPoint] == 0 {
			lost = append(lost, "all regions that no stock point claims")
		}
		if len(lost) > 0 {
			found = append(found, Finding{
				Check: "reach", Level: Warning, SKU: g.SKU,
				Detail: "no unit can be sent to " + strings.Join(lost, ", "),
			})
		}
	}
	if len(found) == 0 {
		found = append(found, Finding{Check: "reach", Level: OK, Detail: "units can be sent to every region"})
	}
	return found, nil
}

// sender returns the stock point that takes the orders of a region for a sku with units at some points: the first that
// claims it and sells the sku, even if it has none, or the default point.
func sender(claim catalogue.Claim, units map[string]int64) string {
	for _, point := range claim.Points {
		if _, sells := units[point]; sells {
			return point
		}
	}
	return catalogue.DefaultPoint
}

// fit compares the activity with the catalogue, as Activities.Publish does.
func fit(a *seckill.Activity, missing []string) (found []Finding) {
	for _, m := range misfits(a) {
		found = append(found, Finding{
			Check: "catalogue", Level: Failure, SKU: m.sku, Detail: "the sku " + m.why,
		})
	}
	for _, point := range missing {
		found = append(found, Finding{
			Check: "catalogue", Level: Failure, Point: point, Detail: "the stock point no longer exists",
		})
	}
	if len(found) == 0 {
		found = append(found, Finding{Check: "catalogue", Level: OK, Detail: "all skus and stock points exist"})
	}
	return found
}
