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
	"onrush/web/client"
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
	listing
	Reason   string    `help:"Only entries with this reason, such as no_record."`
	Activity string    `help:"Only entries of this sale."`
	From     time.Time `help:"Only entries that died at this time or later."`
	To       time.Time `help:"Only entries that died before this time."`
}

// Run prints the dead entries of all lanes.
func (c *deadListCommand) Run(ctx context.Context, out io.Writer) error {
	query := filter("reason", c.Reason, "activity_id", c.Activity, "from", utc(c.From), "to", utc(c.To))
	return c.list(ctx, out, deadPath, query,
		"ENTRY=dead_id, DIED=at, REASON=reason, ORDER=order_number, ACTIVITY=activity_id, USER=user_id, "+
			"DETAIL=detail")
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
		var entry client.Dead
		if err := json.Unmarshal(item, &entry); err != nil {
			return fmt.Errorf("read a dead entry: %w", err)
		}
		if entry.DeadID == c.Entry {
			return operator.WriteJSON(out, item)
		}
	}
	return fmt.Errorf("there is no dead entry %s", c.Entry)
}

type deadReplayCommand struct {
	calling
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
		return c.send(ctx, out, http.MethodPost, deadEntry(c.Entry)+"/replay", "", nil,
			c.Entry+" is in the queue again.")
	}
	body := map[string]string{"reason": c.Reason}
	if c.Activity != "" {
		body["activity_id"] = c.Activity
	}
	var done client.ReplayedDead
	caller, replayed := c.client(), int64(0)
	for { // the program does a bounded number in one call
		if err := caller.Call(ctx, http.MethodPost, deadPath+":replay", "", body, &done); err != nil {
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
	calling
	confirmFlag
	Entry string `arg:"" help:"Id of the entry."`
}

// Run discards an entry.
func (c *deadDiscardCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	if err := c.agreed(in, out, c.json(), "The order of entry %s will fail, and its units be sold again.",
		c.Entry); err != nil {
		return err
	}
	return c.send(ctx, out, http.MethodPost, deadEntry(c.Entry)+"/discard", "", nil, c.Entry+" is discarded.")
}
