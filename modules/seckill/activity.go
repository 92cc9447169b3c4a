package seckill

import (
	"database/sql/driver"
	"errors"
	"strconv"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/needs"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/seckill/waves"
	"onrush/modules/segments"
	"onrush/modules/sqldb"
)

// State is the state of an activity in SQL.
type State string

// The states of an activity. A draft may be changed; offline is permanent.
const (
	Draft     State = "draft"
	Published State = "published"
	Offline   State = "offline"
)

var (
	// ErrLoaded says that Redis already has the activity.
	ErrLoaded = errors.New("the activity is loaded")
	// ErrRetired says that the activity is retired: its keys in Redis are removed.
	ErrRetired = errors.New("the activity is retired")
)

// Mode is how a sale finds its buyers.
type Mode string

// The modes of sales.
const (
	First Mode = ""     // those who come first
	Draw  Mode = "draw" // those who entered before the start and are drawn at the start; modules/seckill/draw does it
)

// Unlimited means that there is no limit.
const Unlimited = -1

// Activity is a flash sale as SQL keeps it. Times are UTC milliseconds, money is in minor units.
type Activity struct {
	ID            string  `db:"activity_id"`
	Shop          string  `db:"shop_id"`
	Title         string  `db:"title"`
	StartsMS      int64   `db:"starts_ms"`
	EndsMS        int64   `db:"ends_ms"`
	PayWithinS    int64   `db:"pay_within_s"`
	PayGraceS     int64   `db:"pay_grace_s" json:",omitempty"` // by which a payment under way extends an order, once
	BasketMax     int     `db:"basket_max" json:",omitempty"`  // how many skus an order may take; 0: one
	PurchaseLimit int64   `db:"purchase_limit"`                // units a user may buy in total; Unlimited: any number
	PermitRatio   float64 `db:"permit_ratio"`                  // permits per unit left; Unlimited: no permits
	State         State   `db:"state"`
	Lane          int     `db:"lane"` // 0 until it is published
	CreatedMS     int64   `db:"created_ms"`
	RetiredMS     int64   `db:"retired_ms"` // when its Redis keys were removed; 0: not yet

	// OfferWithinS is how long units that come back are offered to a buyer who waits; 0: there is no waiting list.
	OfferWithinS int64 `db:"offer_within_s" json:",omitempty"`

	Mode Mode `db:"mode" json:",omitempty"`

	// ExpectedVisitors is an operator's estimate for the first minute, to choose the gates by; 0: there is none.
	ExpectedVisitors int64 `db:"expected_visitors" json:",omitempty"`

	PausedMS int64 `db:"paused_ms"` // since when an operator has paused it; 0: it isn't paused

	// What stands before a path.
	HumanCheck  human.Kind      `db:"human_check"`
	Limits      limits.Settings `db:"limits"`
	WaitingRoom line.Settings   `db:"waiting_room"`
	Segments    segments.Set    `db:"segments" json:",omitempty"` // whose buyers may buy; none: everybody
	// Eligible says who of them may buy, or who may buy earlier.
	Eligible eligible.Settings `db:"eligibility" json:",omitzero"`
	// LimitKey is the claim of a token by which purchase limits count; "": by user.
	LimitKey string `db:"limit_key" json:",omitempty"`
	// Reserved says for whom units of its skus are reserved, and until when.
	Reserved eligible.ReservedFor `db:"reserved_for" json:",omitzero"`
	// Listed is the last version of the list of buyers, and ListedFrom that with which it was last emptied.
	Listed     int64 `db:"listed" json:",omitempty"`
	ListedFrom int64 `db:"listed_from" json:",omitempty"`

	// What its page shows.
	Description string `db:"description"`
	ImageURL    string `db:"image_url"` // the picture in lists; "" is none
	Images      Images `db:"images"`

	Version int64 `db:"version"` // changes since the activity was published
	Applied int64 `db:"applied"` // the version that Redis has

	LastWaveMS int64     `db:"last_wave_ms" json:",omitempty"` // when the last wave of its skus opens; 0: none
	Needs      needs.Set `db:"needs" json:",omitempty"`        // that its fields have had since it was published

	Revision int64 `db:"revision"` // increases with each change that operators see, also of the stock

	SKUs []ActivitySKU `db:"-"`
}

// Images are the URLs of pictures.
type Images []string

// Value writes the URLs as SQL keeps them.
func (i Images) Value() (driver.Value, error) { return sqldb.ListJSON(i) }

// Scan reads what Value writes.
func (i *Images) Scan(column any) error { return sqldb.ScanJSON(column, i) }

// ActivitySKU is one sku of an activity with its catalogue data: in a draft the current data, from publish on
// the data at publish. Amounts are in minor units. A draft keeps the currency of its price: the catalogue's may change
// before it is published.
type ActivitySKU struct {
	Activity      string         `db:"activity_id"`
	SKU           string         `db:"sku_id"`
	Position      int            `db:"position"`
	FlashPrice    int64          `db:"flash_price"`
	PurchaseLimit int64          `db:"purchase_limit"`
	Shop          string         `db:"shop_id"`
	Title         string         `db:"title"`
	ImageURL      string         `db:"image_url"`
	Description   string         `db:"description"`
	Kind          catalogue.Kind `db:"kind"`
	ListPrice     int64          `db:"price"`
	Currency      string         `db:"currency"` // of FlashPrice
	SKUCurrency   string         `db:"sku_currency"`
	DraftedKind   catalogue.Kind `db:"drafted_kind"` // of the sku when the draft was written
	Fee           int64          `db:"freight_fee"`
	FreeOver      int64          `db:"freight_free_over"`

	RequiredFields catalogue.FieldNames `db:"required_fields" json:",omitempty"` // that an order of it must have

	Waves waves.Plan `db:"waves" json:",omitempty"` // parts of Stock that open later
	// Reserved are the units of Stock that only the buyers of the activity's Reserved get, until the times of the plan.
	Reserved waves.Plan `db:"reserved" json:",omitempty"`

	Parts Parts `db:"parts" json:",omitempty"` // of a bundle, which has no Stock

	Stock []PointStock `db:"-"`
}

// PointStock is the stock of a sku of an activity at one stock point, in units.
type PointStock struct {
	Activity string `db:"activity_id"`
	SKU      string `db:"sku_id"`
	Point    string `db:"point_id"`
	Total    int64  `db:"total"`
	Sold     int64  `db:"sold"` // in orders that SQL has, neither cancelled nor failed
	Epoch    int64  `db:"epoch"`
}

func (a *Activity) sku(id string) (*ActivitySKU, bool) {
	for i := range a.SKUs {
		if a.SKUs[i].SKU == id {
			return &a.SKUs[i], true
		}
	}
	return nil, false
}

// serves reports whether a point has a stock of the sku, even if it is sold out.
func (s *ActivitySKU) serves(point string) bool {
	for _, p := range s.Stock {
		if p.Point == point {
			return true
		}
	}
	return false
}

// Counted returns the values of activity_counts.counted under which units are counted in Redis, too: for purchase
// limits and for reserved units.
func (a *Activity) Counted() []string {
	var counted []string
	if a.PurchaseLimit >= 0 {
		counted = append(counted, lua.CountedAll)
	}
	for i := range a.SKUs {
		if a.SKUs[i].PurchaseLimit >= 0 {
			counted = append(counted, lua.CountedSKU(a.SKUs[i].SKU))
		}
		if a.reserves() {
			counted = append(counted, lua.CountedReserved(a.SKUs[i].SKU))
		}
	}
	return counted
}

// MarksHolds reports whether holds of the activity may say more than SQL has in columns: a limit key, or that units are
// reserved for the buyer.
func (a *Activity) MarksHolds() bool { return a.LimitKey != "" || a.reserves() }

// permits reports whether the activity issues order permits.
func (a *Activity) permits() bool { return a.PermitRatio > 0 }

// PermitSKUs returns the skus whose permits a user loses on reaching the activity's limit.
func (a *Activity) PermitSKUs() []string {
	if !a.permits() || a.PurchaseLimit < 0 || len(a.SKUs) == 1 {
		return nil
	}
	skus := make([]string, len(a.SKUs))
	for i := range a.SKUs {
		skus[i] = a.SKUs[i].SKU
	}
	return skus
}

// Meta returns the fields of the activity's meta hash, which the scripts read.
func (a *Activity) Meta() map[string]string {
	state := lua.StateOpen
	if a.State != Published {
		state = lua.StateClosed
	}
	paused := "0"
	if a.PausedMS > 0 {
		paused = "1"
	}
	m := map[string]string{
		"state":     string(state),
		"paused":    paused,
		"starts_ms": strconv.FormatInt(a.StartsMS, 10),
		"ends_ms":   strconv.FormatInt(a.EndsMS, 10),
		"limit":     strconv.FormatInt(a.PurchaseLimit, 10),
		"version":   lua.FormatVersion(a.RedisVersion()),
	}
	for i := range a.SKUs {
		m["limit:"+a.SKUs[i].SKU] = strconv.FormatInt(a.SKUs[i].PurchaseLimit, 10)
		if a.Needs.Has(needs.Waves) {
			m[lua.WavesField(a.SKUs[i].SKU)] = a.SKUs[i].Waves.Text()
		}
		if a.reserves() {
			m[lua.ReservedField(a.SKUs[i].SKU)] = a.SKUs[i].Reserved.Text()
		}
	}
	return m
}

// KeepsUnits reports whether units of the activity may be kept for buyers: for those who wait, or by operators.
func (a *Activity) KeepsUnits() bool { return a.OfferWithinS > 0 || a.Needs.Has(needs.Holds) }

// Using returns the abilities that the fields of the activity need now: one line for each such field. needs.Abilities
// has all of them, and needs.Holds, which no field needs.
func (a *Activity) Using() (names []string) {
	for name, used := range map[string]bool{
		needs.Draw: a.Draws(), needs.Eligibility: a.Eligible.On(), needs.LimitKey: a.LimitKey != "",
		needs.Waitlist: a.OfferWithinS > 0, needs.Waves: a.LastWave() > 0, needs.Baskets: a.BasketMax > 0,
		needs.Reserved: a.Reserved.On(), needs.Bundles: a.hasBundles(),
	} {
		if used {
			names = append(names, name)
		}
	}
	return names
}

// Draws reports whether the buyers of the activity are drawn.
func (a *Activity) Draws() bool { return a.Mode == Draw }

// CheckMode returns a problem if the activity can't have its mode.
func (a *Activity) CheckMode() error {
	var checks problem.Checks
	if a.Draws() {
		checks.That(a.OfferWithinS > 0, "offer_within_s", "must be set: for so long a buyer who is drawn may buy")
		checks.That(a.Eligible.EarlyS == 0, "eligibility.early_s", "must be 0, since all are drawn at the start")
		checks.That(!a.Eligible.Code, "eligibility.code", "must be false, since nobody enters a draw with a code")
	}
	return checks.Err()
}

// LastWave returns when the last wave of the skus opens; 0 if there is none.
func (a *Activity) LastWave() (ms int64) {
	for i := range a.SKUs {
		ms = max(ms, a.SKUs[i].Waves.LastMS())
	}
	return ms
}

// RedisVersion is the version of the activity in Redis.
func (a *Activity) RedisVersion() int64 { return a.Needs.Version(a.Version) }

// Changed returns the fields of the meta hash that a change of a published activity writes. They close the activity if
// it is offline, and never open it: a closed activity, such as one that is being retired, stays closed.
func (a *Activity) Changed() map[string]string {
	m := a.Meta()
	delete(m, "version")
	if a.State == Published {
		delete(m, "state")
	}
	return m
}

// Epoch returns the epoch of the last load that SQL knows of.
func (a *Activity) Epoch() int64 {
	for i := range a.SKUs {
		if stock := a.SKUs[i].Stock; len(stock) > 0 { // else it is a bundle
			return stock[0].Epoch
		}
	}
	return 0
}
