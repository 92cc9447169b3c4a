package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"onrush/app/operator"
	"onrush/web/client"
)

type changesCommand struct {
	listing
	On     string    `help:"Only changes of this thing, such as settings, sku:lamp, activity:ID or job:audit."`
	Actor  string    `help:"Only changes of this operator."`
	Action string    `help:"Only this action, such as settings.changed."`
	From   time.Time `help:"Only changes made at this time or later."`
	To     time.Time `help:"Only changes made before this time."`
}

// Run prints what operators changed, newest first: in a table with the fields that differ, as JSON with all values.
func (c *changesCommand) Run(ctx context.Context, out io.Writer) error {
	query := filter("on", c.On, "actor", c.Actor, "action", c.Action, "from", utc(c.From), "to", utc(c.To))
	items, err := c.items(ctx, "/admin/api/v1/changes", query)
	if err != nil {
		return err
	}
	if c.json() {
		return operator.WriteJSON(out, items)
	}
	for i, item := range items {
		var change client.Change
		if err := json.Unmarshal(item, &change); err != nil {
			return fmt.Errorf("read a change: %w", err)
		}
		fields := make([]string, len(change.Fields))
		for f, field := range change.Fields {
			fields[f] = operator.DifferenceOf(field).String()
		}
		if items[i], err = json.Marshal(map[string]any{
			"at": change.At.UTC().Format(operator.TimeFormat), "actor": change.Actor, "client_ip": change.ClientIP,
			"action": change.Action, "on": change.On, "fields": strings.Join(fields, "; "),
		}); err != nil {
			return err
		}
	}
	return c.printItems(out, items, "AT=at, BY=actor, FROM=client_ip, ACTION=action, ON=on, FIELDS=fields")
}
