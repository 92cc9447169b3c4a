package remind

import (
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB         *sqldb.DB
	Clock      *clock.Clock
	Activities *seckill.ActivityCache
	Counts     *seckill.StockCache
	// Limits are the rate limits of activities; a Teller needs none. Nil: none.
	Limits *limits.Gate
	NewID  func() string // unique, at most 32 of [A-Za-z0-9-]; a Teller needs none
	// Faults injects crashes in tests; nil otherwise.
	Faults order.Faults
}
