package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/modules/order/unstored"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Discard removes a dead entry permanently: it stores the order in SQL as failed, so that its number and
// task can still be found, and then gives its units and counts back and sets its task to failed. After
// a crash in between the entry is still dead and can be discarded again. If SQL has the entry's order, the
// error is a conflict: Replay such an entry, and a mover acknowledges it. by is the actor in the order's
// log, such as "operator:anna".
func (insp *Inspector) Discard(ctx context.Context, id, by string) (DeadItem, error) {
	lane, field, item, err := insp.find(ctx, id)
	if err != nil {
		return DeadItem{}, err
	}
	e, err := order.ParseEntry(item.Entry)
	task := ""
	if err == nil {
		task, err = insp.storeDiscarded(ctx, lane, e, by)
	} else { // the order and user are unknown
		e, err = order.Entry{}, nil
	}
	if err == nil {
		err = insp.recorded(ctx, "dead.discarded", item, func() error {
			return insp.discard(ctx, lane, field, e, task)
		})
	}
	if err != nil {
		if problem.Is(err) {
			return DeadItem{}, err
		}
		return DeadItem{}, problem.Unavailable(err, "The dead entry can't be discarded right now.")
	}
	return item, nil
}

// storeDiscarded stores the order of a dead entry as failed, with as much of its data as is known and
// as SQL accepts, and returns the hash of its task.
func (insp *Inspector) storeDiscarded(
	ctx context.Context, lane int, e order.Entry, by string,
) (task string, err error) {
	found, err := unstored.Read(ctx, insp.lua.Redis, insp.lua.Keys, lane, []order.Entry{e})
	if err != nil {
		return "", err
	}
	if errors.Is(found[0].Err, order.ErrNewerRecord) {
		return "", problem.Errorf(problem.CodeConflict,
			"A newer version of the program wrote this order; discard it with that version.")
	}
	o := found[0].Order
	task, digest, err := insp.taskOf(ctx, lane, e, o)
	if err != nil {
		return "", err
	}
	tries := make([]*order.Order, 0, 2)
	if o != nil {
		tries = append(tries, o)
	}
	o, err = insp.leastOrder(ctx, lane, e, o, task, digest)
	if err != nil {
		return "", err
	}
	if o != nil {
		tries = append(tries, o)
	}
	for _, o := range tries {
		err := insp.storeFailed(ctx, e, o, task, by)
		switch {
		case err == nil:
			return task, nil
		case !sqldb.IsRowError(err) && !sqldb.IsDuplicate(err):
			return "", err
		}
		insp.log.WarnContext(ctx, "a discarded order can't be stored with all its data", "entry", e.Raw, "error", err)
	}
	// Also called if there is nothing to store, since SQL may have the order.
	if err := insp.storeFailed(ctx, e, nil, task, by); err != nil {
		return "", err
	}
	insp.log.WarnContext(ctx, "a discarded order has no row in SQL", "entry", e.Raw)
	return task, nil
}

// storeFailed stores an order as failed, with a line in its log, unless SQL has the number.
func (insp *Inspector) storeFailed(ctx context.Context, e order.Entry, o *order.Order, task, by string) error {
	return insp.db.InTx(ctx, func(tx *sqlx.Tx) error {
		// No mover can store this order while it is being discarded.
		if err := order.Fence(ctx, tx, e.Activity); err != nil {
			return err
		}
		has, err := rowOf(ctx, tx, e.Number)
		if err != nil {
			return err
		}
		if has != nil {
			discarded := has.Status == order.Failed && has.Reason == order.ReasonDiscarded
			if !discarded && has.User == e.User && (task == "" || order.TaskHash(has.Task) == task) {
				return problem.Errorf(problem.CodeConflict, "SQL has this order; replay the entry instead.")
			}
			return nil
		}
		if o == nil {
			return nil
		}
		failed := *o
		failed.Status, failed.Reason = order.Failed, order.ReasonDiscarded
		if err := order.Insert(ctx, tx, []*order.Order{&failed}, insp.changed); err != nil {
			return err
		}
		return order.AddLogLine(ctx, tx,
			order.LogLine{Order: o.Number, AtMS: insp.now().UnixMilli(), Actor: by, Action: order.LoggedFailed})
	})
}

// leastOrder returns the order of an entry with the minimum of data that a row needs, from its record
// or, if that is missing, from its hold and the sale. It returns nil if they don't say what was ordered.
func (insp *Inspector) leastOrder(
	ctx context.Context, lane int, e order.Entry, o *order.Order, task, digest string,
) (*order.Order, error) {
	least := &order.Order{
		Number: e.Number, User: e.User, Task: discardedTask(lane, e, task), Digest: digest,
		Content: order.Content{
			Type: order.Seckill, Activity: e.Activity, Kind: catalogue.Virtual, Delivery: catalogue.None,
			PlacedAt: api.Millis(e.PlacedMS),
		},
	}
	if o != nil {
		least.LimitKey, least.Reserved = o.LimitKey, o.Reserved
		if o.Bundle != nil {
			b := *o.Bundle
			b.Title = b.SKU
			least.Bundle = &b
		}
		least.Task, least.Kind, least.Shop, least.Currency, least.Point = o.Task, o.Kind, o.Shop, o.Currency, o.Point
		least.GoodsAmount, least.FreightAmount, least.TotalAmount, least.Delivery = o.GoodsAmount, o.FreightAmount,
			o.TotalAmount, o.Delivery
		for _, it := range o.Items {
			least.Items = append(least.Items, order.Item{
				SKU: it.SKU, Kind: it.Kind, Title: it.SKU, Quantity: it.Quantity, Price: it.Price, Point: it.Point,
			})
		}
		return least, nil
	}
	hold, err := insp.lua.Redis.HGet(ctx, insp.lua.Keys.Held(lane, e.Activity), e.Number.String()).Result()
	if errors.Is(err, redis.Nil) || lua.IsWrongType(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read hold of order %s: %w", e.Number, err)
	}
	held, ok := lua.ParseHeld(hold)
	if !ok || held.User != e.User { // such a hold says nothing
		return nil, nil
	}
	least.Point, least.LimitKey, least.Reserved = held.Point, held.Key, held.Reserved
	if bundle, n := lua.Bundle(held.SKU); bundle != "" {
		least.Bundle = &order.Bundle{SKU: bundle, Title: bundle, Quantity: n}
	}
	for sku, units := range lua.Takes(held.SKU, held.Quantity) {
		if err == nil {
			err = insp.addGoods(ctx, least, sku, units)
		}
	}
	if err == nil && least.Bundle != nil {
		err = insp.priceBundle(ctx, least)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("select goods of order %s: %w", e.Number, err)
	}
	least.TotalAmount = least.GoodsAmount
	return least, nil
}

// priceBundle shares the price of the bundle of an order among its items, which have the prices of their skus alone.
func (insp *Inspector) priceBundle(ctx context.Context, o *order.Order) error {
	b := o.Bundle
	const query = `SELECT flash_price FROM activity_skus WHERE activity_id = ? AND sku_id = ?`
	if err := insp.db.Write.GetContext(ctx, &b.Price, query, o.Activity, b.SKU); err != nil {
		return err
	}
	portions := make([]catalogue.Portion, len(o.Items))
	for i, it := range o.Items {
		portions[i] = catalogue.Portion{Price: it.Price, Units: max(it.Quantity/max(b.Quantity, 1), 1)}
	}
	for i, share := range catalogue.Shares(b.Price, portions) {
		o.Items[i].Price = share
	}
	o.GoodsAmount = b.Price * b.Quantity
	return nil
}

// addGoods adds units of a sku to an order, as its sale sells them.
func (insp *Inspector) addGoods(ctx context.Context, o *order.Order, sku string, units int64) error {
	var goods struct {
		Kind     catalogue.Kind `db:"kind"`
		Shop     string         `db:"shop_id"`
		Currency string         `db:"currency"`
		Price    int64          `db:"flash_price"`
	}
	const query = `SELECT s.kind, s.shop_id, s.currency, a.flash_price FROM activity_skus a
		JOIN sale_skus s ON s.activity_id = a.activity_id AND s.sku_id = a.sku_id
		WHERE a.activity_id = ? AND a.sku_id = ?`
	if err := insp.db.Write.GetContext(ctx, &goods, query, o.Activity, sku); err != nil {
		return err
	}
	o.Kind, o.Shop, o.Currency = goods.Kind, goods.Shop, goods.Currency
	o.GoodsAmount += goods.Price * units
	o.Items = append(o.Items, order.Item{
		SKU: sku, Kind: goods.Kind, Title: sku, Quantity: units, Price: goods.Price, Point: o.Point,
	})
	return nil
}

// discardedTask returns the task id of an order without a record, by which ByTask finds the order.
func discardedTask(lane int, e order.Entry, hash string) string {
	if hash == "" {
		return ids.Join("discarded", e.Number.String())
	}
	return order.TaskID{Lane: lane, Activity: e.Activity, Hash: hash}.String()
}

func (insp *Inspector) discard(ctx context.Context, lane int, field string, e order.Entry, task string) error {
	number := ""
	if e.Number > 0 {
		number = e.Number.String()
	}
	var found bool
	err := insp.written.Noting(ctx, lane, []string{e.User}, func(note lua.Note) (err error) {
		found, err = insp.lua.DiscardDead(ctx, lane, e.Activity, e.User, number, task, field, order.ReasonDiscarded,
			note)
		return err
	})
	if err != nil {
		return fmt.Errorf("discard dead entry: %w", err)
	}
	if !found {
		return problem.NotFound("dead entry")
	}
	return nil
}

// tasksPage is the number of tasks per read of taskOf.
const tasksPage = 5000

// taskOf returns the task of an entry, from its record or, if that is missing or can't be read, by
// searching the activity's tasks for the order number. It returns "" if there is none.
func (insp *Inspector) taskOf(
	ctx context.Context, lane int, e order.Entry, o *order.Order,
) (hash, digest string, err error) {
	if o != nil {
		return order.TaskHash(o.Task), o.Digest, nil
	}
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		tasks := insp.lua.Keys.Tasks(lane, e.Activity)
		page, next, err := insp.lua.Redis.HScan(ctx, tasks, cursor, "", tasksPage).Result()
		if lua.IsWrongType(err) {
			return "", "", nil
		}
		if err != nil {
			return "", "", fmt.Errorf("search tasks of %s: %w", e.Activity, err)
		}
		for i := 0; i+1 < len(page); i += 2 {
			if task, err := lua.ParseTask(page[i+1]); err == nil && task.Number == e.Number.String() {
				return page[i], task.Digest, nil
			}
		}
		cursor = next
	}
	return "", "", nil
}
