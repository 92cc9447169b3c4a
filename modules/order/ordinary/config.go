package ordinary

import "time"

// Config configures ordinary orders. Zero fields have their default.
type Config struct {
	// PayWithin is how long an order may stay unpaid. Default 30 min.
	PayWithin time.Duration
	// UnpaidOrders is how many unpaid ordinary orders a user may have when placing more. Default 0: any number.
	UnpaidOrders int
}

func (c Config) withDefaults() Config {
	if c.PayWithin <= 0 {
		c.PayWithin = 30 * time.Minute
	}
	return c
}
