package hosted_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/hosted"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// gateway answers what a test sets.
type gateway struct {
	begin func(ctx context.Context) (hosted.Next, error)
	query func() (hosted.Found, error)
	parse func() (hosted.Notification, error)
	err   error
}

func (g *gateway) Begin(ctx context.Context, _ hosted.Payment) (hosted.Next, error) {
	return g.begin(ctx)
}
func (g *gateway) Query(context.Context, hosted.Payment) (hosted.Found, error) { return g.query() }
func (g *gateway) Close(context.Context, hosted.Payment) error                 { return g.err }
func (g *gateway) Refund(context.Context, hosted.Refund) error                 { return g.err }
func (g *gateway) Parse(http.Header, []byte) (hosted.Notification, error)      { return g.parse() }

func channel(t *testing.T, g hosted.Gateway) (c *hosted.Channel, log *bytes.Buffer) {
	t.Helper()
	log = &bytes.Buffer{}
	return hosted.New("acme", g, hosted.Deps{
		Now: time.Now, Log: slog.New(slog.NewTextHandler(log, nil)),
		NotifyURL: "https://shop.example/webhooks/pay/acme",
	}), log
}

func payment() *pay.Payment {
	return &pay.Payment{
		Number: 123456789, User: "ada", Amount: 1299, Currency: "CNY", Orders: []pay.PaymentOrder{{Order: 42}},
	}
}

func TestAPanicOfAGatewayEndsAsUnavailableAndIsLoggedOnce(t *testing.T) {
	t.Parallel()
	g := &gateway{
		begin: func(context.Context) (hosted.Next, error) { panic("no begin") },
		query: func() (hosted.Found, error) { panic(errors.New("no query")) },
		parse: func() (hosted.Notification, error) { panic("no parse") },
	}
	c, log := channel(t, g)
	for range 3 {
		_, err := c.Begin(t.Context(), payment())
		require.ErrorIs(t, err, pay.ErrUnavailable)
	}
	_, err := c.Query(t.Context(), payment())
	require.ErrorIs(t, err, pay.ErrUnavailable)
	_, err = c.Verify(http.Header{}, nil)
	require.ErrorIs(t, err, pay.ErrUnavailable)
	assert.Equal(t, 1, strings.Count(log.String(), "no begin"), log)
	assert.Contains(t, log.String(), "channel_test.go", "the line of the panic")
}

func TestAGatewayThatDoesNotReturnHoldsABoundedNumberOfCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most = 64
		end := make(chan struct{})
		var held kit.Concurrency
		g := &gateway{begin: func(context.Context) (hosted.Next, error) { // it doesn't look at its context
			held.Begin()
			defer held.End()
			<-end
			return hosted.Next{Params: map[string]string{"code": "1"}}, nil
		}}
		c, _ := channel(t, g)
		began := time.Now()
		kit.Crowd(3*most, func(int) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := c.Begin(ctx, payment())
			assert.ErrorIs(t, err, pay.ErrUnavailable)
		})
		assert.LessOrEqual(t, time.Since(began), 11*time.Second)
		assert.EqualValues(t, most, held.Most())
		close(end)
		kit.Pass(10 * time.Second)
		_, err := c.Begin(t.Context(), payment())
		require.NoError(t, err, "it answers again")
	})
}

func TestAnswersThatSayNothingAreNotUsed(t *testing.T) {
	t.Parallel()
	g := &gateway{}
	c, _ := channel(t, g)
	for _, next := range []hosted.Next{
		{RedirectURL: "javascript:alert(1)"},
		{RedirectURL: "/pay"},
		{RedirectURL: "https://"},
		{RedirectURL: "https://bank.example/" + strings.Repeat("x", 2048)},
		{Params: map[string]string{"a": "\x00"}},
		{Params: map[string]string{"a": strings.Repeat("x", 17<<10)}},
	} {
		g.begin = func(context.Context) (hosted.Next, error) { return next, nil }
		_, err := c.Begin(t.Context(), payment())
		require.Error(t, err, next)
		require.NotErrorIs(t, err, pay.ErrUnavailable, "it would be the same again")
	}
	g.begin = func(context.Context) (hosted.Next, error) { return hosted.Next{}, nil }
	_, err := c.Begin(t.Context(), payment())
	require.ErrorIs(t, err, pay.ErrUnavailable, "a page of a proxy names no way to pay either")
	for _, found := range []hosted.Found{
		{Paid: true},
		{Paid: true, Transaction: "a", Amount: -1, Currency: "CNY"},
		{Paid: true, Transaction: "a b", Currency: "CNY"},
		{Paid: true, Transaction: "a", Currency: "cny"},
		{Paid: true, Closed: true, Transaction: "a", Currency: "CNY"},
		{Paid: true, Transaction: strings.Repeat("x", 121), Currency: "CNY"},
	} {
		g.query = func() (hosted.Found, error) { return found, nil }
		_, err := c.Query(t.Context(), payment())
		require.Error(t, err, found)
	}
}

func TestNotificationsThatCannotBeReadAreRefused(t *testing.T) {
	t.Parallel()
	g := &gateway{}
	c, _ := channel(t, g)
	good := hosted.Notification{
		Kind: hosted.Paid, ID: "n1", Transaction: "t1", Payment: "123456789", Amount: 1, Currency: "CNY",
	}
	changed := func(change func(n *hosted.Notification)) hosted.Notification {
		n := good
		change(&n)
		return n
	}
	for what, n := range map[string]hosted.Notification{
		"kind":        changed(func(n *hosted.Notification) { n.Kind = "money" }),
		"id":          changed(func(n *hosted.Notification) { n.ID = "" }),
		"payment":     changed(func(n *hosted.Notification) { n.Payment = "x" }),
		"no payment":  changed(func(n *hosted.Notification) { n.Payment = "" }),
		"amount":      changed(func(n *hosted.Notification) { n.Amount = -1 }),
		"currency":    changed(func(n *hosted.Notification) { n.Currency = "" }),
		"transaction": changed(func(n *hosted.Notification) { n.Transaction = "é" }),
		"reason":      changed(func(n *hosted.Notification) { n.Reason = "a\nb" }),
		"refund":      changed(func(n *hosted.Notification) { n.Kind = hosted.RefundFailed }),
		"refunded": changed(func(n *hosted.Notification) {
			n.Kind, n.RefundNumber, n.Amount = hosted.Refunded, "1", 0
		}),
		"dispute": changed(func(n *hosted.Notification) { n.Kind = hosted.Disputed }),
		"state": changed(func(n *hosted.Notification) {
			n.Kind, n.DisputeID, n.DisputeState = hosted.Disputed, "d1", "lost?"
		}),
	} {
		g.parse = func() (hosted.Notification, error) { return n, nil }
		_, err := c.Verify(http.Header{}, nil)
		require.ErrorIs(t, err, pay.ErrUnreadable, what)
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), "%s: its author sees that", what)
	}
	g.parse = func() (hosted.Notification, error) { return good, nil }
	n, err := c.Verify(http.Header{}, nil)
	require.NoError(t, err)
	assert.Equal(t, pay.Notification{
		EventID: "n1", TransactionID: "t1", PayNumber: 123456789, Amount: 1, Currency: "CNY",
	}, n)
	_, err = c.Verify(http.Header{}, make([]byte, 257<<10))
	require.ErrorIs(t, err, pay.ErrSignature)
}

func TestReportsOfRefundsAndDisputesAreRead(t *testing.T) {
	t.Parallel()
	g := &gateway{}
	c, _ := channel(t, g)
	for kind, want := range map[string]pay.Kind{
		hosted.RefundFailed: pay.KindRefundFailed, hosted.Refunded: pay.KindRefundedOutside,
		hosted.Disputed: pay.KindDisputed,
	} {
		g.parse = func() (hosted.Notification, error) {
			return hosted.Notification{
				Kind: kind, ID: "n1", Transaction: "t1", Amount: 1, RefundNumber: "7-1", DisputeID: "d1",
				DisputeState: hosted.DisputeLost, DisputeStatus: "charged back", Refundable: true, DueMS: 1, AtMS: 2,
			}, nil
		}
		n, err := c.Verify(http.Header{}, nil)
		require.NoError(t, err)
		assert.Equal(t, want, n.Kind)
		if kind == hosted.Disputed {
			assert.Equal(t, pay.DisputeStep{
				ID: "d1", State: pay.DisputeLost, Status: "charged back", Refundable: true, DueMS: 1, AtMS: 2,
			}, n.Dispute)
		}
	}
}

// Columns of the stores have 64 bytes for each.
func TestLongWordsOfAGatewayAreCutWithoutSplittingACharacter(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 63) + "é and more"
	g := &gateway{parse: func() (hosted.Notification, error) {
		return hosted.Notification{
			Kind: hosted.Disputed, ID: "n3", Transaction: "t1", DisputeID: "d1", DisputeState: hosted.DisputeOpen,
			Reason: long, DisputeStatus: long,
		}, nil
	}}
	c, _ := channel(t, g)
	n, err := c.Verify(http.Header{}, nil)
	require.NoError(t, err)
	assert.Equal(t, long[:63], n.Reason)
	assert.Equal(t, long[:63], n.Dispute.Status)
}

// A step of a dispute that says no time is newer than those before it, which said one.
func TestAStepOfADisputeWithoutATimeIsTheNewest(t *testing.T) {
	t.Parallel()
	g := &gateway{parse: func() (hosted.Notification, error) {
		return hosted.Notification{
			Kind: hosted.Disputed, ID: "n2", Transaction: "t1", DisputeID: "d1", DisputeState: hosted.DisputeWon,
		}, nil
	}}
	c, _ := channel(t, g)
	n, err := c.Verify(http.Header{}, nil)
	require.NoError(t, err)
	assert.InDelta(t, time.Now().UnixMilli(), n.Dispute.AtMS, 1e9)
}

func TestNamesOfChannels(t *testing.T) {
	t.Parallel()
	require.NoError(t, hosted.CheckName("acme"))
	for _, name := range []string{"", "Acme", "acme2", "a-b", "outside", "stripe", strings.Repeat("x", 17)} {
		require.Error(t, hosted.CheckName(name), name)
	}
}
