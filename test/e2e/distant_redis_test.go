package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
)

// With Redis 25 ms away, what a read returns is older than 20 ms when it arrives. If its callers found that too old,
// each would read again, one after the other.
func TestUsersWhoAskAtOnceShareTheReadsOfADistantRedis(t *testing.T) {
	t.Parallel()
	const users, most = 300, 60
	for name, row := range map[string]struct {
		sale  site.Sale
		codes []string // of those who get no path
		paths int
	}{
		"enough for all": {sale: site.Sale{Stock: map[string]int64{"0": users}, PermitRatio: 1}, paths: users},
		"not enough": {
			sale:  site.Sale{Stock: map[string]int64{"0": 10}, PermitRatio: 1},
			codes: []string{"no_permit"}, paths: 10,
		},
		"without permits": {sale: site.Sale{Stock: map[string]int64{"0": 10}}, paths: users},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				own := *stores
				own.Redis = stores.ConnectRedis(t)
				commands := kit.CountCommands(own.Redis)
				s := site.Start(t, &own, site.Idle())
				activity := s.Open(t, row.sale)
				buyers := make([]*site.Person, users)
				for i := range buyers {
					buyers[i] = s.Buyer(t, fmt.Sprint("buyer", i))
				}
				ask := func() (paths int) {
					var mu sync.Mutex
					kit.Crowd(len(buyers), func(i int) {
						a := buyers[i].Insist(http.MethodPost, "/api/v1/seckill/path", "", // a busy machine may be late
							map[string]string{"activity_id": activity, "sku_id": "sku"})
						mu.Lock()
						defer mu.Unlock()
						if a.Status == http.StatusOK {
							paths++
							return
						}
						assert.Contains(t, row.codes, a.Code())
					})
					return paths
				}
				commands.Take()
				for range 3 { // the second and third use the copies of the first
					assert.Equal(t, row.paths, ask())
					sent := commands.Take()
					assert.LessOrEqual(t, sent["hmget"], most, "reads of the stock: %v", sent)
					assert.LessOrEqual(t, sent["evalsha"], most, "calls of scripts: %v", sent)
					assert.Zero(t, sent["hgetall"], "%v", sent)
				}
			}, kit.RedisAt(25*time.Millisecond))
		})
	}
}
