package main

import (
	"context"
	crand "crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"onrush/web/client"
)

const deliveriesPath = "/admin/api/v1/deliveries"

type endpointsEnableCommand struct {
	calling
	Endpoint string `arg:"" help:"Id of the endpoint."`
}

// Run switches an endpoint on, unless somebody changes it meanwhile. What happened since it was switched off is sent.
func (c *endpointsEnableCommand) Run(ctx context.Context, out io.Writer) error {
	path := endpointsPath + "/" + url.PathEscape(c.Endpoint)
	var had client.EndpointRequest
	if err := c.client().Get(ctx, path, &had); err != nil {
		return err
	}
	on := true
	had.Enabled = &on
	return c.send(ctx, out, http.MethodPut, path, "", had, c.Endpoint+" is enabled.")
}

type endpointsDeliveriesCommand struct {
	listing
	Endpoint string `arg:"" help:"Id of the endpoint."`
	Delivery string `arg:"" optional:"" help:"Id of a delivery to show, with its event. Without it: a list."`
	Status   string `help:"waiting, delivered or failed."`
}

// Run prints one delivery or a list, the newest events first.
func (c *endpointsDeliveriesCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Delivery != "" {
		return printOne(ctx, c.client(), out, deliveriesPath+"/"+url.PathEscape(c.Delivery))
	}
	query := filter("status", c.Status)
	return c.list(ctx, out, endpointsPath+"/"+url.PathEscape(c.Endpoint)+"/deliveries", query,
		"DELIVERY=delivery_id, TYPE=type, STATUS=status, ATTEMPTS=attempts, AT=at, "+
			"NEXT=next_attempt_at, ANSWERED=status_code, ERROR=error")
}

type endpointsResendCommand struct {
	calling
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
	for name, text := range filter("after", c.After, "up_to", c.UpTo, "from", utc(c.From), "to", utc(c.To)) {
		body[name] = text[0]
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
	return withKey(c.send(ctx, out, http.MethodPost, path, c.Key, sent, what), c.Key)
}
