package line

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"onrush/modules/sign"
)

// keepAfterEnd is how long Redis keeps a line after the end of its sale.
const keepAfterEnd = time.Hour

// Config configures the waiting rooms. Fields that are zero have their defaults.
type Config struct {
	// Secrets are the secrets of order paths; the keys that sign places are derived from them.
	Secrets sign.Secrets
	// Most is how many users may join the line of one activity before its start, and how many may be in it
	// after its start. Redis keeps about 112 bytes for each. Default 1,000,000.
	Most int64
}

func (c Config) withDefaults() Config {
	c.Most = cmp.Or(c.Most, 1_000_000)
	return c
}

func (c Config) check() error {
	switch {
	case len(c.Secrets.First()) < sign.MinSecret:
		return fmt.Errorf("line config: the path secret must have at least %d bytes", sign.MinSecret)
	case c.Most < 1:
		return errors.New("line config: Most must be above 0")
	}
	return nil
}
