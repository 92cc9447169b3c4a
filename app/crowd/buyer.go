package crowd

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/line"
	"onrush/web"
)

const (
	// maxTries bounds how often a buyer sends a request that failed, and how many paths it takes.
	maxTries = 8
	// maxTurns bounds the turns through the gates, and the polls of a place in line.
	maxTurns = 120
	// maxHopes is how often a buyer comes back to a sale that is sold out, since units of unpaid orders may
	// return. That takes minutes in most sales, so it does not wait for long.
	maxHopes = 2
	// minWait and maxWait bound one wait.
	minWait, maxWait = 50 * time.Millisecond, 10 * time.Second
)

// buyer is one client of the program, as careful as clients should be: it waits as long as it is told.
type buyer struct {
	*run

	name    string
	token   string
	address net.Addr
	goods   goods
	hopes   int // how often it came back to a sale that is sold out
}

func newBuyer(r *run, n int) *buyer {
	return &buyer{
		run: r, name: fmt.Sprintf("crowd-%s-%d", r.id, n), address: addressOf(r.number, n),
		goods: pick(r.goods, r.d.Random()),
	}
}

// purchase buys one unit, and reports whether the order was accepted.
func (b *buyer) purchase(ctx context.Context) (ordered bool) {
	var err error
	if b.token, err = b.d.Sign(b.name, web.RoleUser, crowdWithin+time.Minute); err != nil {
		b.d.Log.ErrorContext(ctx, "a buyer of a crowd has no token", "err", err)
		return false
	}
	order, ok := b.order(ctx)
	if !ok {
		return false
	}
	for range maxTries {
		path, ok := b.path(ctx)
		if !ok {
			return false
		}
		a := b.insist(ctx, "submit", "POST", "/api/v1/seckill/"+path+"/submit", b.name, order)
		switch a.Code {
		case success:
			return true
		case seckill.CodePathExpired.Name, seckill.CodePathInvalid.Name, seckill.CodeNoPermit.Name:
		case seckill.CodeSoldOutUnpaidPending.Name:
			if !b.hope() {
				return false
			}
		default:
			return false
		}
		if !b.wait(ctx, a) {
			return false
		}
	}
	return false
}

// hope reports whether the buyer comes back to a sale that is sold out.
func (b *buyer) hope() bool {
	b.hopes++
	return b.hopes <= maxHopes
}

// order returns the body of the submit; ok is false if its delivery can't be arranged.
func (b *buyer) order(ctx context.Context) (order map[string]any, ok bool) {
	order = map[string]any{"quantity": 1}
	switch {
	case b.goods.pickup != "":
		order["delivery"], order["pickup_point_id"] = "pickup", b.goods.pickup
	case b.goods.region != "":
		select {
		case b.writers <- struct{}{}:
			defer func() { <-b.writers }()
		case <-ctx.Done():
			return nil, false
		}
		a := b.insist(ctx, "address", "POST", "/api/v1/addresses", "", map[string]any{
			"receiver": b.name, "phone": "13800000000", "region": b.goods.region, "detail": "1 Main Street",
		})
		if a.Code != success {
			return nil, false
		}
		order["address_id"] = a.taken.AddressID
	}
	return order, true
}

// path passes the gates of the sale.
func (b *buyer) path(ctx context.Context) (path string, ok bool) {
	visit := map[string]string{"activity_id": b.activity, "sku_id": b.goods.sku}
	for range maxTurns {
		a := b.insist(ctx, "path", "POST", "/api/v1/seckill/path", "", visit)
		waits := true
		switch a.Code {
		case success:
			return url.PathEscape(a.taken.Path), true
		case line.CodeLineRequired.Name, line.CodePlaceInvalid.Name:
			visit["place"], ok = b.line(ctx)
			waits = false
		case human.CodeRequired.Name, human.CodeFailed.Name:
			visit["human_check"], ok = b.prove(ctx)
			waits = false
		case seckill.CodeNotStarted.Name:
			if visit["place"] == "" { // those who come early join the line early
				visit["place"] = b.join(ctx).taken.Place
			}
			ok = true
		case seckill.CodeNoPermit.Name:
			ok = true
		case seckill.CodeSoldOutUnpaidPending.Name:
			ok = b.hope()
		default:
			return "", false
		}
		if !ok || waits && !b.wait(ctx, a) {
			return "", false
		}
	}
	return "", false
}

// join takes a place in the waiting room; it is "" where there is none.
func (b *buyer) join(ctx context.Context) answer {
	return b.insist(ctx, "line", "POST", "/api/v1/seckill/line", "", map[string]string{"activity_id": b.activity})
}

// line waits in the waiting room until the buyer is admitted.
func (b *buyer) line(ctx context.Context) (place string, admitted bool) {
	a := b.join(ctx)
	for range maxTurns {
		switch {
		case a.Code != success:
			return "", false
		case a.taken.Status == line.Admitted:
			return a.taken.Place, true
		case !b.wait(ctx, a):
			return "", false
		}
		a = b.insist(ctx, "line", "GET", "/api/v1/seckill/line/"+url.PathEscape(a.taken.Place), "", nil)
	}
	return "", false
}
