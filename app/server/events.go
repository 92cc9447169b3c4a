package server

import (
	"crypto/rand"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/events"
	"onrush/web"
)

// wireEvents builds what numbers events and what streams them to their buyers.
func (s *Server) wireEvents(base deps, pools Pools) *events.HTTPBuyer {
	s.Sequencer = events.NewSequencer(base.db, base.log)
	s.tickets = events.NewTickets([]byte(s.cfg.PathSecret), []byte(s.cfg.PathSecretPrevious), base.lua, s.clock.Now,
		rand.Reader)
	s.stream = events.NewHTTPBuyer(events.NewHub(events.HubDeps{
		DB: pools.Buyers, Now: s.parts.Now, Log: base.log,
	}), s.tickets)
	return s.stream
}

// registerStream adds the buyers' stream of events, which a ticket opens too. It stands before the group of the
// buyers' routes, which accepts tokens only.
func (s *Server) registerStream(limits *web.RateLimits) {
	before := []fiber.Handler{s.Auth.RequireTicket(s.tickets.Check)}
	if limits != nil {
		before = append(before, limits.Handle)
	}
	s.stream.RegisterStream(s.App, append(before, s.knowTime)...)
}
