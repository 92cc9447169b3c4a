package lua

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// Settings returns the operators' settings as KeepSettings wrote them; "" if there are none.
func (s *Scripts) Settings(ctx context.Context) (string, error) {
	text, err := s.Redis.Get(ctx, s.Keys.Settings()).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", fmt.Errorf("read the settings in Redis: %w", err)
	}
	return text, nil
}

// KeepSettings replaces the operators' settings, if they still are what Settings returned. The error is ErrUnconfirmed
// if too few replicas have them.
func (s *Scripts) KeepSettings(ctx context.Context, was, text string) (kept bool, err error) {
	kept, err = yes(s.runConfirmed(ctx, keepSettings, "", []string{s.Keys.Settings()}, was, text).Int64())
	if err != nil {
		return false, fmt.Errorf("keep the settings in Redis: %w", err)
	}
	return kept, nil
}
