package limits

import (
	"cmp"
	"database/sql/driver"
	"time"

	"onrush/modules/limit"
	"onrush/modules/sqldb"
)

// Settings are the rate limits of an activity. The zero value has none.
type Settings struct {
	// Item bounds the orders of each sku that are placed, over all users and instances, in any Seconds.
	Item Limit `json:"item,omitzero"`
	// User bounds the requests of one user for a path, a confirmation or an order.
	User Limit `json:"user,omitzero"`
	// IP bounds the same requests of one client address, or /64 network of IPv6.
	IP Limit `json:"ip,omitzero"`
}

// Limit is a number of requests, or of orders, in a number of seconds. The zero value means no limit.
type Limit struct {
	Requests int `json:"requests"`
	Seconds  int `json:"seconds"`
}

func (l Limit) none() bool { return l.Requests == 0 }

func (l Limit) policy() limit.Policy {
	return limit.Policy{Requests: l.Requests, Period: time.Duration(l.Seconds) * time.Second}
}

// Body is Settings as operators send them. A limit that is absent keeps its value.
type Body struct {
	Item *LimitBody `json:"item"`
	User *LimitBody `json:"user"`
	IP   *LimitBody `json:"ip"`
}

// LimitBody is Limit as operators send it. -1 requests mean no limit.
type LimitBody struct {
	Requests int `json:"requests" validate:"required,eq=-1|min=1,max=1000000"`
	Seconds  int `json:"seconds,omitzero" validate:"required_unless=Requests -1,omitempty,min=1,max=86400"`
}

// Over returns the limits of b and, where it has none, the limits of lower. Both may be nil.
func (b *Body) Over(lower *Body) *Body {
	if b == nil || lower == nil {
		return cmp.Or(b, lower)
	}
	return &Body{
		Item: cmp.Or(b.Item, lower.Item), User: cmp.Or(b.User, lower.User), IP: cmp.Or(b.IP, lower.IP),
	}
}

// Apply returns the settings after the changes of a body, which may be nil.
func (b *Body) Apply(s Settings) Settings {
	if b == nil {
		return s
	}
	b.Item.apply(&s.Item)
	b.User.apply(&s.User)
	b.IP.apply(&s.IP)
	return s
}

func (b *LimitBody) apply(l *Limit) {
	switch {
	case b == nil:
	case b.Requests < 0:
		*l = Limit{}
	default:
		*l = Limit{Requests: b.Requests, Seconds: b.Seconds}
	}
}

// Value writes the settings as SQL keeps them.
func (s Settings) Value() (driver.Value, error) { return sqldb.FormatJSON(s) }

// Scan reads what Value writes.
func (s *Settings) Scan(column any) error { return sqldb.ScanJSON(column, s) }
