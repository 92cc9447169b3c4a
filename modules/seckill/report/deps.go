package report

import (
	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB       *sqldb.DB // with views on the replica
	Lua      *lua.Scripts
	Clock    *clock.Clock
	Counters *seckill.AnswerCounters
}
