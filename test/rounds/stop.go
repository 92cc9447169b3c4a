package rounds

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"onrush/web/client"
)

// stop is a time in which all sales were stopped: from the answer to the stop until operators let them go on.
type stop struct{ from, until time.Time }

// stopWithin is how long after the answer an instance may still place orders, and by how much clocks may differ.
const stopWithin = time.Second + 200*time.Millisecond

// stopSales stops all sales, and lets them go on after a while. A stop that was answered with an error may hold.
func (c *changing) stopSales(ctx context.Context, desk *operators, between func()) bool {
	set := func(stopped bool, v any) bool {
		return desk.call(ctx, http.MethodPatch, "/settings", "", map[string]any{"sales_stopped": stopped}, v)
	}
	stopped := set(true, nil)
	s := stop{from: time.Now()}
	between()
	var settings client.Settings
	if stopped && desk.call(ctx, http.MethodGet, "/settings", "", nil, &settings) && !settings.InForce.SalesStopped {
		desk.problems = append(desk.problems, "an instance says that no sale is stopped, after a stop was answered")
	}
	s.until = time.Now()
	for ctx.Err() == nil && !set(false, nil) {
		wait(pollEvery)
	}
	if stopped {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.stops = append(c.stops, s)
	}
	return stopped
}

// deskRoom is the room of the drill's orders of units set aside, from which no stop keeps an operator.
const deskRoom = "desk"

// brokenStops returns which orders were placed while all sales were stopped.
func brokenStops(stops []stop, orders []client.AdminOrder) (problems []string) {
	for _, o := range orders {
		for _, s := range stops {
			if at := o.PlacedAt; at.After(s.from.Add(stopWithin)) && at.Before(s.until) && o.RoomID != deskRoom {
				problems = append(problems, fmt.Sprintf("order %s was placed %s after a stop of all sales was answered",
					o.OrderNumber, at.Sub(s.from)))
			}
		}
	}
	return problems
}
