package drill

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"onrush/app/buyer"
)

// intrude lets visitors ask for what is another's, and for a path without passing the gates, until its context ends.
// None may get it.
func (r *run) intrude(ctx context.Context) {
	for n := 0; buyer.Pause(ctx, 200*time.Millisecond); n++ {
		owner, intruder, found := r.record.twoBuyers(r.random())
		if !found {
			continue
		}
		order := url.PathEscape(owner.order)
		try := func(what, method, path string, body any) {
			key := ""
			if method == "POST" {
				key = fmt.Sprintf("%s-intruder-%d", intruder.Name, n)
			}
			switch got := intruder.Call(ctx, "another's", method, path, key, body); {
			case got.Code == buyer.OK:
				r.record.problem(checkGates, "%s got %s of %s", intruder.Name, what, owner.name)
			case got.Code != "" && !buyer.Passes(got.Code):
				r.record.count("intruded", 1)
			}
		}
		try("the task", "GET", "/api/v1/seckill/tasks/"+url.PathEscape(owner.task), nil)
		try("order "+order, "GET", "/api/v1/orders/"+order, nil)
		try("a cancel of order "+order, "POST", "/api/v1/orders/"+order+"/cancel", nil)
		try("a payment of order "+order, "POST", "/api/v1/payments",
			object{"order_numbers": []string{owner.order}, "channel": "sandbox"})
		try("the path", "POST", "/api/v1/seckill/"+url.PathEscape(owner.path)+"/submit", owner.body)
		if s := owner.sale; s.hasRoom() || s.hasHumanCheck() {
			try("a path with the forged place and human check", "POST", "/api/v1/seckill/path", object{
				"activity_id": s.ID, "sku_id": owner.goods.sku, "place": "forged", "human_check": "forged",
			})
		}
	}
}

// property is what only its owner may use.
type property struct {
	name              string // of the owner
	order, task, path string
	body              object
	sale              *sale
	goods             goods
}

// twoBuyers returns what one buyer has, and another one. random picks them.
func (r *record) twoBuyers(random uint64) (p property, other buyer.Buyer, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range uint64(len(r.attempts)) {
		a := r.attempts[(i+random)%uint64(len(r.attempts))]
		switch s := a.shopper; {
		case a.order == "":
		case p.order == "":
			p = property{s.Name, a.order, a.task, a.path, a.body, a.sale, a.goods}
		case s.Name != p.name:
			return p, buyer.Buyer{Shared: s.Shared, Name: s.Name, Token: s.Token, Address: s.Address}, true
		}
	}
	return p, other, false
}
