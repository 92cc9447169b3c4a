package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"onrush/modules/loop"
)

// tries is how often a request is sent whose answer was lost, or which the program can't answer now.
const tries = 3

// Apply carries out a plan, if the sale hasn't changed since the plan was made. Each request names the version that the
// sale had in the plan, or got by the previous step, so that no change of another operator is overwritten unseen. After
// an error, plan again: the new plan has the remaining steps.
func (c *Client) Apply(ctx context.Context, p *Plan) error {
	path := salePath(p.ID)
	if p.put != nil {
		put := request{method: http.MethodPut, path: path, version: p.version, body: p.put}
		if err := c.insist(ctx, p, put, func() { p.sale = p.put }); err != nil {
			return err
		}
	}
	if len(p.patch) > 0 {
		patch := request{method: http.MethodPatch, path: path, version: p.version, body: p.patch}
		if err := c.insist(ctx, p, patch, p.setPatch); err != nil {
			return err
		}
	}
	for i, change := range p.stock {
		if i > 0 {
			if err := c.confirm(ctx, p); err != nil {
				return err
			}
		}
		post := request{
			method: http.MethodPost, path: path + "/stock", key: change.key, version: p.version, body: change,
		}
		if err := c.insist(ctx, p, post, func() { p.setStock(change) }); err != nil {
			return fmt.Errorf("change the stock of %s at %s by %d: %w", change.SKU, change.Point, change.Delta, err)
		}
	}
	if !p.publish {
		return nil
	}
	return c.publish(ctx, p)
}

// publish publishes the sale. If the program refuses, no draft is left of a sale that is new, unless others have
// changed it meanwhile.
func (c *Client) publish(ctx context.Context, p *Plan) error {
	path := salePath(p.ID)
	publish := request{method: http.MethodPost, path: path + "/publish", version: p.version}
	err := c.insist(ctx, p, publish, func() {})
	if !errors.As(err, new(*Refusal)) || p.State != "" {
		return err
	}
	undo := request{method: http.MethodDelete, path: path, version: p.version}
	if undone := c.insist(ctx, p, undo, func() {}); undone != nil {
		return errors.Join(err, fmt.Errorf("its draft is left: %w", undone))
	}
	return err
}

// confirm reads the sale, and takes its version if it has what was planned and done so far, and nothing else.
func (c *Client) confirm(ctx context.Context, p *Plan) error {
	var sale object
	if err := c.Get(ctx, salePath(p.ID), &sale); err != nil {
		return err
	}
	is, want := fieldsOf(sale), p.sale
	if p.version == newOnly { // the program has added the fields that a new sale has by default
		want, _ = overlay(is, p.sale).(object)
	}
	if other := differences(want, is); len(other) > 0 {
		lines := make([]string, len(other))
		for i, d := range other {
			lines[i] = "\n  " + d.String()
		}
		return errors.New("the sale was changed by others meanwhile, or a change of its stock is under way; " +
			"apply it again:" + strings.Join(lines, ""))
	}
	var err error
	p.version, err = versionOf(sale)
	return err
}

// insist sends a request, which may be repeated, until there is an answer; done records what it changes. If a request
// whose answer was lost is refused as made from an older version, it may have overlooked its own change: then the sale
// is confirmed to have that change, and no other one.
func (c *Client) insist(ctx context.Context, p *Plan, r request, done func()) error {
	for try := 1; ; try++ {
		var answer object
		err := c.do(ctx, r, &answer)
		var refusal *Refusal
		switch {
		case err == nil:
			done()
			if version, unknown := versionOf(answer); unknown == nil { // the answer is the sale
				p.sale, p.version = fieldsOf(answer), version
			}
			return nil
		case errors.As(err, &refusal) && refusal.Code == "stale_version" && (try > 1 || refusal.again):
			done()
			if c.confirm(ctx, p) == nil {
				return nil
			}
			return err
		case refusal != nil || try == tries:
			return err
		}
		if loop.Wait(ctx, time.Second) != nil {
			return err
		}
	}
}

// fieldsOf returns the fields of a sale that operators set.
func fieldsOf(sale object) object {
	fields := maps.Clone(sale)
	for _, name := range readOnly {
		delete(fields, name)
	}
	return fields
}

// versionOf returns the version of a sale.
func versionOf(sale object) (int64, error) {
	n, _ := sale["version"].(json.Number)
	version, err := n.Int64()
	if err != nil {
		return 0, errors.New("the program shows no version of the sale; is it older than this command?")
	}
	return version, nil
}

// setPatch records the changes of the fields that were made.
func (p *Plan) setPatch() {
	p.sale, _ = overlay(p.sale, withoutSKUs(p.patch)).(object)
	changed := byID(listOf(p.patch["skus"]), "sku_id")
	p.eachSKU(func(sku object) { maps.Copy(sku, changed[idOf(sku, "sku_id")]) })
}

// setStock records a change of the stock that was made.
func (p *Plan) setStock(change stockChange) {
	p.eachSKU(func(sku object) {
		if idOf(sku, "sku_id") != change.SKU {
			return
		}
		stock := listOf(sku["stock"])
		for i, item := range stock {
			point, _ := item.(object)
			if idOf(point, "point_id") == change.Point {
				point = maps.Clone(point)
				point["quantity"] = int(change.total)
				stock[i] = point
			}
		}
		sku["stock"] = stock
	})
}

// eachSKU calls set with a copy of each sku of the sale, which it may change.
func (p *Plan) eachSKU(set func(sku object)) {
	skus := listOf(p.sale["skus"])
	for i, item := range skus {
		sku, _ := item.(object)
		sku = maps.Clone(sku)
		set(sku)
		skus[i] = sku
	}
	p.sale = maps.Clone(p.sale)
	p.sale["skus"] = skus
}

func withoutSKUs(fields object) object {
	rest := maps.Clone(fields)
	delete(rest, "skus")
	return rest
}

func idOf(item object, field string) string {
	id, _ := item[field].(string)
	return id
}

// listOf returns a copy of a list, whose items may be replaced.
func listOf(value any) []any {
	switch list := value.(type) {
	case []any:
		return append([]any(nil), list...)
	case []object:
		items := make([]any, len(list))
		for i, item := range list {
			items[i] = item
		}
		return items
	}
	return nil
}
