package line

import (
	"cmp"
	"errors"
	"time"
)

// Config configures the waiting rooms. Fields that are zero have their defaults.
type Config struct {
	// Secret is the secret of order paths, from which the keys of places are derived. At least 32 bytes, the
	// same in all instances.
	Secret []byte
	// PreviousSecret is the secret before the last change; its places are still accepted. Empty, or at least
	// 32 bytes.
	PreviousSecret []byte
	// Most is how many users may join the line of one activity before its start, and how many may be in it
	// after its start. Redis keeps about 112 bytes for each. Default 1,000,000.
	Most int64
	// KeepAfterEnd is how long Redis keeps a line after the end of its sale. Default one hour.
	KeepAfterEnd time.Duration
}

func (c Config) withDefaults() Config {
	c.Most = cmp.Or(c.Most, 1_000_000)
	c.KeepAfterEnd = cmp.Or(c.KeepAfterEnd, time.Hour)
	return c
}

func (c Config) check() error {
	switch {
	case len(c.Secret) < 32:
		return errors.New("line config: the path secret must have at least 32 bytes")
	case len(c.PreviousSecret) > 0 && len(c.PreviousSecret) < 32:
		return errors.New("line config: the previous path secret must have at least 32 bytes")
	case c.Most < 1 || c.KeepAfterEnd < 0:
		return errors.New("line config: sizes and times must be above 0")
	}
	return nil
}
