package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill"
)

// SalePlan is what makes a sale what its file says.
type SalePlan struct {
	ActivityID  string             `json:"activity_id"`
	State       seckill.State      `json:"state,omitempty"`   // of the sale; empty if there is none yet
	Version     int64              `json:"version,omitempty"` // of the sale; 0 if there is none yet
	Differences []api.ChangedField `json:"differences"`

	draft   *seckill.Activity // creates or replaces a draft
	change  *Change           // changes a published sale
	stock   []pointTotal
	publish bool
}

// pointTotal is how many units a published sale shall have of a sku at a point.
type pointTotal struct {
	sku, point string
	units      int64
}

// plan compares a file with its sale, and changes nothing. It refuses what can't be applied, as far as the sale and the
// catalogue tell now. version is the version that the caller saw, as oplog.Check takes it; a sale that is as the file
// says fits every version, so that a file whose answer was lost can be applied again.
func (as *Activities) plan(ctx context.Context, id string, f *fileBody, version int64) (*SalePlan, error) {
	a, err := as.Get(ctx, id)
	if err != nil && problem.CodeOf(err) != problem.CodeNotFound {
		return nil, err
	}
	p := &SalePlan{ActivityID: id}
	var from activityBody
	if a != nil {
		p.State, p.Version = a.State, a.Revision
		if from, err = bodyOf(a); err != nil {
			return nil, err
		}
	}
	to := f.over(&from, p.State == seckill.Published)
	if p.Differences, err = differences(&from, &to); err != nil {
		return nil, err
	}
	if p.State == seckill.Published {
		if err := p.planStock(&from, &to); err != nil {
			return nil, err
		}
	}
	p.publish = f.State == seckill.Published && p.State != seckill.Published
	if len(p.Differences) == 0 && !p.publish && a != nil {
		return p, nil
	}
	if err := as.db.InTx(ctx, func(tx *sqlx.Tx) error { return checkVersion(ctx, tx, a, id, version) }); err != nil {
		return nil, err
	}
	switch {
	case p.State == seckill.Offline:
		return nil, problem.Errorf(problem.CodeConflict, "It can't be changed any more: the sale is offline.")
	case p.State == seckill.Published:
		err = as.planPublished(p, a, f, &from, &to)
	case len(p.Differences) > 0 || a == nil:
		err = as.planDraft(ctx, p, &to)
	}
	if err != nil || !p.publish {
		return p, err
	}
	if int64(to.EndsAt) <= as.clock.NowMS() {
		return nil, problem.Invalid("ends_at", "is in the past; a sale that has ended can't be published")
	}
	state := api.ChangedField{Field: "state", To: json.RawMessage(`"published"`)}
	if p.State != "" {
		state.From = fmt.Appendf(nil, "%q", p.State)
	}
	p.Differences = append(p.Differences, state)
	return p, nil
}

func (as *Activities) planDraft(ctx context.Context, p *SalePlan, to *activityBody) error {
	if err := to.validate(); err != nil {
		return err
	}
	p.draft = activityOf(to)
	p.draft.ID = p.ActivityID
	tried := *p.draft // the check notes the currencies, which Put tells from those that the file has
	tried.SKUs = slices.Clone(tried.SKUs)
	return as.check(ctx, &tried)
}

// planPublished plans the change of a published sale, which it tries on a.
func (as *Activities) planPublished(p *SalePlan, a *seckill.Activity, f *fileBody, from, to *activityBody) error {
	if !slices.ContainsFunc(p.Differences, func(d api.ChangedField) bool { return !inStock(d) }) {
		return nil
	}
	body := f.changeBody // without what it repeats of the fields that can't be changed
	if to.Shop == from.Shop {
		body.Shop = nil
	}
	if to.PayWithinS == from.PayWithinS {
		body.PayWithinS = nil
	}
	if to.BasketMax == from.BasketMax {
		body.BasketMax = nil
	}
	if to.LimitKey == from.LimitKey {
		body.LimitKey = nil
	}
	if to.Mode == from.Mode {
		body.Mode = nil
	}
	if w := from.WaitingRoom; w != nil && *w == *to.WaitingRoom {
		body.WaitingRoom = nil // the same rate, set again, would move its places
	}
	body.SKUs = slices.Clone(body.SKUs)
	for i := range body.SKUs {
		s := &body.SKUs[i]
		s.Stock = nil
		if to.SKUs[i].Currency == skuIn(from, s.SKU).Currency {
			s.Currency = nil
		}
		if slices.Equal(to.SKUs[i].Parts, skuIn(from, s.SKU).Parts) {
			s.Parts = nil
		}
	}
	change, err := changeOf(&body, 0, problem.Checks{})
	if err != nil {
		return err
	}
	change.Totals = map[string]int64{}
	for _, s := range p.stock {
		change.Totals[lua.StockField(s.sku, s.point)] = s.units
	}
	p.change = change
	return as.apply(change, a)
}

// planStock plans the changes of the stock of a published sale.
func (p *SalePlan) planStock(from, to *activityBody) error {
	for _, had := range from.SKUs {
		if skuIn(to, had.SKU).SKU == "" {
			return problem.Invalid("skus", "lack %s, which is sold; a published sale can't lose a sku", had.SKU)
		}
	}
	for i, s := range to.SKUs {
		had := skuIn(from, s.SKU)
		if had.SKU == "" {
			return problem.Invalid(fmt.Sprintf("skus[%d].sku_id", i),
				"is not sold; a published sale can't get another sku")
		}
		units := unitsOf(had.Stock)
		for j, point := range s.Stock {
			was := units[point.Point]
			if was == nil {
				return problem.Invalid(fmt.Sprintf("skus[%d].stock[%d].point_id", i, j),
					"has no stock of this sku; a published sale can't get another stock point")
			}
			if *was != *point.Quantity {
				p.stock = append(p.stock, pointTotal{s.SKU, point.Point, *point.Quantity})
			}
		}
	}
	return nil
}

// carryOut makes a sale what its plan says, unless the sale has changed since the plan was made. Each step requires the
// version that the step before it made, so that no change of another operator is overwritten unseen. After an error, a
// new plan has the remaining steps.
func (as *Activities) carryOut(ctx context.Context, p *SalePlan) (err error) {
	isNew, version := p.State == "", p.Version
	if isNew {
		version = -1
	}
	if p.draft != nil {
		if _, err := as.Put(ctx, p.draft, version); err != nil {
			return err
		}
		if version++; isNew {
			version = p.draft.Revision
		}
	}
	if p.change != nil {
		p.change.Version = version
		if _, err := as.Change(ctx, p.ActivityID, p.change); err != nil {
			return err
		}
		version++
	}
	for _, s := range p.stock {
		if version, err = as.totals.SetTotal(ctx, p.ActivityID, s.sku, s.point, s.units, version); err != nil {
			return err
		}
	}
	if p.publish {
		if err := as.publishFile(ctx, p.ActivityID, version, isNew); err != nil {
			return err
		}
	}
	a, err := as.Get(ctx, p.ActivityID)
	if err != nil {
		return err
	}
	p.State, p.Version = a.State, a.Revision
	return nil
}

// publishFile publishes a sale. If that is refused, no draft is left of a sale that is new, unless others have changed
// it meanwhile.
func (as *Activities) publishFile(ctx context.Context, id string, version int64, isNew bool) error {
	_, err := as.Publish(ctx, id, version)
	if !isNew || problem.CodeOf(err) != problem.CodeConflict {
		return err
	}
	if as.Delete(ctx, id, version) != nil {
		return problem.Errorf(problem.CodeConflict, "%s. Its draft is left.", detailOf(err))
	}
	return err
}
