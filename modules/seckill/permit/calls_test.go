package permit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/test/kit"
)

// holdFirst is a hook of a client that lets its first command wait.
type holdFirst struct {
	first sync.Once
	sent  chan struct{} // is closed when the first command is sent
	open  chan struct{} // lets it continue
	err   error         // what every command returns after that, if it is set
}

func newHoldFirst() *holdFirst {
	return &holdFirst{sent: make(chan struct{}), open: make(chan struct{})}
}

func (h *holdFirst) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *holdFirst) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (h *holdFirst) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		h.first.Do(func() {
			close(h.sent)
			<-h.open
		})
		if h.err != nil {
			cmd.SetErr(h.err)
			return h.err
		}
		return next(ctx, cmd)
	}
}

// waiting returns how many users wait for the next call.
func (i *instance) waiting() int {
	users, _ := i.calls.Waiting(i.copy(request("")))
	return users
}

// crowd lets users ask at once while the first call, of the user first, is held, and returns their answers.
// Those for whom gone is true give up before the next call.
func (i *instance) crowd(t *testing.T, hold *holdFirst, n int, gone func(int) bool) ([]lua.Permit, []error) {
	t.Helper()
	var all sync.WaitGroup
	all.Go(func() { _, _ = i.Take(t.Context(), request("first")) })
	<-hold.sent
	permits, errs := make([]lua.Permit, n), make([]error, n)
	leave, cancel := context.WithCancel(t.Context())
	var left sync.WaitGroup
	for k := range n {
		ctx, done := t.Context(), &all
		if gone(k) {
			ctx, done = leave, &left
		}
		done.Go(func() { permits[k], errs[k] = i.Take(ctx, request(fmt.Sprint("user", k))) })
	}
	require.Eventually(t, func() bool { return i.waiting() == n }, 10*time.Second, time.Millisecond)
	cancel()
	left.Wait()
	close(hold.open)
	all.Wait()
	return permits, errs
}

func TestUsersWhoAskAtOnceShareACallAndThoseWhoLeftGetNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		const users, units = 600, 100
		stock(t, s, units)
		i := newInstance(t, s)
		hold := newHoldFirst()
		i.lua.Redis.(*redis.Client).AddHook(hold)
		permits, errs := i.crowd(t, hold, users, func(k int) bool { return k%6 == 0 })
		taken := 0
		for k := range users {
			if k%6 == 0 {
				require.ErrorIs(t, errs[k], context.Canceled)
				continue
			}
			require.NoError(t, errs[k])
			if permits[k].Code == lua.PermitTaken {
				assert.Positive(t, permits[k].ExpiresMS)
				_, err := s.Redis.ZScore(t.Context(), s.Keys.Permits(1, "7", "sku"), fmt.Sprint("user", k)).Result()
				require.NoError(t, err, "the answer is the user's own")
				taken++
				continue
			}
			assert.Equal(t, lua.PermitNone, permits[k].Code)
		}
		assert.Equal(t, units-1, taken, "first has one")
		// One call of first, two of the crowd, and one that loads the script.
		assert.LessOrEqual(t, i.sent(), 4)
		assert.Zero(t, i.waiting())
	})
}

func TestAFailedCallIsAnsweredToAllItsUsers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		stock(t, s, 100)
		i := newInstance(t, s)
		hold := newHoldFirst()
		hold.err = errors.New("redis is gone")
		i.lua.Redis.(*redis.Client).AddHook(hold)
		_, errs := i.crowd(t, hold, 300, func(int) bool { return false })
		for _, err := range errs {
			require.ErrorIs(t, err, hold.err)
		}
	})
}
