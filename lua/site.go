package lua

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// Site returns the copy of the site as KeepSite wrote it; "" if there is none.
func (s *Scripts) Site(ctx context.Context) (string, error) {
	text, err := s.Redis.Get(ctx, s.Keys.Site()).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", fmt.Errorf("read the site in Redis: %w", err)
	}
	return text, nil
}

// KeepSite replaces the copy of the site.
func (s *Scripts) KeepSite(ctx context.Context, text string) error {
	if err := s.Redis.Set(ctx, s.Keys.Site(), text, 0).Err(); err != nil {
		return fmt.Errorf("keep the site in Redis: %w", err)
	}
	return nil
}
