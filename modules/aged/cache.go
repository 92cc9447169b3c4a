package aged

import (
	"context"
	"time"

	"onrush/modules/bounded"
)

// Cache keeps a Copy per key, and of many keys those that were used last. It is safe for concurrent use.
type Cache[V any] struct {
	cfg    Config
	copies *bounded.Map[string, *Copy[V]]
}

// NewCache returns an empty cache of at most most copies.
func NewCache[V any](cfg Config, most int) *Cache[V] {
	return &Cache[V]{cfg: cfg, copies: bounded.New[string, *Copy[V]](most)}
}

// Get calls Get of the key's Copy.
func (c *Cache[V]) Get(
	ctx context.Context, key string, maxAge time.Duration, by func(context.Context) (V, error),
) (V, error) {
	return c.copies.GetOrMake(key, func() *Copy[V] { return &Copy[V]{} }).Get(ctx, &c.cfg, maxAge, by)
}

// Forget calls Forget of the key's Copy.
func (c *Cache[V]) Forget(key string) {
	if of, found := c.copies.Get(key); found {
		of.Forget()
	}
}
