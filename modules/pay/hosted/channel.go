package hosted

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"time"

	"onrush/modules/panics"
	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
	"onrush/modules/problem"
	"onrush/modules/refusals"
)

const (
	// maxNotification is the longest notification that is read, in bytes.
	maxNotification = 256 << 10
	// parseWithin bounds the reading of a notification: gateways wait a few seconds for the answer.
	parseWithin = 2 * time.Second
	// maxParsing is how many notifications may be read at the same time. Strangers send notifications, too.
	maxParsing = 64
)

var names = regexp.MustCompile(`^[a-z]{1,16}$`)

// reserved are the names of the channels that the program has itself.
var reserved = map[string]bool{
	"sandbox": true, "stripe": true, "wechat": true, "alipay": true, "outside": true, "free": true,
}

// CheckName returns why a channel can't have a name.
func CheckName(name string) error {
	switch {
	case !names.MatchString(name):
		return fmt.Errorf("gateway %q: its name must be 1 to 16 of a-z", name)
	case reserved[name]:
		return fmt.Errorf("gateway %q: the program has a channel of this name", name)
	}
	return nil
}

// Deps are what a Channel works with.
type Deps struct {
	Now       func() time.Time
	Log       *slog.Logger
	NotifyURL string // where the gateway sends its notifications
}

// Channel is the pay.Gateway over a Gateway.
type Channel struct {
	name      string
	gateway   Gateway
	notifyURL string
	now       func() time.Time
	calls     *gateway.Calls
	parsing   chan struct{}
	panics    *refusals.Log
}

var _ pay.Gateway = (*Channel)(nil)

// New returns the channel of a name that CheckName accepts.
func New(name string, g Gateway, d Deps) *Channel {
	return &Channel{
		name: name, gateway: g, notifyURL: d.NotifyURL, now: d.Now, calls: gateway.NewCalls(d.Now),
		parsing: make(chan struct{}, maxParsing), panics: refusals.NewAt(slog.LevelError, d.Now, d.Log),
	}
}

// Channel returns the name.
func (c *Channel) Channel() string { return c.name }

// Acknowledge returns an object: gateways need only a 2xx status.
func (c *Channel) Acknowledge() (contentType string, body []byte) {
	return "application/json", []byte(`{"received":true}`)
}

// Calls is what gateway.Called says.
func (c *Channel) Calls() (resting bool, underWay int) { return c.calls.State() }

// CloseIdleConnections lets a gateway that keeps connections close them.
func (c *Channel) CloseIdleConnections() {
	if g, ok := c.gateway.(interface{ CloseIdleConnections() }); ok {
		g.CloseIdleConnections()
	}
}

// Begin begins a payment.
func (c *Channel) Begin(ctx context.Context, p *pay.Payment) (pay.Next, error) {
	payment := c.payment(p) // before the call, which may outlast this one
	next, err := run(ctx, c, "begin", func(ctx context.Context) (Next, error) {
		return c.gateway.Begin(ctx, payment)
	})
	if err == nil {
		err = checkNext(&next)
	}
	if err != nil {
		return pay.Next{}, c.failed("begin", err)
	}
	return pay.Next(next), nil
}

// Query returns the state of a payment.
func (c *Channel) Query(ctx context.Context, p *pay.Payment) (pay.Found, error) {
	payment := c.payment(p)
	found, err := run(ctx, c, "query", func(ctx context.Context) (Found, error) {
		return c.gateway.Query(ctx, payment)
	})
	if err == nil {
		err = checkFound(&found)
	}
	if err != nil {
		return pay.Found{}, c.failed("query", err)
	}
	return pay.Found{
		Paid: found.Paid, Closed: found.Closed, TransactionID: found.Transaction, Amount: found.Amount,
		Currency: found.Currency,
	}, nil
}

// Close closes a payment.
func (c *Channel) Close(ctx context.Context, p *pay.Payment) error {
	payment := c.payment(p)
	_, err := run(ctx, c, "close", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, c.gateway.Close(ctx, payment)
	})
	return c.failed("close", err)
}

// Refund gives money back.
func (c *Channel) Refund(ctx context.Context, r *pay.Refund) error {
	refund := Refund{
		Number: r.GatewayNumber(), Payment: r.Payment.String(), Transaction: r.Transaction, Amount: r.Amount,
		Currency: r.Currency,
	}
	_, err := run(ctx, c, "refund", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, c.gateway.Refund(ctx, refund)
	})
	return c.failed("refund", err)
}

// Verify reads a notification. It is no call of the gateway's: strangers make it happen.
func (c *Channel) Verify(header http.Header, body []byte) (pay.Notification, error) {
	if len(body) > maxNotification {
		return pay.Notification{}, fmt.Errorf("%w: %d bytes are more than a notification has", pay.ErrSignature,
			len(body))
	}
	select {
	case c.parsing <- struct{}{}:
	default:
		return pay.Notification{}, fmt.Errorf("%w: too many notifications are being read", pay.ErrUnavailable)
	}
	ctx, cancel := context.WithTimeout(context.Background(), parseWithin)
	defer cancel()
	n, err := await(ctx, func() (Notification, error) {
		defer func() { <-c.parsing }()
		return recovered(ctx, c, "parse", func() (Notification, error) { return c.gateway.Parse(header, body) })
	})
	if n.Kind == Disputed && n.AtMS == 0 {
		n.AtMS = c.now().UnixMilli() // one that says no time is the newest
	}
	var notification pay.Notification
	if err == nil {
		notification, err = read(&n)
	}
	if errors.Is(err, pay.ErrUnreadable) { // its author mends that, and sends it again
		return pay.Notification{}, &problem.Error{
			Code: problem.CodeInvalidRequest, Detail: "The notification can't be read: " + err.Error() + ".", Err: err,
		}
	}
	return notification, c.failed("parse", err)
}

func (c *Channel) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", c.name, what, err)
}

// payment returns a payment as a Gateway sees it.
func (c *Channel) payment(p *pay.Payment) Payment {
	orders := make([]string, len(p.Orders))
	for i, o := range p.Orders {
		orders[i] = o.Order.String()
	}
	return Payment{
		Number: p.Number.String(), User: p.User, Amount: p.Amount, Currency: p.Currency, Orders: orders, Goods: p.Goods,
		ReturnURL: p.ReturnURL, NotifyURL: c.notifyURL, ExpiresMS: p.ExpiresMS,
	}
}

// run calls the gateway. When ctx ends, it returns, also if the call does not; the call's place is then free when the
// call ends.
func run[T any](ctx context.Context, c *Channel, what string, call func(context.Context) (T, error)) (T, error) {
	var none T
	place, err := c.calls.Begin(ctx)
	if err != nil {
		return none, err
	}
	result, err := await(ctx, func() (T, error) {
		defer place.Leave()
		result, err := recovered(ctx, c, what, func() (T, error) { return call(ctx) })
		place.End(silence(ctx, err))
		return result, err
	})
	if ctx.Err() != nil {
		place.End(ctx.Err())
	}
	return result, err
}

// silence returns the error of a call that the gateway decided nothing in, or nil.
func silence(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, pay.ErrUnavailable) {
		return err
	}
	return nil
}

// recovered calls call. If it panics, nothing is known of what the gateway did.
func recovered[T any](ctx context.Context, c *Channel, what string, call func() (T, error)) (T, error) {
	result, err := panics.RecoveredValue(call)
	if panicked, ok := errors.AsType[*panics.Error](err); ok {
		cause := fmt.Errorf("panic: %v, at %s", panicked.Value, panicked.At) // the stack differs each time
		c.panics.Report(ctx, "call of a gateway", "channel", c.name+" "+what, cause,
			slog.String("stack", string(panicked.Stack)))
		return result, fmt.Errorf("%w: it panicked at %s", pay.ErrUnavailable, panicked.At)
	}
	return result, err
}

// await returns what call returns, or ErrUnavailable if ctx ends before.
func await[T any](ctx context.Context, call func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := call()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("%w: it did not return: %w", pay.ErrUnavailable, ctx.Err())
	}
}
