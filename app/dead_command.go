package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"onrush/app/operator"
)

type deadCommand struct {
	List    deadListCommand    `cmd:"" default:"withargs" help:"List the dead entries."`
	Show    deadShowCommand    `cmd:"" help:"Print a dead entry, as JSON."`
	Replay  deadReplayCommand  `cmd:"" help:"Put a dead entry, or all of a reason, back into the queue."`
	Discard deadDiscardCommand `cmd:"" help:"Discard a dead entry: its units are sold again, and its order fails."`
}

const deadPath = "/admin/api/v1/queue/dead"

func deadEntry(id string) string { return deadPath + "/" + url.PathEscape(id) }

type deadListCommand struct {
	remote
	outputFlag
	Reason   string    `help:"Only entries with this reason, such as no_record."`
	Activity string    `help:"Only entries of this sale."`
	From     time.Time `help:"Only entries that died at this time or later."`
	To       time.Time `help:"Only entries that died before this time."`
	Limit    int       `help:"How many at most." default:"50"`
}

// Run prints the dead entries of all lanes.
func (c *deadListCommand) Run(ctx context.Context, out io.Writer) error {
	query := url.Values{}
	setQuery(query, "reason", c.Reason)
	setQuery(query, "activity_id", c.Activity)
	setSpan(query, c.From, c.To)
	return printList(ctx, c.client(), out, list{
		path: deadPath, query: query, limit: c.Limit, json: c.json(),
		columns: []operator.Column{
			{Heading: "ENTRY", Field: "dead_id"},
			{Heading: "DIED", Field: "at"},
			{Heading: "REASON", Field: "reason"},
			{Heading: "ORDER", Field: "order_number"},
			{Heading: "ACTIVITY", Field: "activity_id"},
			{Heading: "USER", Field: "user_id"},
			{Heading: "DETAIL", Field: "detail"},
		},
	})
}

type deadShowCommand struct {
	remote
	Entry string `arg:"" help:"Id of the entry, as the list shows it."`
}

// Run prints an entry. No route shows one alone, so it is searched for in the list.
func (c *deadShowCommand) Run(ctx context.Context, out io.Writer) error {
	for item, err := range c.client().List(ctx, deadPath, url.Values{}) {
		if err != nil {
			return err
		}
		var entry struct {
			ID string `json:"dead_id"`
		}
		if err := json.Unmarshal(item, &entry); err != nil {
			return fmt.Errorf("read a dead entry: %w", err)
		}
		if entry.ID == c.Entry {
			return operator.WriteJSON(out, item)
		}
	}
	return fmt.Errorf("there is no dead entry %s", c.Entry)
}

type deadReplayCommand struct {
	remote
	outputFlag
	Entry    string `arg:"" optional:"" help:"Id of the entry. Without it: all entries of --reason."`
	Reason   string `help:"Replay all entries with this reason."`
	Activity string `help:"With --reason: only entries of this sale."`
}

// Run puts entries back into their queues.
func (c *deadReplayCommand) Run(ctx context.Context, out io.Writer) error {
	switch {
	case (c.Entry == "") == (c.Reason == ""):
		return errors.New("pass the id of an entry, or --reason")
	case c.Entry != "" && c.Activity != "":
		return errors.New("--activity needs --reason, not the id of an entry")
	case c.Entry != "":
		return post(ctx, c.client(), out, c.json(), deadEntry(c.Entry)+"/replay", nil,
			c.Entry+" is in the queue again.")
	}
	body := map[string]string{"reason": c.Reason}
	if c.Activity != "" {
		body["activity_id"] = c.Activity
	}
	var done struct {
		Replayed  int64 `json:"replayed"`
		Remaining int64 `json:"remaining"`
	}
	client, replayed := c.client(), int64(0)
	for { // the program does a bounded number in one call
		if err := client.Call(ctx, http.MethodPost, deadPath+":replay", "", body, &done); err != nil {
			return fmt.Errorf("replayed before: %d: %w", replayed, err)
		}
		if replayed += done.Replayed; done.Replayed == 0 || done.Remaining == 0 {
			break
		}
	}
	if c.json() {
		return operator.WriteJSON(out, map[string]int64{"replayed": replayed, "remaining": done.Remaining})
	}
	_, err := fmt.Fprintf(out, "Entries in the queue again: %d. Remaining: %d.\n", replayed, done.Remaining)
	return err
}

type deadDiscardCommand struct {
	remote
	outputFlag
	confirmFlag
	Entry string `arg:"" help:"Id of the entry."`
}

// Run discards an entry.
func (c *deadDiscardCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	if err := c.agreed(in, out, c.json(), "The order of entry %s will fail, and its units be sold again.",
		c.Entry); err != nil {
		return err
	}
	return post(ctx, c.client(), out, c.json(), deadEntry(c.Entry)+"/discard", nil, c.Entry+" is discarded.")
}
