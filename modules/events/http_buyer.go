package events

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// StreamPath is the route of the buyers' stream, which a ticket opens too.
const StreamPath = "/api/v1/me/events"

// mostStream is how long a stream lasts at most, in seconds; clients open another one then.
const mostStream = 300

// HTTPBuyer has the buyers' routes of events.
type HTTPBuyer struct {
	hub     *Hub
	tickets *Tickets
}

// NewHTTPBuyer returns the routes.
func NewHTTPBuyer(hub *Hub, tickets *Tickets) *HTTPBuyer { return &HTTPBuyer{hub, tickets} }

// Ticket answers POST /api/v1/me/events/ticket.
func (h *HTTPBuyer) Ticket(c *fiber.Ctx) error {
	ticket, err := h.tickets.Issue(strings.Clone(web.Who(c).User))
	if err != nil {
		return err
	}
	return c.JSON(ticket)
}

// Stream answers GET /api/v1/me/events.
func (h *HTTPBuyer) Stream(c *fiber.Ctx) error {
	if err := web.OnlyQuery(c, "ticket", "after", "timeout_s"); err != nil {
		return err
	}
	lasts, err := web.QueryInt(c, "timeout_s", mostStream, mostStream)
	if err != nil {
		return err
	}
	after, err := streamCursor(c)
	if err != nil {
		return err
	}
	if ticket := c.Query("ticket"); ticket != "" {
		if err := h.tickets.Spend(c.UserContext(), ticket); err != nil {
			return err
		}
	}
	f, err := h.hub.Follow(c.UserContext(), strings.Clone(web.Who(c).User), after)
	if err != nil {
		return err
	}
	begun := false
	return web.Messages(c, time.Duration(lasts)*time.Second, f.Close, func(ctx context.Context) (web.Message, error) {
		if !begun {
			begun = true
			return startMessage(f.Start()), nil
		}
		e, again, err := f.Next(ctx)
		switch {
		case err != nil:
			return web.Message{}, err
		case again != nil:
			return startMessage(*again), nil
		}
		return web.Message{ID: strconv.FormatInt(e.ID, 10), Name: e.Type, Data: e}, nil
	})
}

// startMessage is the first event of a stream. Its id lets a client continue from here even if it has received no other
// event yet.
func startMessage(s Start) web.Message {
	return web.Message{ID: strconv.FormatInt(s.After, 10), Name: "start", Data: s}
}

// streamCursor returns where a stream continues, -1 for new events only. A browser that reconnects by itself sends the
// header, beside the query of its first request.
func streamCursor(c *fiber.Ctx) (int64, error) {
	if last := c.Get("Last-Event-ID"); last != "" {
		return parsePosition("Last-Event-ID", last)
	}
	text, err := web.Query(c, "after")
	if err != nil || text == "" {
		return -1, err
	}
	return parsePosition("after", text)
}
