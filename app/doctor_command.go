package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"text/tabwriter"
	"time"

	"onrush/app/doctor"
	"onrush/app/operator"
	"onrush/modules/redisdb"
	"onrush/web/client"
)

type doctorCommand struct {
	serverSettings
	Output string `short:"o" help:"text or json." enum:"text,json" default:"text"`
}

var errUnfit = errors.New("at least one check failed")

// Run prints the findings, and fails if one of them is a failure.
func (c *doctorCommand) Run(ctx context.Context, out io.Writer) error {
	redisdb.LogTo(slog.New(slog.DiscardHandler)) // the findings have the errors
	caller := &http.Client{Timeout: 5 * time.Second, CheckRedirect: client.KeepRedirects}
	findings := doctor.New(&c.Config, time.Now, caller).Run(ctx)
	if err := printFindings(out, findings, c.Output == "json"); err != nil {
		return err
	}
	if doctor.Failed(findings) {
		return errUnfit
	}
	return nil
}

func printFindings(out io.Writer, findings []doctor.Finding, asJSON bool) error {
	if asJSON {
		return operator.WriteJSON(out, findings)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", f.Level, f.Check, f.Detail)
		if f.Advice != "" && f.Level != doctor.OK {
			_, _ = fmt.Fprintf(table, "\t\t→ %s\n", f.Advice)
		}
	}
	return table.Flush()
}
