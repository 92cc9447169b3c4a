package operator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"onrush/modules/loop"
	"onrush/web/client"
)

// Plan is what makes a sale what its file says, as the program found it.
type Plan struct {
	ID          string       `json:"activity_id"`
	State       string       `json:"state,omitempty"` // of the sale; empty if there is none yet
	Differences []Difference `json:"differences"`

	put request // makes the differences, if the sale is still as it was found
}

// Plan asks the program in what a file differs from its sale. It changes nothing.
func (c *Client) Plan(ctx context.Context, file *SaleFile) (*Plan, error) {
	if err := c.checkFields(ctx, file); err != nil {
		return nil, err
	}
	fields := maps.Clone(file.Fields)
	if file.Publish {
		fields["state"] = "published"
	}
	path := "/admin/api/v1/activities/" + url.PathEscape(file.ID) + "/file"
	ask := request{method: http.MethodPut, path: path + "?dry_run=true", version: file.Version, body: fields}
	var found client.SalePlan
	err := c.do(ctx, ask, &found)
	var refusal *Refusal
	if errors.As(err, &refusal) && refusal.Code == "stale_version" {
		return nil, fmt.Errorf("the sale was changed since the file was made from its version %d "+
			"(see onrush activities show %s, "+
			"and the changes of activity:%s); without its line version, the file replaces these changes\n%w",
			file.Version, file.ID, file.ID, err)
	}
	if err != nil {
		return nil, err
	}
	plan := &Plan{ID: file.ID, State: found.State}
	plan.put = request{method: http.MethodPut, path: path, version: found.Version, body: fields}
	if found.State == "" {
		plan.put.version = newOnly
	}
	for _, field := range found.Differences {
		d := DifferenceOf(field)
		if d.Field == "state" {
			d.From, d.To = found.State, "published"
		}
		plan.Differences = append(plan.Differences, d)
	}
	return plan, nil
}

// tries is how often a plan is sent whose answer was lost, or which the program can't carry out now.
const tries = 3

// Apply carries out a plan, if the sale hasn't changed since the plan was made. After an error, plan again: the new
// plan has the remaining steps.
func (c *Client) Apply(ctx context.Context, p *Plan) error {
	for try := 1; ; try++ {
		err := c.do(ctx, p.put, nil)
		if err == nil || errors.As(err, new(*Refusal)) || try == tries || loop.Wait(ctx, time.Second) != nil {
			return err
		}
	}
}
