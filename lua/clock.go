package lua

import (
	"context"
	"fmt"
)

// NowMS returns Redis TIME in ms, the clock of every sale.
func (s *Scripts) NowMS(ctx context.Context) (int64, error) {
	now, err := s.Redis.Time(ctx).Result()
	if err != nil {
		return 0, fmt.Errorf("read the time of Redis: %w", err)
	}
	return now.UnixMilli(), nil
}
