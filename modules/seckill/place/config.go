package place

import (
	"cmp"
	"errors"
	"time"

	"onrush/lua"
)

// Config configures a Placer. Fields that are zero have their defaults.
type Config struct {
	// Within bounds one round trip. Default 800 ms.
	Within time.Duration
	// Batch is how many orders one script call places. Default 256.
	Batch int
	// MaxWaiting is how many submits of one activity may wait in an instance. Default 8192.
	MaxWaiting int
	// QueueLimit is the maximum number of orders in a lane's queue; no order is placed in a full queue.
	// Default 200,000.
	QueueLimit int64
	// Confirm says which replicas of Redis must have an order before it is answered. Its Within is 500 ms by default.
	Confirm lua.Confirm
}

// WithDefaults returns c with its defaults.
func (c Config) WithDefaults() Config {
	c.Within = cmp.Or(c.Within, 800*time.Millisecond)
	c.Batch = cmp.Or(c.Batch, 256)
	c.MaxWaiting = cmp.Or(c.MaxWaiting, 8192)
	c.QueueLimit = cmp.Or(c.QueueLimit, 200_000)
	c.Confirm.Within = cmp.Or(c.Confirm.Within, 500*time.Millisecond)
	return c
}

func (c Config) check() error {
	switch {
	case c.Batch < 1 || c.Batch > 256:
		return errors.New("place config: a batch must have 1 to 256 orders")
	case c.MaxWaiting < 1 || c.QueueLimit < 1 || c.Within <= 0 || c.Confirm.Within <= 0:
		return errors.New("place config: sizes and times must be above 0")
	case c.Confirm.Replicas < 0:
		return errors.New("place config: replicas must be 0 or more")
	}
	return nil
}
