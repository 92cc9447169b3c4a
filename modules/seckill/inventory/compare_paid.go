package inventory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill"
)

// comparePaid finds counts of units paid that differ from those in SQL. While SQL has payments that Redis doesn't know
// yet, or Redis is just being told of some, it reports no difference: the two counts are not of the same moment.
func (c *comparer) comparePaid(ctx context.Context) error {
	before, repairs, err := c.readPaid(ctx)
	if err != nil {
		return err
	}
	want, settled, err := c.paidInSQL(ctx)
	if err != nil || !settled {
		return err
	}
	after, _, err := c.readPaid(ctx)
	if err != nil || !maps.Equal(before, after) {
		return err
	}
	add := map[string]int64{}
	for field := range before {
		add[field] -= before[field]
	}
	for field, units := range want {
		add[field] += units
	}
	maps.DeleteFunc(add, func(_ string, units int64) bool { return units == 0 })
	c.found.paid = int64(len(add))
	for field, units := range add {
		if units < 0 {
			c.found.unexplained++
			if c.mend == mendProven {
				delete(add, field)
			}
		}
	}
	if !c.repairs() || len(add) == 0 {
		return nil
	}
	c.found.mended += int64(len(add))
	_, err = c.lua.RepairPaid(ctx, c.a.Lane, c.a.ID, c.epoch, repairs, add)
	return err
}

// readPaid reads the units paid, by stock field, and how often a repair has added units.
func (c *comparer) readPaid(ctx context.Context) (paid map[string]int64, repairs int64, err error) {
	var units *redis.MapStringStringCmd
	var count *redis.StringCmd
	_, err = c.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		units = p.HGetAll(ctx, c.lua.Keys.Paid(c.a.Lane, c.a.ID))
		count = p.HGet(ctx, c.lua.Keys.Meta(c.a.Lane, c.a.ID), "repairs")
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, 0, fmt.Errorf("read the units paid of activity %s: %w", c.a.ID, err)
	}
	if text := count.Val(); text != "" {
		if repairs, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, 0, fmt.Errorf("read repairs of activity %s: %w", c.a.ID, err)
		}
	}
	paid, err = lua.ParseCounts(units.Val())
	return paid, repairs, err
}

// paidInSQL returns the units that are sold and not unpaid, by stock field, of one view. settled is false if SQL has
// payments or restocks that Redis must still be told.
func (c *comparer) paidInSQL(ctx context.Context) (paid map[string]int64, settled bool, err error) {
	err = c.db.ViewsFrom(nil).InView(ctx, func(view *sqlx.Tx) error {
		var pending int
		const owed = `SELECT COUNT(*) FROM (SELECT 1 FROM stock_outbox WHERE state = 'pending' AND activity_id = ?
			AND (outbox_id > 'confirm:' AND outbox_id < 'confirm;' OR kind = 'restock')
			LIMIT 1) AS pending`
		if err := view.GetContext(ctx, &pending, owed, c.a.ID); err != nil {
			return fmt.Errorf("look for pending confirms and restocks of %s: %w", c.a.ID, err)
		}
		if settled = pending == 0; !settled {
			return nil
		}
		a, err := seckill.SelectActivity(ctx, view, c.a.ID)
		if err != nil {
			return err
		}
		paid = map[string]int64{}
		for _, g := range a.SKUs {
			for _, p := range g.Stock {
				paid[lua.StockField(g.SKU, p.Point)] = p.Sold
			}
		}
		return eachWithStatus(ctx, view, c.a.ID, order.Unpaid, func(page []order.Stored) error {
			for i := range page {
				for sku, units := range lua.Takes(page[i].SKU, page[i].Quantity) {
					paid[lua.StockField(sku, page[i].Point)] -= units
				}
			}
			return nil
		})
	})
	return paid, settled, err
}
