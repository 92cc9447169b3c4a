package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"onrush/app/operator"
	"onrush/web/client"
)

type queueCommand struct{ calling }

// Run prints the queues of the lanes, and who paused the movers.
func (c *queueCommand) Run(ctx context.Context, out io.Writer) error {
	var answer struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := c.client().Get(ctx, "/admin/api/v1/queue", &answer); err != nil {
		return err
	}
	if err := c.printItems(out, answer.Items,
		"LANE=lane, LENGTH=length, OLDEST MS=oldest_ms, DEAD=dead, OLDEST DEAD MS=oldest_dead_ms"); err != nil ||
		c.json() || len(answer.Items) == 0 {
		return err
	}
	var lane client.LaneQueue
	if err := json.Unmarshal(answer.Items[0], &lane); err != nil {
		return fmt.Errorf("read a lane: %w", err)
	}
	return tellPause(out, "move_orders", lane.PausedBy, lane.PausedAt)
}

// tellPause says that a job is paused, if it is: by is who paused it, or "".
func tellPause(out io.Writer, job, by string, at time.Time) error {
	if by == "" {
		return nil
	}
	return line(out, fmt.Sprintf("%s is paused by %s since %s: onrush jobs resume %[1]s lets it run again.", job, by,
		at.UTC().Format(operator.TimeFormat)))
}
