package crowd

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"onrush/modules/order"
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
	// maxChoices is how many goods of the sale a buyer tries whose first choice is sold out.
	maxChoices = 8
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
	choice  int // the goods that it wants
	choices int // how many goods it tried before
	hopes   int // how often it came back to a sale that is sold out
}

func newBuyer(r *run, n int) *buyer {
	return &buyer{
		run: r, name: fmt.Sprintf("crowd-%s-%d", r.id, n), address: addressOf(r.number, n),
		choice: pick(r.goods, r.d.Random()),
	}
}

// wanted returns the goods that the buyer wants.
func (b *buyer) wanted() goods { return b.goods[b.choice] }

// purchase buys one unit, and reports whether the order was accepted. Where its goods are sold out, the buyer takes
// others of the sale, so that a crowd that is large enough buys all of its units.
func (b *buyer) purchase(ctx context.Context) (ordered bool) {
	var err error
	if b.token, err = b.d.Sign(b.name, web.RoleUser, crowdWithin+time.Minute); err != nil {
		b.d.Log.ErrorContext(ctx, "a buyer of a crowd has no token", "error", err)
		return false
	}
	for {
		a := b.purchaseWanted(ctx)
		switch a.Code {
		case success:
			return true
		case order.CodeSoldOut.Name, seckill.CodeSoldOutUnpaidPending.Name:
			if !b.chooseAgain(ctx, a) {
				return false
			}
		default:
			return false
		}
	}
}

// chooseAgain takes the next goods of the sale. A buyer that has tried enough of them comes back after a while, if
// units may return; it reports false when it gives up.
func (b *buyer) chooseAgain(ctx context.Context, a answer) bool {
	b.choice = (b.choice + 1) % len(b.goods)
	b.choices++
	if b.choices < min(len(b.goods), maxChoices) {
		return ctx.Err() == nil
	}
	b.hopes++
	return a.Code != order.CodeSoldOut.Name && b.hopes <= maxHopes && b.wait(ctx, a)
}

// purchaseWanted submits an order of the goods that the buyer wants, and returns the last answer.
func (b *buyer) purchaseWanted(ctx context.Context) (a answer) {
	var order map[string]any
	for range maxTries {
		if a = b.path(ctx); a.Code != success {
			return a
		}
		path := url.PathEscape(a.taken.Path)
		if order == nil {
			if order, a = b.order(ctx); a.Code != success {
				return a
			}
		}
		a = b.insist(ctx, "submit", "POST", "/api/v1/seckill/"+path+"/submit", b.name, order)
		switch a.Code {
		case seckill.CodePathExpired.Name, seckill.CodePathInvalid.Name, seckill.CodeNoPermit.Name,
			seckill.CodePaused.Name:
		default:
			return a
		}
		if !b.wait(ctx, a) {
			return a
		}
	}
	return a
}

// order returns the body of the submit, and the answer that its delivery was arranged with.
func (b *buyer) order(ctx context.Context) (order map[string]any, a answer) {
	order, a.Code = map[string]any{"quantity": 1}, success
	switch wanted := b.wanted(); {
	case wanted.pickup != "":
		order["delivery"], order["pickup_point_id"] = "pickup", wanted.pickup
	case wanted.region != "":
		select {
		case b.writers <- struct{}{}:
			defer func() { <-b.writers }()
		case <-ctx.Done():
			return order, answer{}
		}
		a = b.insist(ctx, "address", "POST", "/api/v1/addresses", "", map[string]any{
			"receiver": b.name, "phone": "13800000000", "region": wanted.region, "detail": "1 Main Street",
		})
		order["address_id"] = a.taken.AddressID
	}
	return order, a
}

// path passes the gates of the sale, and returns the last answer.
func (b *buyer) path(ctx context.Context) (a answer) {
	visit := map[string]string{"activity_id": b.activity, "sku_id": b.wanted().sku}
	for range maxTurns {
		a = b.insist(ctx, "path", "POST", "/api/v1/seckill/path", "", visit)
		var passed bool
		switch a.Code {
		case line.CodeLineRequired.Name, line.CodePlaceInvalid.Name:
			visit["place"], passed = b.line(ctx)
		case human.CodeRequired.Name, human.CodeFailed.Name:
			visit["human_check"], passed = b.prove(ctx)
		case seckill.CodeNotStarted.Name:
			if visit["place"] == "" { // those who come early join the line early
				visit["place"] = b.join(ctx).taken.Place
			}
			passed = b.wait(ctx, a)
		case seckill.CodeNoPermit.Name, seckill.CodePaused.Name:
			passed = b.wait(ctx, a)
		default:
			return a
		}
		if !passed {
			return a
		}
	}
	return a
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
