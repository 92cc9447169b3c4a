package stage

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/seckill"
	"onrush/modules/seckill/place"
	"onrush/modules/sign"
	"onrush/test/goods"
)

// Submits returns the service by which buyers order in the sale. Without an address they order if its Kind
// is catalogue.Virtual.
func (s *Stage) Submits(t testing.TB) *seckill.Service {
	t.Helper()
	clock := clock.Fixed(time.Now)
	service, err := seckill.NewService(seckill.Config{
		Secrets: sign.Secrets{strings.Repeat("s", 32)}, Place: place.Config{Within: time.Minute},
	}, seckill.Deps{
		DB: s.Stores.DB, Lua: s.Scripts, Clock: clock,
		Cache:  seckill.NewActivityCache(s.Stores.DB, s.Scripts, clock, time.Now),
		Counts: seckill.NewStockCache(s.Scripts, time.Now), Counters: seckill.NewAnswerCounters(s.Scripts, clock),
		Destinations: goods.New(s.Stores).Destinations, Numbers: s.Numbers, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return service
}
