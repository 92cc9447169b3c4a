package seckill

import (
	"log/slog"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/order/numbers"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// Deps are the dependencies of a Service; the caller opens and closes them.
type Deps struct {
	DB           *sqldb.DB // buyers' connections
	Lua          *lua.Scripts
	Clock        *clock.Clock
	Cache        *ActivityCache
	Counts       *StockCache
	Counters     *AnswerCounters
	Destinations *catalogue.Destinations
	// Limits are the rate limits of activities. Nil: none.
	Limits *limits.Gate
	// Checks are the human checks that activities may have.
	Checks human.Checks
	// Admission asks the shop whether a buyer may have a path. Nil: all may.
	Admission *admit.Gate
	// Eligible decides who may buy in sales that are for some buyers only.
	Eligible *eligible.Gate
	// Line has the waiting rooms that activities may have.
	Line    *line.Service
	Numbers *numbers.Numbers // of the orders
	Log     *slog.Logger
	// Tracer shows the placing of an order in the trace of its submit; nil shows none.
	Tracer *tracing.Tracer
}
