package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"onrush/app/operator"
)

type settingsCommand struct {
	Get settingsGetCommand `cmd:"" default:"withargs" help:"Print the settings."`
	Set settingsSetCommand `cmd:"" help:"Change settings of all instances."`
}

const settingsPath = "/admin/api/v1/settings"

type settingsGetCommand struct{ calling }

// Run prints the settings.
func (c *settingsGetCommand) Run(ctx context.Context, out io.Writer) error {
	var shown json.RawMessage
	if err := c.client().Call(ctx, http.MethodGet, settingsPath, "", nil, &shown); err != nil {
		return err
	}
	return c.print(out, shown)
}

type settingsSetCommand struct {
	calling
	// Settings are names of the API and values; without a value, what the environment says applies again.
	Settings []string `arg:"" help:"Such as sales_stopped=true or limit_user=20/1s. No value, as in log=: unset."`
	Version  int64    `help:"Change nothing unless the settings have this version. 0: any."`
}

// Run changes settings and prints all of them.
func (c *settingsSetCommand) Run(ctx context.Context, out io.Writer) error {
	body := map[string]any{}
	for _, text := range c.Settings {
		name, value, found := strings.Cut(text, "=")
		if !found {
			return fmt.Errorf("%q is not a setting and its value, such as log=debug", text)
		}
		switch {
		case value == "":
			body[name] = nil
		case name == "sales_stopped" && (value == "true" || value == "false"):
			body[name] = value == "true"
		case name == "limit_routes" || name == "image_hosts":
			body[name] = strings.Split(value, ",")
		default:
			body[name] = value
		}
	}
	if c.Version != 0 {
		body["version"] = c.Version
	}
	var shown json.RawMessage
	if err := c.client().Call(ctx, http.MethodPatch, settingsPath, "", body, &shown); err != nil {
		return err
	}
	return c.print(out, shown)
}

// print writes the settings, each with where its value is from.
func (f *outputFlag) print(out io.Writer, settings json.RawMessage) error {
	if f.json() {
		return operator.WriteJSON(out, settings)
	}
	var shown struct {
		Set     map[string]json.RawMessage `json:"set"`
		InForce map[string]json.RawMessage `json:"in_force"`
		Pending bool                       `json:"pending"`
	}
	if err := json.Unmarshal(settings, &shown); err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	var rows []json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(shown.InForce)) {
		from := "environment"
		if _, set := shown.Set[name]; set {
			from = "operators"
		}
		row, err := json.Marshal(map[string]any{"name": name, "value": shown.InForce[name], "from": from})
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if err := operator.WriteTable(out, "SETTING=name, VALUE=value, FROM=from", rows); err != nil || !shown.Pending {
		return err
	}
	_, err := fmt.Fprintln(out,
		"Pending: they apply, but a store doesn't have them yet; don't restart all instances now.")
	return err
}
