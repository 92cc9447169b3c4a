package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"

	"onrush/app/server"
	"onrush/modules/pay"
)

// askWithin bounds each question to a gateway and to a webhook, so that a gateway that hangs takes no time from the
// others.
const askWithin = 5 * time.Second

// channels checks the payment channels that are on, and whether their gateways can reach their webhooks, as far as that
// can be seen from here.
func (d *Doctor) channels(ctx context.Context) {
	on := d.cfg.Channels(d.now)
	if len(on) == 0 && !d.cfg.Embedded() {
		d.add("payments", Warning, "no channel is on: orders can't be paid",
			"docs/operating/money.md has their settings")
	}
	for _, channel := range on {
		name := "payments " + channel.Name
		switch {
		case channel.Err != nil:
			d.add(name, Failure, problems(channel.Err), "")
		case channel.Test:
			d.add(name, Warning, "of test mode: orders are paid and no money moves", "")
		default:
			d.add(name, OK, "its settings are complete", "")
		}
		if channel.Probe != nil {
			d.gateway(ctx, name+" gateway", channel.Probe)
		}
		if !d.cfg.Embedded() {
			d.webhook(ctx, name+" webhook", channel)
		}
	}
}

// gateway asks a gateway for a payment that doesn't exist.
func (d *Doctor) gateway(ctx context.Context, name string, probe func(ctx context.Context) error) {
	ctx, called := follow(ctx)
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	switch err := probe(ctx); {
	case err == nil:
		d.add(name, OK, "it answers and takes the settings", "")
	case errors.Is(err, pay.ErrUnavailable):
		detail, advice := called.failed(err)
		d.add(name, Failure, detail, advice)
	default:
		d.add(name, Failure, "it refuses the settings: "+err.Error(),
			"compare keys and ids with the merchant's account")
	}
}

// webhook sends a notification without a signature and a body: only Onrush refuses it with its own problem, and it logs
// no such refusal.
func (d *Doctor) webhook(ctx context.Context, name string, channel server.Channel) {
	if d.cfg.PublicURL == "" {
		d.add(name, Warning, "ONRUSH_PUBLIC_URL is not set, so it is "+channel.Webhook,
			"set it to the address that the gateway can reach")
	}
	if !channel.Test && !strings.HasPrefix(channel.Webhook, "https://") {
		d.add(name, Warning, channel.Webhook+" is not https", "let a proxy end TLS before the program")
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	res, called, err := d.post(ctx, name, "ONRUSH_PUBLIC_URL", channel.Webhook, "")
	if errors.Is(err, syscall.ECONNREFUSED) {
		d.add(name, Warning, channel.Webhook+" can't be reached yet: nothing listens there",
			"before the first start that is right; ask again when the program runs, or check port and proxy")
		return
	}
	if err != nil {
		detail, advice := called.failed(err)
		d.add(name, Failure, detail, advice)
		return
	}
	defer func() { _ = res.Body.Close() }()
	var problem struct {
		Type string `json:"type"`
	}
	const most = 64 << 10 // bytes that are read
	_ = json.NewDecoder(io.LimitReader(res.Body, most)).Decode(&problem)
	known := strings.HasPrefix(problem.Type, "urn:onrush:")
	if !known && (res.StatusCode == http.StatusBadGateway || res.StatusCode == http.StatusServiceUnavailable) {
		d.add(name, Warning, channel.Webhook+" can't be reached yet: its proxy answers "+res.Status,
			"before the first start that is right; ask again when the program runs, or check the proxy")
		return
	}
	if !known {
		d.add(name, Failure, channel.Webhook+" answers "+res.Status+", but not as Onrush does",
			"check the proxy: it must pass POST requests under /webhooks/pay/")
		return
	}
	d.add(name, OK, channel.Webhook+" answers", "")
}
