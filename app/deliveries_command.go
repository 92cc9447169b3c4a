package main

import (
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"onrush/app/operator"
)

const deliveriesPath = "/admin/api/v1/deliveries"

type endpointsEnableCommand struct {
	remote
	outputFlag
	Endpoint string `arg:"" help:"Id of the endpoint."`
}

// Run switches an endpoint on, unless somebody changes it meanwhile. What happened since it was switched off is sent.
func (c *endpointsEnableCommand) Run(ctx context.Context, out io.Writer) error {
	client, path := c.client(), endpointsPath+"/"+url.PathEscape(c.Endpoint)
	var had struct {
		URL     string   `json:"url"`
		Types   []string `json:"types,omitempty"`
		Enabled bool     `json:"enabled"`
		Version int64    `json:"version"`
	}
	if err := client.Get(ctx, path, &had); err != nil {
		return err
	}
	had.Enabled = true
	var now json.RawMessage
	if err := client.Call(ctx, http.MethodPut, path, "", had, &now); err != nil {
		return err
	}
	if c.json() {
		return operator.WriteJSON(out, now)
	}
	return line(out, c.Endpoint+" is enabled.")
}

type endpointsDeliveriesCommand struct {
	remote
	outputFlag
	Endpoint string `arg:"" help:"Id of the endpoint."`
	Delivery string `arg:"" optional:"" help:"Id of a delivery to show, with its event. Without it: a list."`
	Status   string `help:"waiting, delivered or failed."`
	Limit    int    `help:"How many at most." default:"50"`
}

// Run prints one delivery or a list, the newest events first.
func (c *endpointsDeliveriesCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Delivery != "" {
		return printOne(ctx, c.client(), out, deliveriesPath+"/"+url.PathEscape(c.Delivery))
	}
	query := url.Values{}
	setQuery(query, "status", c.Status)
	return printList(ctx, c.client(), out, list{
		path: endpointsPath + "/" + url.PathEscape(c.Endpoint) + "/deliveries", query: query, limit: c.Limit,
		json: c.json(), columns: []operator.Column{
			{Heading: "DELIVERY", Field: "delivery_id"},
			{Heading: "TYPE", Field: "type"},
			{Heading: "STATUS", Field: "status"},
			{Heading: "ATTEMPTS", Field: "attempts"},
			{Heading: "AT", Field: "at"},
			{Heading: "NEXT", Field: "next_attempt_at"},
			{Heading: "ANSWERED", Field: "status_code"},
			{Heading: "ERROR", Field: "error"},
		},
	})
}

type endpointsResendCommand struct {
	remote
	outputFlag
	Endpoint string    `arg:"" help:"Id of the endpoint."`
	Delivery string    `arg:"" optional:"" help:"Id of the delivery to send again. Without it: a span of events."`
	From     time.Time `help:"Events of this time or later, such as 2026-06-01T13:00:00Z."`
	To       time.Time `help:"Events before this time."`
	After    string    `help:"Events with a greater id."`
	UpTo     string    `help:"Events up to this id."`
	Key      string    `help:"Idempotency-Key: repeat a call whose answer was lost with the key that it printed."`
}

// Run sends one delivery or a span of events again, once per key.
func (c *endpointsResendCommand) Run(ctx context.Context, out io.Writer) error {
	path, body := endpointsPath+"/"+url.PathEscape(c.Endpoint)+"/resend", map[string]any{}
	for name, text := range map[string]string{"after": c.After, "up_to": c.UpTo} {
		if text != "" {
			body[name] = text
		}
	}
	for name, at := range map[string]time.Time{"from": c.From, "to": c.To} {
		if !at.IsZero() {
			body[name] = at
		}
	}
	var sent any = body
	what := "The events are being sent to " + c.Endpoint + "."
	if c.Delivery != "" {
		if len(body) > 0 {
			return errors.New("give a delivery or a span of events, not both")
		}
		path, sent = deliveriesPath+"/"+url.PathEscape(c.Delivery)+"/resend", nil
		what = c.Delivery + " is being sent to " + c.Endpoint + "."
	}
	if c.Key == "" {
		c.Key = crand.Text()
	}
	var answer json.RawMessage
	if err := c.client().Call(ctx, http.MethodPost, path, c.Key, sent, &answer); err != nil {
		return withKey(err, c.Key)
	}
	if c.json() {
		return operator.WriteJSON(out, answer)
	}
	return line(out, what)
}
