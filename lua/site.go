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

// KeepSite writes the copy of the site. It replaces one if replace is true, and else leaves what another site wrote
// meanwhile.
func (s *Scripts) KeepSite(ctx context.Context, text string, replace bool) error {
	set := redis.SetArgs{Mode: "NX"}
	if replace {
		set.Mode = ""
	}
	if err := s.Redis.SetArgs(ctx, s.Keys.Site(), text, set).Err(); err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("keep the site in Redis: %w", err)
	}
	return nil
}
