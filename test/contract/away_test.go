package contract

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
)

func TestWithoutAStoreEveryRouteAnswersOrIsUnavailable(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*kit.Stores, testing.TB){
		"redis": (*kit.Stores).RedisAway, "sql": (*kit.Stores).SQLAway,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				w := standing(t, stores)
				w.site.Drain(t) // a stream of a task that waits would last a minute
				requests := map[*operation]*request{}
				for _, op := range w.operations {
					requests[op] = w.good(t, op)
				}
				away(stores, t)
				unavailable := 0
				for _, op := range w.operations {
					a := w.caller(op).send(t, requests[op]) // it fits, also with Retry-After
					if a.Status == http.StatusServiceUnavailable {
						unavailable++
						continue
					}
					assert.Less(t, a.Status, 500, "%s: %s", op.id, a.Body)
				}
				assert.Greater(t, unavailable, 3, "something needs the store")
			}, kit.Breakable())
		})
	}
}
