package seckill

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"onrush/modules/seckill/place"
	"onrush/modules/sign"
)

const (
	// confirmedFor is how long a confirmation is valid.
	confirmedFor = 10 * time.Minute
	// soldOutFor is how old the counts may be by which a buyer is told "sold out".
	soldOutFor = 20 * time.Millisecond
)

// Config configures flash sales. Fields that are zero have their defaults.
type Config struct {
	// Secrets sign paths, task ids and confirmations.
	Secrets sign.Secrets
	// PathFor is how long an order path is valid. Default 2 minutes.
	PathFor time.Duration
	// Place configures the placing of orders. Its Within also bounds a submit from its arrival to its answer.
	Place place.Config
}

func (c Config) withDefaults() Config {
	c.PathFor = cmp.Or(c.PathFor, 2*time.Minute)
	c.Place = c.Place.WithDefaults()
	return c
}

func (c Config) check() error {
	switch {
	case len(c.Secrets.First()) < sign.MinSecret:
		return fmt.Errorf("seckill config: the path secret must have at least %d bytes", sign.MinSecret)
	case c.PathFor <= 0:
		return errors.New("seckill config: times must be above 0")
	}
	return nil
}
