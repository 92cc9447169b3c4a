package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"onrush/app/operator"
	"onrush/web/client"
)

type usersCommand struct {
	Trail  usersTrailCommand  `cmd:"" help:"Print what a buyer was refused and ordered in the last day."`
	Export usersExportCommand `cmd:"" help:"Print all stored data of a buyer, as JSON."`
	Erase  usersEraseCommand  `cmd:"" help:"Erase a buyer for good: a pseudonym replaces the user id."`
}

func usersPath(user, action string) string {
	return "/admin/api/v1/users/" + url.PathEscape(user) + "/" + action
}

type usersTrailCommand struct {
	calling
	User string `arg:"" help:"User id."`
}

// Run prints the trail.
func (c *usersTrailCommand) Run(ctx context.Context, out io.Writer) error {
	var text json.RawMessage
	if err := c.client().Call(ctx, http.MethodGet, usersPath(c.User, "trail"), "", nil, &text); err != nil {
		return err
	}
	if c.json() {
		return operator.WriteJSON(out, text)
	}
	var found struct {
		Partial  bool              `json:"partial"`
		Refusals []json.RawMessage `json:"refusals"`
		Orders   []json.RawMessage `json:"orders"`
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return fmt.Errorf("read the trail: %w", err)
	}
	err := errors.Join(
		operator.WriteTable(out, "LAST=last_at, METHOD=method, PATH=path, CODE=code, TIMES=count, "+
			"REQUEST ID=last_request_id, KEY=idempotency_key", found.Refusals),
		line(out, ""),
		operator.WriteTable(out, "ORDER=order_number, PLACED=placed_at, STATUS=status, AMOUNT=total_amount$, "+
			"CURRENCY=currency", found.Orders))
	if err == nil && found.Partial {
		err = line(out, "An instance or a store did not answer: more may have happened.")
	}
	return err
}

type usersExportCommand struct {
	remote
	User string `arg:"" help:"User id."`
}

// Run prints the export.
func (c *usersExportCommand) Run(ctx context.Context, out io.Writer) error {
	return printOne(ctx, c.client(), out, usersPath(c.User, "export"))
}

type usersEraseCommand struct {
	remote
	User    string `arg:"" help:"User id."`
	Confirm string `help:"The user id again: an erasure can't be undone." required:""`
}

// Run erases the buyer.
func (c *usersEraseCommand) Run(ctx context.Context, out io.Writer) error {
	var erased client.Erased
	body := map[string]string{"confirm": c.Confirm}
	if err := c.client().Call(ctx, http.MethodPost, usersPath(c.User, "erase"), "", body, &erased); err != nil {
		return err
	}
	done := "Nothing is stored of this user."
	if erased.Pseudonym != "" {
		done = fmt.Sprintf("The user is erased. Orders that belong to %s now: %d.", erased.Pseudonym, erased.Orders)
	}
	if erased.Partial {
		done += "\nAn instance did not confirm that it forgot what the user was refused. It will within a day."
	}
	return line(out, done)
}
