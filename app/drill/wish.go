package drill

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"onrush/app/buyer"
	"onrush/app/drill/units"
	"onrush/app/operator"
	"onrush/modules/loop"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waitlist"
	"onrush/web/client"
)

const (
	// offerWithin is for how long units that came back are offered to a visitor who waits.
	offerWithin = 10 * time.Second
	// payGrace is by how much a payment under way extends the deadline of its order.
	payGrace = 2 * time.Second
	// lookEvery is how often a visitor looks whether units are offered.
	lookEvery = time.Second
	// buyersAtOnce bounds the users that one request puts on the list of a sale.
	buyersAtOnce = 10_000
)

// The states of an entry in a waiting list.
const (
	waits   = string(waitlist.Waits)
	offered = string(waitlist.Offered)
)

// wished is what a visitor saw of an entry in a waiting list. Times are the program's, but for lastSeen.
type wished struct {
	client.WaitlistEntry

	user     string
	lastSeen time.Time // when it waited for the last time that its visitor looked, by the clock of the drill
	left     bool      // its visitor has left the list
}

// isOutsider reports whether a visitor is not on the list of buyers of a sale with one.
func isOutsider(v Visitor) bool { return v.Number%50 == 49 }

// wishFields adds to an own sale what shops wish for: a waiting list, a wave of the units of a sku, a list of buyers,
// and time for a payment under way. wave is the time of the wave.
func wishFields(fields object, wave time.Time) {
	fields["offer_within_s"], fields["pay_grace_s"] = int(offerWithin.Seconds()), int(payGrace.Seconds())
	fields["eligibility"] = object{"list": true}
	skus, _ := fields["skus"].([]any)
	sku, _ := skus[0].(object)
	stock, _ := sku["stock"].([]any)
	at, _ := stock[0].(object)
	if units, _ := at["quantity"].(int); units > 1 {
		sku["waves"] = []any{object{"at": wave.UTC().Format(operator.TimeFormat), "quantity": units / 2}}
	}
}

// listBuyers puts visitors on the list of buyers of a sale.
func (r *run) listBuyers(ctx context.Context, sale string, listed func(Visitor) bool) error {
	var users []string
	for _, v := range r.plan.Visitors {
		if !listed(v) {
			continue
		}
		user, _, err := r.cfg.Tokens.Of(ctx, r.id, v.Number, nil)
		if err != nil {
			return err
		}
		users = append(users, user)
	}
	for part := range slices.Chunk(users, buyersAtOnce) {
		path, key := "/admin/api/v1/activities/"+sale+"/buyers", fmt.Sprintf("list-%s-%s", sale, part[0])
		if err := r.operator.Call(ctx, "POST", path, key, client.BuyersRequest{UserIds: part}, nil); err != nil {
			return fmt.Errorf("put the visitors on the list of the sale: %w", err)
		}
	}
	return nil
}

// isSoldOut reports whether a code says that there are no units now.
func isSoldOut(code string) bool {
	return slices.Contains([]string{
		order.CodeSoldOut.Name, seckill.CodeSoldOutUnpaidPending.Name, seckill.CodeSoldOutForNow.Name,
	}, code)
}

// wish waits for units that come back after a refusal, and orders them when they are offered. One in five leaves the
// list again, and one in seven lets the offer lapse.
func (s *shopper) wish(ctx context.Context, refused *attempt, intent Intent) (*attempt, bool) {
	body, arranged := s.Deliver(ctx, refused.goods)
	if s.sale.OfferWithinS == 0 || !isSoldOut(refused.refused) || arranged.Code != buyer.OK {
		return refused, false
	}
	ctx, cancel := context.WithTimeout(ctx, s.run.cfg.PayWithin+payGrace+2*offerWithin)
	defer cancel()
	got := s.Proved(ctx, s.sale.ActivityID, func(humanCheck string) buyer.Answer {
		return s.Insist(ctx, "wait", "POST", "/api/v1/seckill/waitlist", "", client.WaitlistRequest{
			ActivityID: s.sale.ActivityID, SKUID: refused.goods.SKU, Quantity: 1, HumanCheck: humanCheck,
			Delivery: body.Delivery, AddressID: body.AddressID, PickupPointID: body.PickupPointID,
		})
	})
	w := &wished{user: s.Name}
	if !got.Read(&w.WaitlistEntry) {
		return refused, false
	}
	s.run.record.addWish(w)
	if s.plan.Number%5 == 0 {
		s.leave(ctx, w)
		return refused, false
	}
	for w.State == waits && loop.Wait(ctx, lookEvery) == nil {
		if there, known := s.look(ctx, w); known && !there {
			return refused, false
		}
	}
	if w.State != offered || s.plan.Number%7 == 0 {
		return refused, false
	}
	intent.Submit, intent.Think = Once, 0
	a, ok := s.purchase(ctx, refused.key+"-offer", intent)
	if !ok && isSoldOut(a.refused) && !s.run.cfg.AllowFailed { // a failover may lose an offer
		there, _ := s.look(ctx, w)
		if there && time.Now().Before(w.OfferedUntil.Add(-clocks)) {
			s.run.record.problem(checkWishes, "units are offered to %s until %s, and the order is refused: %s", s.Name,
				w.OfferedUntil, a.refused)
		}
	}
	return a, ok
}

// look reads an entry again. there reports whether it still exists, and known whether the program has said so.
func (s *shopper) look(ctx context.Context, w *wished) (there, known bool) {
	query := url.Values{"activity_id": {w.ActivityID}}
	asked := time.Now()
	got := s.Insist(ctx, "waits", "GET", "/api/v1/seckill/waitlist?"+query.Encode(), "", nil)
	var list struct{ Items []client.WaitlistEntry }
	if !got.Read(&list) {
		return false, false
	}
	i := slices.IndexFunc(list.Items, func(e client.WaitlistEntry) bool { return e.EntryID == w.EntryID })
	s.run.record.mu.Lock()
	defer s.run.record.mu.Unlock()
	if i < 0 {
		return false, true
	}
	if w.State == waits { // the first offer counts
		w.WaitlistEntry = list.Items[i]
	}
	if w.State == waits {
		w.lastSeen = asked
	}
	return true, true
}

func (s *shopper) leave(ctx context.Context, w *wished) {
	got := s.Insist(ctx, "leave", "DELETE", "/api/v1/seckill/waitlist/"+url.PathEscape(w.EntryID), "", nil)
	s.run.record.mu.Lock()
	w.left = true
	s.run.record.mu.Unlock()
	if there, _ := s.look(ctx, w); there && got.Status == http.StatusNoContent {
		s.run.record.problem(checkWishes, "%s has left the waiting list and is in it", s.Name)
	}
}

// judgeWishes compares the order of offers with the order of the entries, the orders before a wave with the units that
// were open, and the buyers with the list of the sale.
func (r *run) judgeWishes(f *facts, attempts []*attempt, v *verdicts) {
	r.record.mu.Lock()
	wishes := slices.Clone(r.record.wishes)
	defer r.record.mu.Unlock()
	byGoods := map[string][]*wished{}
	for _, w := range wishes {
		v.checked[checkWishes]++
		goods := w.ActivityID + " " + w.SKUID + " at " + w.PointID
		byGoods[goods] = append(byGoods[goods], w)
	}
	for _, all := range byGoods {
		judgeTurns(all, v)
	}
	for _, s := range r.sales {
		for _, sku := range s.Skus {
			for _, wave := range sku.Waves {
				judgeWave(f, s, sku.SKUID, wave, v)
			}
		}
		if !s.Eligibility.List || r.cfg.Scenario != Wishes {
			continue
		}
		for _, a := range attempts {
			if a.sale == s && a.order != "" && isOutsider(a.shopper.plan) {
				v.problem(checkWishes, "%s is not on the list of the sale and has order %s", a.shopper.Name, a.order)
			}
		}
		for _, user := range r.record.excluded {
			v.problem(checkWishes, "%s is on the list of the sale and is refused", user)
		}
	}
}

// judgeTurns says who was offered units before somebody who had joined the list earlier, and still waited.
func judgeTurns(all []*wished, v *verdicts) {
	for _, w := range all {
		if w.State != offered {
			continue
		}
		at := w.OfferedUntil.Add(-offerWithin)
		for _, earlier := range all {
			passed := earlier.State == offered && earlier.OfferedUntil.After(w.OfferedUntil.Add(clocks)) ||
				earlier.State == waits && earlier.lastSeen.After(at.Add(2*clocks))
			if !earlier.left && passed && earlier.JoinedAt.Before(w.JoinedAt.Add(-clocks)) {
				v.problem(checkWishes, "units are offered to %s at %s, before %s, who joined earlier", w.user, at,
					earlier.user)
			}
		}
	}
}

// judgeWave compares the orders before a wave with the units that were open.
func judgeWave(f *facts, s *sale, sku string, wave client.Wave, v *verdicts) {
	most := units.Before(wave.At, f.orders, s.ActivityID, sku, wave.PointID, nil)
	for _, item := range f.audits[s.ActivityID].Items {
		if item.SKUID != sku || item.PointID != wave.PointID || f.sales[s.ActivityID].Version != s.Version {
			continue // the total may have been another one
		}
		v.checked[checkWishes]++
		if most > item.Total-wave.Quantity {
			v.problem(checkWishes, "%d units of %s are sold before %s, of %d", most, sku, wave.At,
				item.Total-wave.Quantity)
		}
	}
}
