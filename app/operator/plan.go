package operator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"
)

// Plan is what makes a sale what its file says.
type Plan struct {
	ID          string       `json:"activity_id"`
	State       string       `json:"state,omitempty"` // of the sale; empty if there is none yet
	Differences []Difference `json:"differences"`

	put     object // replaces or creates a draft
	patch   object // changes a published sale
	stock   []stockChange
	publish bool

	// sale has the fields of the sale after the steps so far. version is the version of the program's sale with these
	// fields; newOnly if there is none yet.
	sale    object
	version int64
}

// stockChange raises or lowers the stock of a published sale, once per key.
type stockChange struct {
	SKU   string `json:"sku_id"`
	Point string `json:"point_id"`
	Delta int64  `json:"delta"`
	key   string
	total int64 // units afterwards
}

func salePath(id string) string { return "/admin/api/v1/activities/" + url.PathEscape(id) }

// Plan compares a file with the sale. It changes nothing.
func (c *Client) Plan(ctx context.Context, file *SaleFile) (*Plan, error) {
	if err := c.checkFields(ctx, file); err != nil {
		return nil, err
	}
	seen, err := c.newestChange(ctx, file.ID)
	if err != nil {
		return nil, err
	}
	settled, err := c.settled(ctx, file.ID)
	if err != nil {
		return nil, err
	}
	var sale object
	if err := c.Get(ctx, salePath(file.ID), &sale); err != nil && !IsNotFound(err) {
		return nil, err
	}
	plan := &Plan{ID: file.ID}
	plan.State, _ = sale["state"].(string)
	plan.version = newOnly
	if sale != nil {
		if plan.version, err = versionOf(sale); err != nil {
			return nil, err
		}
	}
	from := fieldsOf(sale)
	plan.sale = from
	to, _ := overlay(from, file.Fields).(object)
	plan.Differences = differences(from, to)
	if len(plan.Differences) > 0 && file.Version != 0 && file.Version != plan.version {
		return nil, fmt.Errorf("the sale was changed since the file was made from its version %d "+
			"(see onrush activities show %s, "+
			"and the changes of activity:%s); without its line version, the file replaces these changes",
			file.Version, file.ID, file.ID)
	}
	switch {
	case plan.State == "offline" && (len(plan.Differences) > 0 || file.Publish):
		return nil, errors.New("the sale is offline; it can't be changed any more")
	case plan.State == "published":
		if err := plan.ofPublished(from, to, file.Fields, seen); err != nil {
			return nil, err
		}
	case len(plan.Differences) > 0 || plan.State == "":
		plan.put = to
	}
	if file.Publish && plan.State != "published" {
		if ends, err := time.Parse(time.RFC3339, fmt.Sprint(to["ends_at"])); err == nil && !ends.After(time.Now()) {
			return nil, errors.New("ends_at is in the past; a sale that has ended can't be published")
		}
		plan.publish = true
		plan.Differences = append(plan.Differences,
			Difference{Field: "state", From: plan.State, To: "published"})
	}
	if len(plan.stock) > 0 && !settled {
		return nil, errors.New("changes of the stock of this sale are still under way; try again when they are done")
	}
	return plan, nil
}

// newestChange returns the id of the last change of a sale, "" if there is none. It is part of the keys of stock
// changes: runs that see the same sale at the same time change its stock once, and the same change later is another
// one. It is read before the totals, so that a change that they have, and this id not, can't be made twice.
func (c *Client) newestChange(ctx context.Context, id string) (string, error) {
	var changes struct {
		Items []struct {
			ID string `json:"change_id"`
		} `json:"items"`
	}
	query := url.Values{"on": {"activity:" + id}, "page_size": {"1"}}
	err := c.Get(ctx, "/admin/api/v1/changes?"+query.Encode(), &changes)
	if err != nil || len(changes.Items) == 0 {
		return "", err
	}
	return changes.Items[0].ID, nil
}

// ofPublished plans the change of a published sale. named has the fields of the file.
func (p *Plan) ofPublished(from, to, named object, seen string) error {
	p.patch = object{}
	for name := range named {
		if name != "skus" && len(differences(object{name: from[name]}, object{name: to[name]})) > 0 {
			p.patch[name] = to[name]
		}
	}
	skusFrom, _ := from["skus"].([]any)
	skusTo, _ := to["skus"].([]any)
	before, after := byID(skusFrom, "sku_id"), byID(skusTo, "sku_id")
	var changed []object
	for _, sku := range slices.Sorted(maps.Keys(before)) {
		if after[sku] == nil {
			return fmt.Errorf("%s is sold, and the file doesn't have it; a published sale can't lose a sku", sku)
		}
		change := object{}
		for name, value := range after[sku] {
			if name != "stock" && scalar(value) != scalar(before[sku][name]) {
				change[name] = value
			}
		}
		if len(change) > 0 {
			change["sku_id"] = sku
			changed = append(changed, change)
		}
		if err := p.ofStock(sku, before[sku], after[sku], seen); err != nil {
			return err
		}
	}
	for sku := range after {
		if before[sku] == nil {
			return fmt.Errorf("%s is not sold; a published sale can't get another sku", sku)
		}
	}
	if len(changed) > 0 {
		p.patch["skus"] = changed
	}
	return nil
}

// ofStock plans the changes of the stock of one sku. A point that the file doesn't have any more will have no units.
func (p *Plan) ofStock(sku string, from, to object, seen string) error {
	stockFrom, _ := from["stock"].([]any)
	stockTo, _ := to["stock"].([]any)
	before, after := byID(stockFrom, "point_id"), byID(stockTo, "point_id")
	points := maps.Clone(before)
	maps.Copy(points, after)
	for _, point := range slices.Sorted(maps.Keys(points)) {
		units, err := quantity(after[point])
		if err != nil {
			return fmt.Errorf("skus[%s].stock[%s].quantity: %w", sku, point, err)
		}
		had, _ := quantity(before[point])
		if units == had {
			continue
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %s %d %d", p.ID, seen, sku, point, had, units))
		p.stock = append(p.stock, stockChange{
			SKU: sku, Point: point, Delta: units - had, key: "apply-" + hex.EncodeToString(sum[:16]), total: units,
		})
	}
	return nil
}

// quantity returns the units of a stock; a stock that is nil has none.
func quantity(stock object) (int64, error) {
	switch n := stock["quantity"].(type) {
	case nil:
		return 0, nil
	case int:
		return int64(n), nil
	case json.Number:
		return n.Int64()
	}
	return 0, errors.New("must be a whole number")
}

// settled reports whether the totals of a sale, if they are read after this, have all changes of its stock up to the
// newest one that was read before this.
func (c *Client) settled(ctx context.Context, id string) (bool, error) {
	var pending struct {
		Items []json.RawMessage `json:"items"`
	}
	err := c.Get(ctx, salePath(id)+"/stock?page_size=1", &pending)
	if IsNotFound(err) {
		return true, nil
	}
	return len(pending.Items) == 0, err
}
