package seckill

import (
	"database/sql/driver"
	"errors"
	"strconv"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/gates/line"
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
	PurchaseLimit int64   `db:"purchase_limit"` // units a user may buy in total; Unlimited: any number
	PermitRatio   float64 `db:"permit_ratio"`   // permits per unit left; Unlimited: no permits
	State         State   `db:"state"`
	Lane          int     `db:"lane"` // 0 until it is published
	CreatedMS     int64   `db:"created_ms"`
	RetiredMS     int64   `db:"retired_ms"` // when its Redis keys were removed; 0: not yet

	PausedMS int64 `db:"paused_ms"` // since when an operator has paused it; 0: it isn't paused

	// What stands before a path.
	HumanCheck  human.Kind      `db:"human_check"`
	Limits      limits.Settings `db:"limits"`
	WaitingRoom line.Settings   `db:"waiting_room"`
	Segments    segments.Set    `db:"segments" json:",omitempty"` // whose buyers may buy; none: everybody

	// What its page shows.
	Description string `db:"description"`
	ImageURL    string `db:"image_url"` // the picture in lists; "" is none
	Images      Images `db:"images"`

	Version int64 `db:"version"` // changes since the activity was published
	Applied int64 `db:"applied"` // the version that Redis has

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

func (s *ActivitySKU) total() int64 {
	var total int64
	for _, p := range s.Stock {
		total += p.Total
	}
	return total
}

// Limited returns the values of activity_counts.counted under which purchase limits count units.
func (a *Activity) Limited() []string {
	var limited []string
	if a.PurchaseLimit >= 0 {
		limited = append(limited, lua.CountedAll)
	}
	for i := range a.SKUs {
		if a.SKUs[i].PurchaseLimit >= 0 {
			limited = append(limited, lua.CountedSKU(a.SKUs[i].SKU))
		}
	}
	return limited
}

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
		"version":   strconv.FormatInt(a.Version, 10),
	}
	for i := range a.SKUs {
		m["limit:"+a.SKUs[i].SKU] = strconv.FormatInt(a.SKUs[i].PurchaseLimit, 10)
	}
	return m
}

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
	if len(a.SKUs) == 0 || len(a.SKUs[0].Stock) == 0 {
		return 0
	}
	return a.SKUs[0].Stock[0].Epoch
}
