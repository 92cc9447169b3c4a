package lua

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/modules/ids"
)

// waitlistEpoch is the field of the waitlist hash with the load that it belongs to.
const waitlistEpoch = "epoch"

const (
	waitPrefix  = "wait:"
	offerPrefix = "offer:"
)

// WaitField is the field of the waitlist hash that says that buyers wait for units of a sku at a point. Its value is
// the id of an entry.
func WaitField(sku, point string) string { return waitPrefix + StockField(sku, point) }

// OfferField is the field of the waitlist hash with what a user is offered of a sku.
func OfferField(sku, user string) string { return offerPrefix + ids.Join(sku, user) }

// NoEnd is the UntilMS of units that are set aside for as long as the sale runs.
const NoEnd = 9_999_999_999_999

// Offer is units of a sku that are kept for a buyer who waited for them, or that an operator has set aside.
type Offer struct {
	SKU, Point, User string
	Quantity         int64
	UntilMS          int64  // Redis time; from then on the buyer can't take it
	Entry            string // the id of the buyer's entry in the waiting list
}

func (o Offer) String() string {
	return ids.Join(o.Point, strconv.FormatInt(o.Quantity, 10), strconv.FormatInt(o.UntilMS, 10), o.Entry)
}

// Waitlist is what Redis keeps of the waiting list of an activity.
type Waitlist struct {
	Offers []Offer
	Waits  map[string]string // an entry, by the stock fields of the units for which buyers wait
	// Unreadable are offers whose values can't be read; only their SKU and User are known. They count for nothing.
	Unreadable []EndOffer
}

// Units returns the units that are offered, by stock field.
func (w *Waitlist) Units() map[string]int64 {
	units := map[string]int64{}
	for _, o := range w.Offers {
		units[StockField(o.SKU, o.Point)] += o.Quantity
	}
	return units
}

// ParseWaitlist reads a waitlist hash. A list of another load than the epoch is empty, as it is for the scripts.
func ParseWaitlist(fields map[string]string, epoch int64) *Waitlist {
	w := &Waitlist{Waits: map[string]string{}}
	if fields[waitlistEpoch] != strconv.FormatInt(epoch, 10) {
		return w
	}
	for field, value := range fields {
		if region, is := strings.CutPrefix(field, waitPrefix); is {
			w.Waits[region] = value
		}
		named, is := strings.CutPrefix(field, offerPrefix)
		of, valid := ids.Split(named, 2)
		if !is || !valid {
			continue
		}
		if o, readable := parseOffer(value); readable {
			o.SKU, o.User = of[0], of[1]
			w.Offers = append(w.Offers, o)
		} else {
			w.Unreadable = append(w.Unreadable, EndOffer{SKU: of[0], User: of[1], Now: true})
		}
	}
	return w
}

// parseOffer reads an offer, except its sku and user.
func parseOffer(value string) (o Offer, readable bool) {
	parts, readable := ids.Split(value, 4)
	if !readable {
		return o, false
	}
	quantity, badQuantity := strconv.ParseInt(parts[1], 10, 64)
	until, badUntil := strconv.ParseInt(parts[2], 10, 64)
	o = Offer{Point: parts[0], Quantity: quantity, UntilMS: until, Entry: parts[3]}
	return o, badQuantity == nil && badUntil == nil
}

// Pairs returns the fields of the waitlist hash that a load with the epoch fills: field, value, field, value, …
func (w *Waitlist) Pairs(epoch int64) []string {
	if len(w.Offers)+len(w.Waits) == 0 {
		return nil
	}
	pairs := []string{waitlistEpoch, strconv.FormatInt(epoch, 10)}
	for _, o := range w.Offers {
		pairs = append(pairs, OfferField(o.SKU, o.User), o.String())
	}
	for region, entry := range w.Waits {
		pairs = append(pairs, waitPrefix+region, entry)
	}
	return pairs
}

// Offered returns what a user is offered of a sku, or nil.
func (s *Scripts) Offered(ctx context.Context, lane int, activity, sku, user string) (*Offer, error) {
	field := OfferField(sku, user)
	values, err := s.Redis.HMGet(ctx, s.Keys.Waitlist(lane, activity), waitlistEpoch, field).Result()
	if err != nil {
		return nil, fmt.Errorf("read what a user is offered in activity %s: %w", activity, err)
	}
	text, offered := values[1].(string)
	epoch, _ := values[0].(string)
	n, err := strconv.ParseInt(epoch, 10, 64)
	if !offered || err != nil {
		return nil, nil //nolint:nilnil,nilerr // there is no offer
	}
	offers := ParseWaitlist(map[string]string{waitlistEpoch: epoch, field: text}, n).Offers
	if len(offers) == 0 {
		return nil, nil //nolint:nilnil // it can't be read
	}
	return &offers[0], nil
}

// OfferCode is the result of ending an offer.
type OfferCode int64

// The results for an offer that is to end.
const (
	OfferEnded  OfferCode = 1
	OfferNone   OfferCode = 0  // it was taken, or ended before
	OfferStands OfferCode = -1 // its time is not over
)

// EndOffer is an offer to end; Now ends it before its time. An offer that can't be read ends whatever its Entry is,
// and no units come back.
type EndOffer struct {
	SKU, User, Entry string
	Now              bool
}

// Wait says that buyers wait for units of a sku at a point. Without an Entry nobody does, if Seen is still the entry
// that Redis has.
type Wait struct {
	SKU, Point, Entry, Seen string
}

// WaitlistChange is a change of the waiting list of an activity.
type WaitlistChange struct {
	Lane     int
	Activity string
	Epoch    int64 // of the last load that SQL has
	WithinMS int64 // how long the offers last
	Ends     []EndOffer
	Offers   []Offer // until their UntilMS, or with 0 for WithinMS; those with an UntilMS are also made in a pause
	Waits    []Wait
}

// Waitlisted is what a change of a waiting list has done.
type Waitlisted struct {
	Loaded  bool        // whether the activity is loaded under the epoch; otherwise nothing was done
	NowMS   int64       // Redis TIME
	Ended   []OfferCode // of each of Ends
	UntilMS []int64     // of each of Offers, until when it stands; 0: none was made
}

// MaxWaitlistChanges bounds the offers to end, the offers to make and the waits of a WaitlistChange, each.
const MaxWaitlistChanges = 500

// ChangeWaitlist changes the waiting list of an activity: it ends offers, makes offers, and sets the waits, in this
// order and in one step. An offer that was made before is not made again; it returns the UntilMS of the first. An
// offer with the entry of an offer to end moves these units to another buyer: it is made only if the offer to end was
// there. The error is ErrUnconfirmed if too few replicas have the change, which may be repeated.
func (s *Scripts) ChangeWaitlist(ctx context.Context, c *WaitlistChange) (done Waitlisted, err error) {
	args := []any{c.Epoch, c.WithinMS, len(c.Ends), len(c.Offers), len(c.Waits)}
	for _, e := range c.Ends {
		args = append(args, e.SKU, e.User, e.Entry, e.Now)
	}
	for _, o := range c.Offers {
		args = append(args, o.SKU, o.Point, o.User, o.Quantity, o.Entry, o.UntilMS)
	}
	for _, w := range c.Waits {
		args = append(args, w.SKU, w.Point, w.Entry, w.Seen)
	}
	keys := []string{
		s.Keys.Meta(c.Lane, c.Activity), s.Keys.Stock(c.Lane, c.Activity), s.Keys.Waitlist(c.Lane, c.Activity),
	}
	reply, err := s.runConfirmed(ctx, changeWaitlist, s.Keys.WriteCheck(c.Lane), keys, args...).Int64Slice()
	switch {
	case err != nil:
		return done, fmt.Errorf("change the waiting list of activity %s: %w", c.Activity, err)
	case len(reply) == 1 && reply[0] == int64(ChangeNotLoaded):
		return done, nil
	case len(reply) != 1+len(c.Ends)+len(c.Offers):
		return done, fmt.Errorf("change the waiting list of activity %s: script returned %d values", c.Activity,
			len(reply))
	}
	done = Waitlisted{Loaded: true, NowMS: reply[0], UntilMS: reply[1+len(c.Ends):]}
	for _, code := range reply[1 : 1+len(c.Ends)] {
		switch code := OfferCode(code); code {
		case OfferEnded, OfferNone, OfferStands:
			done.Ended = append(done.Ended, code)
		default:
			return done, fmt.Errorf("change the waiting list of activity %s: %w", c.Activity, unknownCode(int64(code)))
		}
	}
	return done, nil
}

// Supply says whether a buyer must wait for units of a sku at a point.
type Supply struct {
	Loaded bool  // whether Redis has the activity; otherwise nothing is known
	Left   int64 // units
	Waits  bool  // whether buyers wait for them, so that others can't buy them
}

// SupplyOf reads the supply of a sku at a point.
func (s *Scripts) SupplyOf(ctx context.Context, lane int, activity, sku, point string) (is Supply, err error) {
	var list, meta, stock *redis.SliceCmd
	_, err = s.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		meta = p.HMGet(ctx, s.Keys.Meta(lane, activity), "state", "epoch")
		stock = p.HMGet(ctx, s.Keys.Stock(lane, activity), StockField(sku, point))
		list = p.HMGet(ctx, s.Keys.Waitlist(lane, activity), waitlistEpoch, WaitField(sku, point))
		return nil
	})
	if err != nil {
		return is, fmt.Errorf("read the supply of sku %s in activity %s: %w", sku, activity, err)
	}
	state, _ := meta.Val()[0].(string)
	is.Loaded = ActivityState(state).Loaded()
	is.Waits = is.Loaded && list.Val()[0] == meta.Val()[1] && list.Val()[1] != nil
	if left, known := stock.Val()[0].(string); known {
		is.Left, err = strconv.ParseInt(left, 10, 64)
	}
	return is, err
}

// ReadWaits lets a pipeline read whether buyers wait for the units of stock fields; ParseWaits reads the values.
func (s *Scripts) ReadWaits(
	ctx context.Context, p redis.Pipeliner, lane int, activity string, fields []string,
) *redis.SliceCmd {
	asked := []string{waitlistEpoch}
	for _, field := range fields {
		asked = append(asked, waitPrefix+field)
	}
	return p.HMGet(ctx, s.Keys.Waitlist(lane, activity), asked...)
}

// ParseWaits returns for which of the stock fields buyers wait, by what ReadWaits has read. A list of another load than
// the epoch is empty.
func ParseWaits(fields []string, values []any, epoch int64) map[string]bool {
	waits := map[string]bool{}
	for i, field := range fields {
		waits[field] = values[0] == strconv.FormatInt(epoch, 10) && values[1+i] != nil
	}
	return waits
}
