package drill

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"onrush/app/buyer"
	"onrush/modules/loop"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/human"
	gateline "onrush/modules/seckill/gates/line"
	"onrush/web/client"
)

// intrude lets visitors ask for other visitors' orders, and for a path without passing the gates, until its context
// ends. None may get it.
func (r *run) intrude(ctx context.Context) {
	for n := 0; loop.Wait(ctx, 200*time.Millisecond) == nil; n++ {
		owner, as, found := r.record.twoBuyers(r.random())
		if !found {
			continue
		}
		intruder := buyer.Buyer{Shared: as.Shared, Name: as.Name, Token: as.Token, Address: as.Address}
		number := url.PathEscape(owner.order)
		// refused are the codes by which the program shows that it has looked; none: any refusal.
		try := func(what, method, path string, body any, refused ...string) (code string) {
			key := ""
			if method == "POST" {
				key = fmt.Sprintf("%s-intruder-%d", intruder.Name, n)
			}
			got := intruder.Call(ctx, "another's", method, path, key, body)
			switch {
			case got.Code == buyer.OK:
				r.record.problem(checkGates, "%s got %s of %s", intruder.Name, what, owner.name)
			case got.Code == "" || buyer.Passes(got.Code):
			case len(refused) == 0 || slices.Contains(refused, got.Code):
				r.record.count("intruded", 1)
			}
			return got.Code
		}
		try("the task", "GET", "/api/v1/seckill/tasks/"+url.PathEscape(owner.task), nil)
		try("order "+number, "GET", "/api/v1/orders/"+number, nil)
		try("a cancel of order "+number, "POST", "/api/v1/orders/"+number+"/cancel", nil)
		try("a payment of order "+number, "POST", "/api/v1/payments",
			client.PaymentRequest{OrderNumbers: []string{owner.order}, Channel: "sandbox"})
		code := try("the path", "POST", buyer.SubmitURL(owner.path), owner.body)
		if code != "" && code != buyer.OK && code != seckill.CodePathInvalid.Name && !buyer.Passes(code) {
			r.record.problem(checkGates, "the path of %s is good for %s, who is told %s", owner.name, as.Name, code)
		}
		visit := buyer.PathRequest(owner.sale.ActivityID, owner.goods.SKU)
		if owner.sale.hasRoom() {
			visit.Place = "forged"
			try("a path with a forged place, at the time", "POST", "/api/v1/seckill/path", visit,
				gateline.CodePlaceInvalid.Name)
		}
		if owner.sale.hasHumanCheck() {
			visit.Place, visit.HumanCheck = r.gates.has(as), "forged"
			try("a path with a forged human check, at the time", "POST", "/api/v1/seckill/path", visit,
				human.CodeFailed.Name)
		}
	}
}

// property is what only its owner may use.
type property struct {
	name              string // of the owner
	order, task, path string
	body              client.SubmitRequest
	sale              *sale
	goods             buyer.Goods
}

// twoBuyers returns what one buyer has, and another one. random picks them.
func (r *record) twoBuyers(random uint64) (p property, other *shopper, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range uint64(len(r.attempts)) {
		a := r.attempts[(i+random)%uint64(len(r.attempts))]
		switch s := a.shopper; {
		case a.order == "" || a.held:
		case p.order == "":
			p = property{s.Name, a.order, a.task, a.path, a.body, a.sale, a.goods}
		case s.Name != p.name:
			return p, s, true
		}
	}
	return p, nil, false
}
