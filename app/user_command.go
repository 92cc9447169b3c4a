package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"onrush/app/operator"
)

type userCommand struct {
	Export userExportCommand `cmd:"" help:"Print what is stored of a buyer, as JSON."`
	Erase  userEraseCommand  `cmd:"" help:"Erase a buyer for good: a pseudonym replaces the user id."`
}

func userPath(user, action string) string {
	return "/admin/api/v1/users/" + url.PathEscape(user) + "/" + action
}

type userExportCommand struct {
	remote
	User string `arg:"" help:"User id."`
}

// Run prints the export.
func (c *userExportCommand) Run(ctx context.Context, out io.Writer) error {
	var export json.RawMessage
	if err := c.client().Call(ctx, http.MethodGet, userPath(c.User, "export"), "", nil, &export); err != nil {
		return err
	}
	return operator.WriteJSON(out, export)
}

type userEraseCommand struct {
	remote
	User    string `arg:"" help:"User id."`
	Confirm string `help:"The user id again: an erasure can't be undone." required:""`
}

// Run erases the buyer.
func (c *userEraseCommand) Run(ctx context.Context, out io.Writer) error {
	var erased struct {
		Pseudonym string `json:"pseudonym"`
		Orders    int    `json:"orders"`
	}
	body := map[string]string{"confirm": c.Confirm}
	if err := c.client().Call(ctx, http.MethodPost, userPath(c.User, "erase"), "", body, &erased); err != nil {
		return err
	}
	if erased.Pseudonym == "" {
		_, err := fmt.Fprintln(out, "Nothing is stored of this user.")
		return err
	}
	_, err := fmt.Fprintf(out, "The user is erased: %d orders belong to %s.\n", erased.Orders, erased.Pseudonym)
	return err
}
