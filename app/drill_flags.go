package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/alecthomas/kong"
)

// Flags that a drill has with --simulate, too, and those that a search for a rate has of its own.
var (
	flagsOfBoth   = []string{"help", "output", "json", "simulate", "seed", "instances", "over"}
	flagsOfSearch = []string{"scenario", "buyers", "over", "for", "flood", "kill", "freeze", "full-redis", "sabotage"}
)

// checkGiven refuses flags that would have no effect beside the others.
func (c *drillCommand) checkGiven(parsed *kong.Context) error {
	for _, p := range parsed.Path {
		if p.Flag == nil {
			continue
		}
		name, simulated := p.Flag.Name, p.Flag.Group != nil && p.Flag.Group.Key == "simulate"
		switch {
		case c.Simulate && !simulated && !slices.Contains(flagsOfBoth, name):
			return fmt.Errorf("--simulate has no --%s", name)
		case !c.Simulate && simulated:
			return fmt.Errorf("--%s needs --simulate", name)
		case c.Rate != "" && slices.Contains(flagsOfSearch, name):
			return fmt.Errorf("--rate has no --%s beside it", name)
		case name == "for" && c.Scenario != "soak":
			return errors.New("--for needs --scenario soak")
		case name == "url" && len(c.URL) == 0:
			return errors.New("--url has no address")
		}
	}
	return nil
}

// openReport opens the file of a report. What it has stays until the report is written.
func openReport(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // as the operator says
}
