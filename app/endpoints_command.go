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

type endpointsCommand struct {
	List   endpointsListCommand   `cmd:"" default:"withargs" help:"List the endpoints."`
	Show   endpointsShowCommand   `cmd:"" help:"Print an endpoint, as JSON."`
	Create endpointsCreateCommand `cmd:"" help:"Make an endpoint, and print its secret, which is shown only then."`
	Test   endpointsTestCommand   `cmd:"" help:"Send a test event to an endpoint, and print the answer."`
	Rotate endpointsRotateCommand `cmd:"" help:"Give an endpoint a new secret, and print it: it is shown only then."`
	Enable endpointsEnableCommand `cmd:"" help:"Send to an endpoint again that was switched off."`
	Delete endpointsDeleteCommand `cmd:"" help:"Delete an endpoint; what waits for it is not sent any more."`

	Deliveries endpointsDeliveriesCommand `cmd:"" help:"List what was sent to an endpoint, or show one delivery."`
	Resend     endpointsResendCommand     `cmd:"" help:"Send events again: all events of a time, or one delivery."`
}

const endpointsPath = "/admin/api/v1/endpoints"

type endpointsListCommand struct{ listing }

// Run prints the endpoints.
func (c *endpointsListCommand) Run(ctx context.Context, out io.Writer) error {
	return c.list(ctx, out, endpointsPath, url.Values{},
		"ENDPOINT=endpoint_id, ENABLED=enabled, WAITING=waiting, LAST SUCCESS=last_success_at, "+
			"FAILING SINCE=failing_since, SWITCHED OFF=disabled_reason, TYPES=types, URL=url")
}

type endpointsShowCommand struct {
	remote
	Endpoint string `arg:"" help:"Id of the endpoint."`
}

// Run prints an endpoint.
func (c *endpointsShowCommand) Run(ctx context.Context, out io.Writer) error {
	return printOne(ctx, c.client(), out, endpointsPath+"/"+url.PathEscape(c.Endpoint))
}

type endpointsCreateCommand struct {
	calling
	Endpoint string   `arg:"" help:"Id of the endpoint, which you choose."`
	URL      string   `arg:"" name:"url" help:"Where events are sent."`
	Types    []string `help:"Types of events, such as order.paid. Empty: all."`
}

// Run makes an endpoint. With the text output, standard output has the secret only.
func (c *endpointsCreateCommand) Run(ctx context.Context, out io.Writer) error {
	body := client.EndpointRequest{URL: c.URL, Types: c.Types}
	var made json.RawMessage
	err := c.client().Create(ctx, endpointsPath+"/"+url.PathEscape(c.Endpoint), body, &made)
	return c.printSecret(out, made, err)
}

type endpointsTestCommand struct {
	calling
	Endpoint string `arg:"" help:"Id of the endpoint."`
}

// Run sends a test event, and fails if the endpoint doesn't accept it.
func (c *endpointsTestCommand) Run(ctx context.Context, out io.Writer) error {
	var answer json.RawMessage
	path := endpointsPath + "/" + url.PathEscape(c.Endpoint) + "/test"
	if err := c.client().Call(ctx, http.MethodPost, path, "", nil, &answer); err != nil {
		return err
	}
	var test client.EndpointTest
	err := json.Unmarshal(answer, &test)
	switch {
	case err != nil:
		return fmt.Errorf("read the result of the test: %w", err)
	case c.json():
		err = operator.WriteJSON(out, answer)
	case test.StatusCode != 0:
		_, err = fmt.Fprintf(out, "%s was answered %d in %d ms: %q\n",
			test.WebhookID, test.StatusCode, test.DurationMs, test.Answer)
	default:
		_, err = fmt.Fprintf(out, "%s was not answered: %q\n", test.WebhookID, test.Error)
	}
	if err == nil && !test.Accepted {
		err = errors.New("the endpoint doesn't accept events")
	}
	return err
}

type endpointsRotateCommand struct {
	calling
	Endpoint string `arg:"" help:"Id of the endpoint."`
}

// Run makes a new secret; for 24 hours the one before it signs as well.
func (c *endpointsRotateCommand) Run(ctx context.Context, out io.Writer) error {
	var answer json.RawMessage
	path := endpointsPath + "/" + url.PathEscape(c.Endpoint) + "/rotate"
	err := c.client().Call(ctx, http.MethodPost, path, "", nil, &answer)
	return c.printSecret(out, answer, err)
}

type endpointsDeleteCommand struct {
	remote
	confirmFlag
	Endpoint string `arg:"" help:"Id of the endpoint."`
}

// Run deletes an endpoint.
func (c *endpointsDeleteCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return deleteItem(ctx, c.client(), in, out, &c.confirmFlag, endpointsPath, c.Endpoint)
}
