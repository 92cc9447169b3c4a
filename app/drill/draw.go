package drill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"onrush/app/buyer"
	"onrush/modules/loop"
	"onrush/web/client"
)

// entrant is a visitor who takes part in the draw. The entry is what it was told last, with the mutex of the record.
type entrant struct {
	client.DrawEntry

	user string
	left bool // the visitor has left the draw
}

// drawn is what everybody may know of the draw after it.
type drawn struct {
	client.Draw

	lots []client.Lot
}

func (s *sale) draws() string { return "/api/v1/seckill/draws/" + url.PathEscape(s.ActivityID) }

// takePart enters the draw and buys when units are offered. One in six leaves again, and one in seven lets the offer
// lapse.
func (s *shopper) takePart(ctx context.Context) {
	ctx, cancel := context.WithDeadline(ctx, s.sale.StartsAt.Add(s.run.cfg.PayWithin+2*offerWithin))
	defer cancel()
	s.promise(ctx)
	got := s.Insist(ctx, "enter", "POST", s.sale.draws()+"/entries", "",
		client.DrawRequest{SKUID: s.sale.goods[0].SKU, Quantity: 1})
	e := &entrant{user: s.Name}
	if !got.Read(&e.DrawEntry) {
		return
	}
	if nth(s.plan)%6 == 5 {
		got := s.Insist(ctx, "leave", "DELETE", s.sale.draws()+"/entries/"+url.PathEscape(e.EntryID), "", nil)
		if e.left = got.Status == http.StatusNoContent || got.Status == http.StatusNotFound; !e.left {
			return // it may have left
		}
	}
	s.run.record.mu.Lock()
	s.run.record.entrants = append(s.run.record.entrants, e)
	s.run.record.mu.Unlock()
	if e.left {
		return
	}
	for (e.State == "" || e.State == "entered" || e.State == "waiting") && loop.Wait(ctx, lookEvery) == nil {
		s.lookAt(ctx, e)
	}
	if e.State != offered || s.plan.Number%7 == 0 {
		return
	}
	intent := s.plan.Orders[0]
	intent.Submit, intent.Think = Once, 0
	a, ok := s.purchase(ctx, s.Name+"-drawn", intent)
	if !ok && isSoldOut(a.refused) && !s.run.cfg.AllowFailed { // a failover may lose an offer
		s.lookAt(ctx, e)
		if e.State == offered && time.Now().Before(e.OfferedUntil.Add(-clocks)) {
			s.run.record.problem(checkWishes, "units are drawn for %s until %s, and the order is refused: %s", s.Name,
				e.OfferedUntil, a.refused)
		}
	}
	if ok {
		s.followUp(ctx, a, intent)
	}
}

// promise reads the hash of the seed while the seed must not be known.
func (s *shopper) promise(ctx context.Context) {
	var is client.Draw
	asked := time.Now()
	got := s.Insist(ctx, "draw", "GET", s.sale.draws()+"/result", "", nil)
	if !got.Read(&is) {
		return
	}
	r := s.run.record
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.promised == "" {
		r.promised = is.SeedHash
	}
	if is.Seed != "" && time.Since(asked) < clocks && asked.Before(s.sale.StartsAt.Add(-clocks)) {
		r.problems.problem(checkWishes, "the seed of the draw is known at %s, before its entries are closed", asked)
	}
}

// lookAt reads an entry again.
func (s *shopper) lookAt(ctx context.Context, e *entrant) {
	got := s.Insist(ctx, "entry", "GET", s.sale.draws()+"/entries", "", nil)
	var list struct{ Items []client.DrawEntry }
	if !got.Read(&list) {
		return
	}
	i := slices.IndexFunc(list.Items, func(now client.DrawEntry) bool { return now.EntryID == e.EntryID })
	if i < 0 {
		s.run.record.problem(checkWishes, "the entry of %s in the draw is gone", s.Name)
		return
	}
	s.run.record.mu.Lock()
	defer s.run.record.mu.Unlock()
	e.DrawEntry = list.Items[i]
}

// readDraw reads the result of the draw as everybody may.
func (r *run) readDraw(ctx context.Context) (*drawn, error) {
	s, err := r.newShopper(ctx, Visitor{Sale: drawSale})
	if err != nil {
		return nil, err
	}
	d := &drawn{}
	got := s.Insist(ctx, "draw", "GET", s.sale.draws()+"/result", "", nil)
	if !got.Read(&d.Draw) {
		return nil, fmt.Errorf("the result of the draw is answered %s", got.Code)
	}
	for query := (url.Values{"page_size": {"100"}}); ; {
		var page client.LotList
		got := s.Insist(ctx, "lots", "GET", s.sale.draws()+"/lots?"+query.Encode(), "", nil)
		if got.Code != buyer.OK || !got.Read(&page) {
			return nil, fmt.Errorf("the lots of the draw are answered %s", got.Code)
		}
		d.lots = append(d.lots, page.Items...)
		if page.NextCursor == "" {
			return d, nil
		}
		query.Set("after", page.NextCursor)
	}
}

func sum(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}

// judgeDraw checks the order of the lots from the seed, as docs/shop/integrate.md tells everybody to do it, that nobody
// was passed, and that nobody else has bought.
func (r *run) judgeDraw(f *facts, v *verdicts) {
	d := f.drawn
	if d == nil {
		return
	}
	r.record.mu.Lock()
	defer r.record.mu.Unlock()
	if promised := r.record.promised; promised != "" && sum(d.Seed) != promised || d.SeedHash != sum(d.Seed) {
		v.problem(checkWishes, "the seed %q of the draw is not the one whose hash was promised", d.Seed)
	}
	if d.Entries != int64(len(d.lots)) {
		v.problem(checkWishes, "the draw has %d entries and %d lots", d.Entries, len(d.lots))
	}
	lots, passed := map[string]client.Lot{}, ""
	for i, lot := range d.lots {
		v.checked[checkWishes]++
		lots[lot.EntryID] = lot
		if i > 0 && sum(d.Seed+"\n"+d.lots[i-1].EntryID) >= sum(d.Seed+"\n"+lot.EntryID) || lot.Rank != int64(i+1) {
			v.problem(checkWishes, "entry %s with rank %d of the draw is not where the seed puts it", lot.EntryID,
				lot.Rank)
		}
		switch {
		case !lot.Drawn && !lot.Left:
			passed = lot.EntryID
		case lot.Drawn && passed != "":
			v.problem(checkWishes, "entry %s is drawn, and %s before it is not", lot.EntryID, passed)
		}
	}
	won := map[string]bool{}
	for _, e := range r.record.entrants {
		lot, has := lots[e.EntryID]
		if has == e.left && !lot.Left || has && e.Rank > 0 && e.Rank != lot.Rank {
			v.problem(checkWishes, "%s, who has left: %t, has rank %d of the draw and was told %d", e.user, e.left,
				lot.Rank, e.Rank)
		}
		won[e.user] = lot.Drawn
		if lot.Drawn {
			v.exercised(checkWishes, aDraw)
		}
	}
	for _, o := range f.orders {
		if o.ActivityID == r.sales[drawSale].ActivityID && !won[o.UserID] {
			v.problem(checkWishes, "%s was not drawn and has order %s", o.UserID, o.OrderNumber)
		}
	}
}

const aDraw = "a visitor who is drawn"
