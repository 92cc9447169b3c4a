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

	"github.com/alecthomas/kong"

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

// Run prints the findings, and fails if one of them is a failure. It checks no embedded stores on a machine that has
// settings which nobody named.
func (c *doctorCommand) Run(ctx context.Context, all *commands, parsed *kong.Context, out io.Writer) error {
	if advice := all.forgotten(); advice != "" && c.Embedded() && c.DataDir == defaultDataDir {
		return errors.New("which settings? " + advice)
	}
	redisdb.LogTo(slog.New(slog.DiscardHandler)) // the findings have the errors
	caller := &http.Client{Timeout: 5 * time.Second, CheckRedirect: client.KeepRedirects}
	findings := append(doctor.New(&c.Config, time.Now, caller).Run(ctx), secretsSet(parsed.Selected().Flags)...)
	if err := printFindings(out, findings, c.Output == "json"); err != nil {
		return err
	}
	if doctor.Failed(findings) {
		return errUnfit
	}
	return nil
}

// secretsSet are the digests of the secrets, to compare with those in the logs of instances.
func secretsSet(flags []*kong.Flag) (findings []doctor.Finding) {
	for _, flag := range flags {
		if kind := flag.Tag.Get("log"); !flag.Target.IsZero() && (kind == "digest" || kind == "calls") {
			findings = append(findings, doctor.Finding{
				Check: "secret " + flag.Envs[0], Level: doctor.OK, Detail: shownValue(flag),
			})
		}
	}
	return findings
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
