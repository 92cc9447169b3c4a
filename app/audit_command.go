package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"onrush/app/operator"
	"onrush/web/client"
)

type auditCommand struct {
	remote
	Activity string `arg:"" help:"Id of the sale."`
	Repair   bool   `help:"Repair the differences."`
}

// Run prints the account of a sale, and fails if it has drifted.
func (c *auditCommand) Run(ctx context.Context, out io.Writer) error {
	method, path := http.MethodGet, activitiesPath+"/"+url.PathEscape(c.Activity)+"/audit"
	if c.Repair {
		method, path = http.MethodPost, path+"/repair"
	}
	var account json.RawMessage
	if err := c.client().Call(ctx, method, path, "", nil, &account); err != nil {
		return err
	}
	if err := operator.WriteJSON(out, account); err != nil {
		return err
	}
	var verdict client.Audit
	if err := json.Unmarshal(account, &verdict); err != nil {
		return fmt.Errorf("read the account: %w", err)
	}
	if !verdict.Ok {
		return fmt.Errorf("sale %s has drifted", c.Activity)
	}
	return nil
}
