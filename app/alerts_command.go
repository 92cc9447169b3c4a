package main

import (
	"errors"
	"io"
	"net/url"
	"strings"

	"onrush/deploy/mixin"
)

type alertsCommand struct {
	Docs string `required:"" help:"Address of your copy of the documentation, such as https://wiki.example/onrush/."`
}

// Run prints the alerts for Prometheus, whose runbook_url leads to the documentation at the address.
func (c *alertsCommand) Run(out io.Writer) error {
	address, err := url.Parse(c.Docs)
	if err != nil || address.Host == "" || address.RawQuery != "" || address.Fragment != "" {
		return errors.New("--docs must be an address such as https://wiki.example/onrush/")
	}
	rules, err := mixin.Alerts(1, strings.TrimRight(c.Docs, "/")+"/")
	if err != nil {
		return err
	}
	_, err = out.Write(rules)
	return err
}
