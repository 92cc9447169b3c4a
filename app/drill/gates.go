package drill

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"onrush/app/buyer"
	"onrush/modules/loop"
	"onrush/modules/problem"
	gateline "onrush/modules/seckill/gates/line"
	"onrush/web/client"
)

// gates counts what passes the gates of the sales.
type gates struct {
	mu     sync.Mutex
	places map[*sale][]time.Time              // when visitors heard that they were admitted
	turns  map[*sale][]turn                   // in the order in which visitors heard of them
	out    map[string]map[*shopper]*time.Time // by sku: who has a permit, and when it was given
	most   map[string]int                     // by sku: how many permits were out at most
}

func newGates() *gates {
	return &gates{
		places: map[*sale][]time.Time{}, turns: map[*sale][]turn{},
		out: map[string]map[*shopper]*time.Time{}, most: map[string]int{},
	}
}

// place is the place in a waiting room that a visitor had last.
type place struct {
	text     string    // changes when the sale starts, and when the secret that seals it changes
	asked    time.Time // when the visitor asked for it first: it may have got it then, without hearing of it
	told     bool      // the visitor knows its turn
	admitted bool
	until    time.Time // when an admitted place expires
}

// turn is when a visitor heard its time of admission, and the latest such time that anybody had heard by then.
type turn struct{ heard, last time.Time }

// placed notes what an answer says of a visitor's place; says.Place is "" if it says nothing, and took is how long the
// answer took. It returns what is wrong with the answer, or "": visitors who come after the start are admitted in the
// order in which they come, behind the earlier ones.
func (g *gates) placed(s *shopper, says client.Place, took time.Duration, now time.Time) string {
	admitted := says.Status == string(gateline.Admitted)
	if admitted {
		says.AdmittedAt = now
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p := &s.waits
	if p.admitted && says.Place != "" && p.text != says.Place && !now.Before(p.until) { // the one before has expired
		*p = place{}
	}
	if p.asked.IsZero() {
		p.asked = now.Add(-took)
	}
	if says.Place == "" {
		return ""
	}
	p.text = says.Place
	if admitted {
		p.until = says.ExpiresAt.Add(-clocks)
	}
	if admitted && !p.admitted {
		p.admitted = true
		g.places[s.sale] = append(g.places[s.sale], now)
	}
	if p.told || says.AdmittedAt.IsZero() {
		return ""
	}
	p.told = true
	return g.turn(s, says.AdmittedAt, now)
}

// turn compares the turn of a visitor with those that others had heard of when it asked for its place.
func (g *gates) turn(s *shopper, at, now time.Time) (wrong string) {
	all := g.turns[s.sale]
	n, _ := slices.BinarySearchFunc(all, s.waits.asked, func(t turn, asked time.Time) int {
		return t.heard.Compare(asked)
	})
	if s.waits.asked.After(s.sale.StartsAt) && n > 0 && all[n-1].last.Sub(at) > clocks {
		wrong = fmt.Sprintf("%s is admitted %s before one who had a place when it came", s.Name,
			all[n-1].last.Sub(at).Round(time.Millisecond))
	}
	last := at
	if len(all) > 0 && all[len(all)-1].last.After(at) {
		last = all[len(all)-1].last
	}
	g.turns[s.sale] = append(all, turn{now, last})
	return wrong
}

// has returns the place of a visitor who was admitted, or "".
func (g *gates) has(s *shopper) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !s.waits.admitted {
		return ""
	}
	return s.waits.text
}

// permitFor is how long an unused permit is counted: shorter than it is valid, so that the count is never too high.
const permitFor = 10 * time.Second

// granted notes that a visitor has a permit. The drill hears of a permit later than the program, and counts it as used
// earlier, so its count is never above the number of permits that were out.
func (g *gates) granted(a *attempt, at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := a.sale.ActivityID + " " + a.goods.SKU
	if g.out[key] == nil {
		g.out[key] = map[*shopper]*time.Time{}
	}
	g.out[key][a.shopper] = &at
	for s, given := range g.out[key] {
		if at.Sub(*given) > permitFor {
			delete(g.out[key], s)
		}
	}
	g.most[key] = max(g.most[key], len(g.out[key]))
}

func (g *gates) used(a *attempt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.out[a.sale.ActivityID+" "+a.goods.SKU], a.shopper)
}

// check compares what passed with what the sales allow.
func (g *gates) check(sales []*sale, v *verdicts) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range sales {
		g.checkRoom(s, v)
		if s.PermitRatio == unlimited {
			continue
		}
		for _, sku := range s.Skus {
			var units int64
			for _, stock := range sku.Stock {
				units += stock.Quantity
			}
			most := int(math.Ceil(float64(units) * s.PermitRatio))
			if out := g.most[s.ActivityID+" "+sku.SKUID]; out > most {
				v.problem(checkGates, "%d permits of %s were out, of %d", out, sku.SKUID, most)
			}
		}
	}
}

// checkRoom compares how many were admitted since the start with the rate of the waiting room. A visitor hears of it
// late, but never early.
func (g *gates) checkRoom(s *sale, v *verdicts) {
	if !s.hasRoom() || len(g.places[s]) == 0 {
		return
	}
	rate := s.WaitingRoom.PathsPerSecond
	for n, at := range g.places[s] {
		allowed := rate * (at.Sub(s.StartsAt) + 2*clocks).Seconds()
		if float64(n+1) > allowed+1 {
			v.problem(checkGates, "%d visitors were admitted %.1f s after the start, at %g per second",
				n+1, at.Sub(s.StartsAt).Seconds(), rate)
			return
		}
	}
}

// stranger sends notifications of payments that nobody signed, until its context ends. None may be taken.
func (r *run) stranger(ctx context.Context) {
	for n := 0; loop.Wait(ctx, 100*time.Millisecond) == nil; n++ {
		body := []byte(`{"type":"payment.succeeded","data":{"pay_number":"` + r.anyPayment() +
			`","transaction_id":"forged","amount":1,"currency":"EUR"}}`)
		switch n % 4 {
		case 1:
			body = []byte(fmt.Sprintf("%x", r.random()))
		case 2:
			body = body[:len(body)/2]
		case 3:
			body = nil
		}
		got, err := r.wire.Send(ctx, buyer.AddressOf(0), client.Request{
			Method: http.MethodPost, Path: "/webhooks/pay/sandbox", Body: body, Header: http.Header{
				"Webhook-Id":        {fmt.Sprintf("evt_forged_%d", n)},
				"Webhook-Timestamp": {fmt.Sprint(time.Now().Unix())},
				"Webhook-Signature": {"v1," + hex.EncodeToString(body[:min(len(body), 32)])},
			},
		})
		if err != nil {
			continue
		}
		switch status := got.Status; {
		case status < 300, status >= 500 && status != 503 && status != 504:
			r.record.problem(checkGates, "a forged notification was answered %d", status)
		case status == http.StatusUnauthorized:
			r.record.count("forged", 1)
		}
	}
}

func (r *run) anyPayment() string {
	r.record.mu.Lock()
	defer r.record.mu.Unlock()
	if len(r.record.payments) == 0 {
		return "1"
	}
	return r.record.payments[int(r.random()%uint64(len(r.record.payments)))].number //nolint:gosec // below a length
}

// flood asks for paths as one user at all instances for a while, and checks that the limit of its requests is kept.
func (r *run) flood(ctx context.Context, v Visitor) {
	s, err := r.newShopper(ctx, v)
	limit := r.sales[v.Sale].Limits.User
	if err != nil {
		return
	}
	const clients, long = 16, 2 * time.Second
	sending, stop := context.WithTimeout(ctx, long)
	defer stop()
	var passed, limited, failed, sent atomic.Int64
	began := time.Now()
	visit := client.PathRequest{ActivityID: s.sale.ActivityID, SKUID: s.sale.goods[0].SKU}
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			client := buyer.Buyer{
				Shared: &buyer.Shared{Program: r.wire, Now: time.Now, Answered: func(string, buyer.Answer) {}},
				Token:  s.Token, Address: buyer.AddressOf(v.Number + c), // each begins at another instance
			}
			for sending.Err() == nil && sent.Add(1) < maxFlood {
				got := client.Call(context.WithoutCancel(ctx), "path", "POST", "/api/v1/seckill/path", "", visit)
				switch {
				case got.Code == buyer.NoAnswer || got.Status >= 500:
					failed.Add(1)
				case got.Code == problem.CodeRateLimited.Name:
					limited.Add(1)
				default:
					passed.Add(1)
				}
			}
		})
	}
	all.Wait()
	if failed.Load() > 0 { // without Redis each instance counts by itself
		return
	}
	per := time.Duration(max(limit.Seconds, 1)) * time.Second
	// Several instances let less than three times the limit pass before each knows what the others let pass.
	refilled := math.Ceil(float64(limit.Requests) * float64(time.Since(began)) / float64(per))
	allowed := 3*int64(limit.Requests) + int64(refilled) + 1
	if len(r.cfg.Faults) > 0 { // with a full or slow Redis each instance counts alone, and no request fails
		allowed *= int64(len(r.cfg.URLs))
	}
	if passed.Load() > allowed {
		r.record.problem(checkGates, "%d requests of a user passed in %s, of %d", passed.Load(),
			time.Since(began).Round(time.Millisecond), allowed)
	}
	if limited.Load() > 0 {
		r.record.count("limited", int(limited.Load()))
	}
}
