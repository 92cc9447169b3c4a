package ordinary

import "time"

// Config configures ordinary orders. Zero fields have their default.
type Config struct {
	// PayWithin is how long an order may stay unpaid. Default 30 min.
	PayWithin time.Duration
}

func (c Config) withDefaults() Config {
	if c.PayWithin <= 0 {
		c.PayWithin = 30 * time.Minute
	}
	return c
}
