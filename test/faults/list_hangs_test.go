package faults

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// hangs makes reads of counts wait for their timeout while it is set.
type hangs struct {
	on      atomic.Bool
	reads   atomic.Int64
	waiting kit.Concurrency
}

func (h *hangs) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *hangs) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (h *hangs) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if !h.on.Load() || len(cmds) < 2 || !strings.HasPrefix(cmds[1].String(), "hmget ") {
			return next(ctx, cmds)
		}
		h.reads.Add(1)
		h.waiting.Begin()
		<-ctx.Done()
		h.waiting.End()
		for _, cmd := range cmds {
			cmd.SetErr(ctx.Err())
		}
		return ctx.Err()
	}
}

func TestTheListOfSalesDoesNotWaitForRedisSaleBySale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const sales = 15
		hang := &hangs{}
		hanging := *stores
		hanging.Redis = stores.ConnectRedis(t)
		hanging.Redis.AddHook(hang)
		s := site.Start(t, &hanging, site.Idle())
		for i := range sales {
			s.Open(t, site.Sale{SKU: "sku" + strconv.Itoa(i)})
		}
		hang.on.Store(true)
		a := s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/activities?page_size=15", "", nil)
		require.Equal(t, http.StatusOK, a.Status)
		assert.Len(t, a.JSON(t)["items"], sales)
		assert.NotContains(t, string(a.Body), `"remaining"`)
		assert.LessOrEqual(t, hang.reads.Load(), int64(sales), "each sale is read once")
		assert.Greater(t, hang.waiting.Most(), int64(sales/2), "the sales are read at the same time")
	})
}
