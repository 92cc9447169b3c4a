package crowd

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"onrush/app/buyer"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/web"
)

const (
	// maxPaths bounds how many paths a buyer takes for one order.
	maxPaths = 8
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
			Shared: &r.shared, Name: fmt.Sprintf("crowd-%s-%d", r.id, n), Address: addressOf(r.number, n),
		},
		choice: pick(r.goods, r.d.Random()),
	}
}

// wanted returns the goods that the buyer wants.
func (m *member) wanted() goods { return m.goods[m.choice] }

// purchase buys one unit, and reports whether the order was accepted. Where its goods are sold out, the buyer takes
// others of the sale, so that a crowd that is large enough buys all of its units.
func (m *member) purchase(ctx context.Context) (ordered bool) {
	var err error
	if m.Token, err = m.d.Sign(m.Name, web.RoleUser, crowdWithin+time.Minute); err != nil {
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
func (m *member) purchaseWanted(ctx context.Context) (a buyer.Answer) {
	var order map[string]any
	for range maxPaths {
		path := m.Path(ctx, m.activity, m.wanted().sku)
		if path.Code != buyer.OK {
			return path
		}
		if order == nil {
			if order, a = m.order(ctx); a.Code != buyer.OK {
				return a
			}
		}
		a = m.Submit(ctx, path.Path, m.Name, order)
		switch a.Code {
		case seckill.CodePathExpired.Name, seckill.CodePathInvalid.Name, seckill.CodeNoPermit.Name,
			seckill.CodePaused.Name:
		default:
			return a
		}
		if !m.Wait(ctx, a) {
			return a
		}
	}
	return a
}

// order returns the body of the submit, and the answer that its delivery was arranged with.
func (m *member) order(ctx context.Context) (order map[string]any, a buyer.Answer) {
	order, a.Code = map[string]any{"quantity": 1}, buyer.OK
	switch wanted := m.wanted(); {
	case wanted.pickup != "":
		order["delivery"], order["pickup_point_id"] = "pickup", wanted.pickup
	case wanted.region != "":
		select {
		case m.writers <- struct{}{}:
			defer func() { <-m.writers }()
		case <-ctx.Done():
			return order, buyer.Answer{}
		}
		a = m.CreateAddress(ctx, wanted.region)
		order["address_id"] = a.AddressID
	}
	return order, a
}

// inside is the program around the crowd; its requests need no connection.
type inside struct{ handler fasthttp.RequestHandler }

// Send calls the handler of the program.
func (i inside) Send(_ context.Context, from net.Addr, req *fasthttp.Request, res *fasthttp.Response) error {
	var c fasthttp.RequestCtx
	c.Init(req, from, nil)
	i.handler(&c)
	c.Response.CopyTo(res)
	return nil
}

// addresses is how many addresses a crowd may come from: all of 198.18.0.0/15, which no client on the Internet has
// (RFC 2544).
const addresses = 1 << 17

// addressOf returns the client address of a buyer. The buyers of one crowd, and of crowds that follow each other,
// have different addresses.
func addressOf(crowd, n int) net.Addr {
	const first = 198<<24 | 18<<16
	ip := make(net.IP, net.IPv4len)
	binary.BigEndian.PutUint32(ip, first+uint32((crowd*maxBuyers+n)%addresses)) //nolint:gosec // below 2^32
	return &net.TCPAddr{IP: ip, Port: 1024 + n}
}
