package crowd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/app/buyer"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/web"
	"onrush/web/client"
)

const (
	// maxChoices is how many goods of the sale a buyer tries whose first choice is sold out.
	maxChoices = 8
	// maxHopes is how often a buyer comes back to a sale that is sold out, since units of unpaid orders may
	// return. That takes minutes in most sales, so it does not wait for long.
	maxHopes = 2
	// hopesFor bounds each of these waits: the units may come back many minutes later.
	hopesFor = time.Second
)

// member is one buyer of a crowd.
type member struct {
	*run
	buyer.Buyer

	choice  int // the goods that it wants
	choices int // how many goods it tried before
	hopes   int // how often it came back to a sale that is sold out
}

func newMember(r *run, n int) *member {
	return &member{
		run: r,
		Buyer: buyer.Buyer{
			Shared: &r.shared, Name: fmt.Sprintf("crowd-%s-%d", r.id, n),
			Address: buyer.AddressOf(r.number*maxBuyers + n), // not the addresses of the crowd before
		},
		choice: buyer.Pick(r.goods, r.d.Random()),
	}
}

// purchase buys one unit, and reports whether the order was accepted. Where its goods are sold out, the buyer takes
// others of the sale, so that a crowd that is large enough buys all of its units.
func (m *member) purchase(ctx context.Context) (ordered bool) {
	var err error
	m.Token, err = m.d.Sign(m.Name, web.RoleUser, crowdWithin+time.Minute, m.segments...)
	if err != nil {
		m.d.Log.ErrorContext(ctx, "a buyer of a crowd has no token", "error", err)
		return false
	}
	for {
		a := m.purchaseWanted(ctx)
		switch a.Code {
		case buyer.OK:
			return true
		case order.CodeSoldOut.Name, seckill.CodeSoldOutUnpaidPending.Name:
			if !m.chooseAgain(ctx, a) {
				return false
			}
		default:
			return false
		}
	}
}

// chooseAgain takes the next goods of the sale. A buyer that has tried enough of them comes back after a while, if
// units may return; it reports false when it gives up.
func (m *member) chooseAgain(ctx context.Context, a buyer.Answer) bool {
	m.choice = (m.choice + 1) % len(m.goods)
	m.choices++
	if m.choices < min(len(m.goods), maxChoices) {
		return ctx.Err() == nil
	}
	m.hopes++
	a.RefreshAfterMS = min(a.RefreshAfterMS, hopesFor.Milliseconds())
	return a.Code != order.CodeSoldOut.Name && m.hopes <= maxHopes && m.Wait(ctx, a)
}

// purchaseWanted submits an order of the goods that the buyer wants, and returns the last answer.
func (m *member) purchaseWanted(ctx context.Context) buyer.Answer {
	var order *client.SubmitRequest
	return m.OnPath(ctx, m.activity, m.goods[m.choice].SKU, func(path string) buyer.Answer {
		if order == nil {
			made, a := m.Deliver(ctx, m.goods[m.choice])
			if a.Code != buyer.OK {
				return a
			}
			order = &made
		}
		return m.Submit(ctx, path, m.Name, *order)
	})
}

// inside is the program around the crowd; its requests need no connection.
type inside struct{ handler fasthttp.RequestHandler }

// Send calls the handler of the program.
func (i inside) Send(ctx context.Context, from net.Addr, r client.Request) (a client.Answer, err error) {
	req, err := r.To(ctx, "http://localhost")
	if err != nil {
		return a, err
	}
	var text bytes.Buffer
	var c fasthttp.RequestCtx
	c.Init(&fasthttp.Request{}, from, nil)
	if err := errors.Join(req.Write(&text), c.Request.Read(bufio.NewReader(&text))); err != nil {
		return a, err
	}
	i.handler(&c)
	a.Header = http.Header{fiber.HeaderRetryAfter: {string(c.Response.Header.Peek(fiber.HeaderRetryAfter))}}
	a.Status, a.Body = c.Response.StatusCode(), bytes.Clone(c.Response.Body())
	return a, nil
}
