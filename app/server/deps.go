package server

import (
	"crypto/rand"
	"log/slog"

	"onrush/lua"
	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/modules/pay"
	"onrush/modules/seckill/inventory"
	"onrush/modules/sqldb"
)

// deps is what several modules depend on; each module has a Deps with the part that it uses.
type deps struct {
	db     *sqldb.DB
	lua    *lua.Scripts
	locks  *lua.Locks
	clock  *lua.Clock
	log    *slog.Logger
	faults order.Faults
}

// deps returns the dependencies with the connections of movers and jobs, and sets the clock.
func (s *Server) deps() deps {
	p := s.parts
	scripts := lua.New(p.Redis, p.Keys)
	s.clock = p.Clock
	if s.clock == nil {
		s.clock = lua.NewClock(p.Now, scripts.NowMS, p.DB.NowMS).LogTo(p.Log)
	}
	return deps{
		db: p.DB, lua: scripts, locks: lua.NewLocks(p.Redis), clock: s.clock, log: p.Log, faults: p.Faults,
	}
}

// over returns the dependencies with the connections of db.
func (d deps) over(db *sqldb.DB) deps {
	d.db = db
	return d
}

func (d deps) order() order.Deps {
	return order.Deps{
		DB: d.db, Lua: d.lua, Locks: d.locks, Clock: d.clock, Log: d.log, Decided: pay.EnqueueCloses,
		Awaited: pay.Awaited, Faults: d.faults,
	}
}

func (d deps) queue() queue.Deps {
	return queue.Deps{DB: d.db, Lua: d.lua, Locks: d.locks, Clock: d.clock, Log: d.log, Faults: d.faults}
}

// delivery returns the settings of deliveries of events.
func (c Config) delivery() delivery.Config {
	return delivery.Config{AllowPrivate: c.EventsAllowPrivate}
}

// delivery returns what deliveries over the connections of d depend on.
func (s *Server) delivery(d deps) delivery.Deps {
	p := s.parts
	return delivery.Deps{
		DB: d.db, Feed: events.NewFeed(d.db), Now: d.clock.Now, Instance: instanceName(p.NewID()), Random: p.Random,
		Secrets: rand.Reader, Log: d.log, Busy: s.Mover.Busy, Faults: delivery.Faults(d.faults),
	}
}

func (d deps) inventory() inventory.Deps {
	return inventory.Deps{DB: d.db, Lua: d.lua, Clock: d.clock, Log: d.log, Faults: d.faults}
}
