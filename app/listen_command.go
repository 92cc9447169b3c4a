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
	"onrush/modules/events/delivery"
	"onrush/modules/loop"
	"onrush/web/client"
)

const (
	listenEvery  = 500 * time.Millisecond // between reads of the feed
	listenWithin = 10 * time.Second       // for one request
	listenPage   = 100                    // events of one read
	listenAnswer = 16 << 20               // bytes of an answer; an event has 64 KB at most
)

// listenCommand shows the events of a running program, for the development of what receives them.
type listenCommand struct {
	remote
	ForwardTo string   `required:"" help:"URL to which events are sent, such as http://127.0.0.1:3000/events."`
	Types     []string `help:"Types of events, such as order.paid. Empty: all."`
	After     int64    `help:"Id of the event after which to begin. Default: from now on." default:"-1"`

	Secret     string `help:"Secret that signs the requests, whsec_…" env:"ONRUSH_LISTEN_SECRET" xor:"secret"`
	SecretFile string `help:"File that keeps it. Default: one in your config folder." xor:"secret"`
}

// Run prints and forwards events until a signal comes.
func (c *listenCommand) Run(ctx context.Context, out io.Writer) error {
	secret, file, err := c.signingSecret()
	if err != nil {
		return err
	}
	l := &listener{
		program: c.client(), target: c.ForwardTo, types: c.Types, out: out,
		secret: secret, secretFile: file, every: listenEvery,
		client: &http.Client{Timeout: listenWithin, CheckRedirect: client.KeepRedirects},
	}
	return l.run(ctx, c.After)
}

// listener reads the feed of a program and sends its events to a URL.
type listener struct {
	program *operator.Client
	client  *http.Client // of the target
	target  string
	types   []string
	secret  string
	// secretFile is the file that keeps the secret; "" if none does.
	secretFile string
	every      time.Duration
	out        io.Writer

	away bool // whether it was printed that the program doesn't answer
}

// run prints and forwards the events after an id, -1 for those from now on, until ctx ends.
func (l *listener) run(ctx context.Context, after int64) error {
	if target, err := url.Parse(l.target); err != nil || target.Host == "" {
		return errors.New("--forward-to must be a URL such as http://127.0.0.1:3000/events")
	}
	kept := ""
	if l.secretFile != "" {
		kept = ", kept in " + l.secretFile
	}
	l.printf("Each request is signed with the secret %s%s\n", l.secret, kept)
	for ctx.Err() == nil {
		next, more, err := l.step(ctx, after)
		switch {
		case errors.As(err, new(*operator.Refusal)):
			return err
		case err != nil && !l.away && ctx.Err() == nil:
			l.away = true
			l.printf("%s doesn't answer, trying again: %v\n", l.program.Base(), err)
		case err == nil && l.away:
			l.away = false
			l.printf("%s answers again\n", l.program.Base())
		}
		after = next
		if more {
			continue
		}
		_ = loop.Wait(ctx, l.every)
	}
	return nil
}

func (l *listener) printf(format string, args ...any) { _, _ = fmt.Fprintf(l.out, format, args...) }

// step forwards one page of events after an id.
func (l *listener) step(ctx context.Context, after int64) (next int64, more bool, err error) {
	if after < 0 {
		if after, err = l.program.LastEvent(ctx); err != nil {
			return -1, false, err
		}
		l.printf("Waiting for events after %d\n", after)
	}
	p, err := l.program.Events(ctx, after, listenPage, l.types)
	if err != nil {
		return after, false, err
	}
	for _, event := range p.Items {
		l.forward(ctx, event)
	}
	return p.NextCursor, p.More, nil
}

// forward sends an event once, and prints a line about it.
func (l *listener) forward(ctx context.Context, event json.RawMessage) {
	var about struct {
		ID   string `json:"event_id"`
		Type string `json:"type"`
		At   string `json:"at"`
	}
	if err := json.Unmarshal(event, &about); err != nil {
		l.printf("an event can't be read: %v\n", err)
		return
	}
	l.printf("%s %s %s → %s\n", about.At, about.ID, about.Type, l.post(ctx, about.ID, event))
}

// post returns what became of a request.
func (l *listener) post(ctx context.Context, id string, event json.RawMessage) string {
	req, err := delivery.NewRequest(ctx, l.target,
		delivery.Message{ID: "evt_" + id, At: time.Now(), Body: event, Secrets: []string{l.secret}})
	if err != nil {
		return err.Error()
	}
	res, err := l.client.Do(req)
	if err != nil {
		return err.Error()
	}
	_, _ = io.CopyN(io.Discard, res.Body, listenAnswer) // so that the connection can be used again
	_ = res.Body.Close()
	return res.Status
}
