package delivery

import (
	"cmp"
	"time"
)

// Config has the bounds of deliveries; fields that are 0 have their defaults.
type Config struct {
	// Private are the hosts and networks that may receive events although they aren't public. Default none.
	Private Private
	// Every is how often Run looks for work. Default 500 ms.
	Every time.Duration
	// Batch is how many events one round reads. Default 500.
	Batch int
	// InFlight is how many requests to one endpoint are made at the same time. Default 8.
	InFlight int
	// Timeout bounds one request. Default 10 s.
	Timeout time.Duration
	// Waiting is how many events of an endpoint may wait for a retry; with more its cursor stops. Default 1,000.
	Waiting int
	// Endpoints is how many there may be. Default 32.
	Endpoints int
}

const (
	// roundWithin is how long a round begins requests; requests in flight may take Timeout longer.
	roundWithin = 5 * time.Second
	// leaseFor is how long an instance has an endpoint to itself. It is longer than a round.
	leaseFor = 40 * time.Second
	// stopGrace is how long requests in flight may take when the program stops.
	stopGrace = 3 * time.Second
	// recordWithin bounds the transaction that records a round.
	recordWithin = 10 * time.Second
	// previousFor is how long the secret before a new one is valid.
	previousFor = 24 * time.Hour
	// shownAfter is for how long an endpoint has to fail until it is logged.
	shownAfter = 24 * time.Hour
	// restWhileBusy is how long a sender rests before each request while Deps.Busy: 8 of them make at most 200
	// requests a second then.
	restWhileBusy = 40 * time.Millisecond
	// sqlAtOnce is how many connections of its pool a Deliverer uses at the same time, so that many endpoints leave
	// connections to other users of the pool.
	sqlAtOnce = 3
	// roundsPerRun bounds RunOnce.
	roundsPerRun = 100
)

func (c Config) withDefaults() Config {
	c.Every = cmp.Or(c.Every, 500*time.Millisecond)
	c.Batch = cmp.Or(c.Batch, 500)
	c.InFlight = cmp.Or(c.InFlight, 8)
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.Waiting = cmp.Or(c.Waiting, 1000)
	c.Endpoints = cmp.Or(c.Endpoints, 32)
	return c
}
