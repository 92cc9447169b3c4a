package draw

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/aged"
	"onrush/modules/api"
	"onrush/modules/gather"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waitlist"
)

// Service is what buyers and operators see of draws, and how buyers enter and leave.
type Service struct {
	Deps
	entering *gather.Group[goods, entering, entered]
	draws    *aged.Keyed[Summary]
	ranks    *aged.Cache[ranks] // by activity and sku
}

// NewService returns a Service.
func NewService(d Deps) *Service {
	s := &Service{Deps: d}
	s.entering = gather.New(gather.Config[goods, entering, entered]{
		Call: s.enterAll, MaxCall: enterAtOnce, MaxWaiting: mostEntering,
	})
	s.draws = aged.NewKeyed("draws", d.Clock.Local, s.readSummaries)
	s.ranks = aged.NewCache[ranks](aged.Config{
		What: "ranks of a draw", Now: d.Clock.Local, Within: rankWithin, Pause: time.Second, StaleFor: time.Hour,
	}, 100)
	return s
}

// State is the state of an entry.
type State string

// The states of an entry.
const (
	Entered State = "entered" // the entries are not closed
	Waiting State = "waiting" // others come first
	Offered State = "offered" // the buyer may buy
	Over    State = "over"    // the buyer has bought, or has let the offer pass
	Lost    State = "lost"    // the sale is over, and nothing was offered
)

// View is an entry as its buyer sees it.
type View struct {
	seckill.WishView

	State     State      `json:"state,omitempty"`
	Rank      int64      `json:"rank,omitempty"` // from 1, in the order of the sku; 0 before it is known
	EnteredAt api.Millis `json:"entered_at"`
	Until     api.Millis `json:"offered_until,omitzero"`
}

// Summary is what everybody may know of a draw.
type Summary struct {
	ActivityID string     `json:"activity_id"`
	Entries    int64      `json:"entries"`
	Drawn      int64      `json:"drawn"` // entries to whose buyers units were offered
	SeedHash   string     `json:"seed_hash"`
	Seed       string     `json:"seed,omitempty"`     // once the entries are closed
	ClosedAt   api.Millis `json:"closed_at,omitzero"` // when they were closed
}

// readSummaries reads the draws of activities.
func (s *Service) readSummaries(ctx context.Context, activities []string) (map[string]Summary, error) {
	found := make(map[string]Summary, len(activities))
	for _, id := range activities {
		d, err := find(ctx, s.DB.Read, id)
		if err != nil {
			return found, err
		}
		if d == nil {
			continue
		}
		is := Summary{ActivityID: id, Entries: d.Entered, SeedHash: d.Secret.seedHash()}
		if d.ClosedMS > 0 {
			is.Seed, is.ClosedAt = d.Secret.seed(), api.Millis(d.ClosedMS)
			const query = `SELECT COUNT(*) FROM draw_entries WHERE activity_id = ? AND drawn_ms > 0`
			if err := s.DB.Read.GetContext(ctx, &is.Drawn, query, id); err != nil {
				return found, fmt.Errorf("count who is drawn in %s: %w", id, err)
			}
		}
		found[id] = is
	}
	return found, nil
}

// Summary returns what everybody may know of a draw, as it was a second ago at most.
func (s *Service) Summary(ctx context.Context, activity string) (Summary, error) {
	if !ids.Valid(activity) {
		return Summary{}, errNoDraw
	}
	is, known, err := s.draws.Get(ctx, activity)
	if err == nil && !known {
		err = errNoDraw
	}
	return is, err
}

var errNoDraw = problem.NotFound("draw of this sale")

// Mine returns the entries of a buyer in a draw.
func (s *Service) Mine(ctx context.Context, user, activity string) ([]View, error) {
	a, err := s.Sales.Get(ctx, activity)
	if err != nil {
		return nil, err
	}
	is, err := s.Summary(ctx, activity)
	if err != nil {
		return nil, err
	}
	entries, err := ofUser(ctx, s.DB.Read, user, activity)
	if err != nil {
		return nil, unavailable(err)
	}
	views := make([]View, len(entries))
	for i := range entries {
		if views[i], err = s.view(ctx, a, &is, &entries[i]); err != nil {
			return nil, unavailable(err)
		}
	}
	return views, nil
}

func (s *Service) view(ctx context.Context, a *seckill.Activity, is *Summary, e *entry) (View, error) {
	if is.ClosedAt == 0 {
		return plainView(e, Entered)
	}
	now, state, until := s.Clock.NowMS(), Waiting, int64(0)
	over := a.State == seckill.Offline || now >= a.EndsMS
	switch {
	case e.DrawnMS > 0:
		state = Over
		offer, err := waitlist.OfUser(ctx, s.DB.Read, a.ID, e.SKU, e.User)
		if err != nil {
			return View{}, err
		}
		if !over && offer != nil && offer.ID == e.ID && offer.UntilMS > now {
			state, until = Offered, offer.UntilMS
		}
	case over:
		state = Lost
	}
	v, err := plainView(e, state)
	if err != nil {
		return View{}, err
	}
	v.Until = api.Millis(until)
	v.Rank, err = s.rank(ctx, e)
	return v, err
}

// plainView returns the view of an entry without its rank.
func plainView(e *entry, state State) (View, error) {
	v := View{
		WishView: seckill.WishView{
			EntryID: e.ID, ActivityID: e.Activity, SKU: e.SKU, Point: e.Point, Quantity: e.Quantity,
		},
		State: state, EnteredAt: api.Millis(e.EnteredMS),
	}
	err := v.SetChoice(e.Choice)
	return v, err
}

// Leave removes an entry of a buyer. Units that are offered to them go to the next.
func (s *Service) Leave(ctx context.Context, user, activity, id string) error {
	entries, err := ofUser(ctx, s.DB.Read, user, activity)
	if err != nil {
		return unavailable(err)
	}
	for i := range entries {
		if e := &entries[i]; e.ID == id && e.Activity == activity {
			return unavailable(s.DB.InTx(ctx, func(tx *sqlx.Tx) error { return forget(ctx, tx, e) }))
		}
	}
	return problem.NotFound("entry in this draw")
}

// Of returns the entries of a user in all draws, without their states and ranks, for an export.
func Of(ctx context.Context, q sqlx.QueryerContext, user string) ([]View, error) {
	entries, err := ofUser(ctx, q, user, "")
	if err != nil {
		return nil, err
	}
	views := make([]View, len(entries))
	for i := range entries {
		if views[i], err = plainView(&entries[i], ""); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// Lot is an entry in the order of its draw.
type Lot struct {
	Rank     int64  `json:"rank"` // from 1
	EntryID  string `json:"entry_id"`
	Point    string `json:"point_id"`
	Quantity int64  `json:"quantity"`
	Drawn    bool   `json:"drawn"`          // units were offered to its buyer
	Left     bool   `json:"left,omitempty"` // its buyer has left since
}

// Lots returns a page of the order of a sku's entries, which is empty until they are closed; without a sku, of the
// first sku of the sale.
func (s *Service) Lots(ctx context.Context, activity, sku string, page api.KeyPage) (*api.List[Lot], error) {
	a, err := s.Sales.Get(ctx, activity)
	if err != nil {
		return nil, err
	}
	is, err := s.Summary(ctx, activity)
	if err != nil {
		return nil, err
	}
	if sku == "" && len(a.SKUs) > 0 {
		sku = a.SKUs[0].SKU
	}
	list := &api.List[Lot]{PageSize: page.Size}
	rank, lot, err := parseCursor(page.After)
	if err != nil || is.ClosedAt == 0 {
		return list, err
	}
	var entries []entry
	const query = `SELECT ` + columns + ` FROM draw_entries WHERE activity_id = ? AND sku_id = ? AND lot > ?
		ORDER BY lot LIMIT ?`
	if err := s.DB.Read.SelectContext(ctx, &entries, query, activity, sku, lot, page.Size+1); err != nil {
		return nil, unavailable(fmt.Errorf("read the lots of the draw of %s: %w", activity, err))
	}
	for _, e := range entries[:min(page.Size, len(entries))] {
		rank++
		list.Items = append(list.Items, Lot{
			Rank: rank, EntryID: e.ID, Point: e.Point, Quantity: e.Quantity, Drawn: e.DrawnMS > 0, Left: e.User == "",
		})
	}
	if len(entries) > page.Size {
		list.NextCursor = api.FormatCursor(strconv.FormatInt(rank, 10), entries[page.Size-1].Lot)
	}
	return list, nil
}

// parseCursor reads the rank and the lot of the last entry of a page.
func parseCursor(after string) (rank int64, lot string, err error) {
	if after == "" {
		return 0, "", nil
	}
	keys, ok := api.ParseCursor(after, 2)
	if ok {
		rank, err = strconv.ParseInt(keys[0], 10, 64)
		lot = keys[1]
	}
	if !ok || err != nil || rank < 1 || rank > MaxEntries || !ids.Valid(lot) {
		return 0, "", problem.Invalid("after", "must be the next_cursor of a page")
	}
	return rank, lot, nil
}

func unavailable(err error) error {
	return problem.OrUnavailable(err, "The draw can't be reached right now.")
}
