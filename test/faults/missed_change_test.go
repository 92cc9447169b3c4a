package faults

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/site"
)

// endings are the ways in which an operator ends or pauses a sale, and what buyers are told afterwards.
var endings = []struct{ name, method, route, code string }{
	{"by its end", http.MethodPatch, "", "ended"},
	{"by taking it offline", http.MethodPost, "/offline", "offline"},
	{"by pausing it", http.MethodPost, "/pause", "sale_paused"},
}

// end ends a sale at an instance that fails to change Redis.
func end(t *testing.T, s *site.Site, activity, method, route string) {
	t.Helper()
	var body any
	if method == http.MethodPatch {
		body = map[string]any{"ends_at": time.Now().UTC()}
	}
	a := s.Operator(t).Call(t, method, "/admin/api/v1/activities/"+activity+route, "", body)
	require.GreaterOrEqual(t, a.Status, 500, "Redis didn't get the change: %s", a.Body)
}

// keptSale returns an activity as the copy in Redis has it.
func keptSale(t *testing.T, stores *kit.Stores, activity string) *seckill.Activity {
	t.Helper()
	data, err := stores.Redis.Get(t.Context(), stores.Keys.Sale(activity)).Bytes()
	require.NoError(t, err)
	var kept struct {
		Activity *seckill.Activity `json:"activity"`
	}
	require.NoError(t, json.Unmarshal(data, &kept))
	return kept.Activity
}

// requireEndedEverywhere requires that Redis and its copy have a sale as SQL has it, that a path from before
// places nothing, and that an instance which starts without SQL doesn't sell it.
func requireEndedEverywhere(
	t *testing.T, stores *kit.Stores, s *site.Site, activity, path, code string,
) {
	t.Helper()
	a, err := s.Server.Activities.Get(t.Context(), activity)
	require.NoError(t, err)
	assert.Equal(t, a.Version, a.Applied)
	meta, err := stores.Redis.HGetAll(t.Context(), stores.Keys.Meta(a.Lane, activity)).Result()
	require.NoError(t, err)
	assert.Equal(t, strconv.FormatInt(a.EndsMS, 10), meta["ends_ms"])
	assert.Equal(t, a.State == seckill.Offline, meta["state"] == "closed")
	assert.Equal(t, a.PausedMS > 0, meta["paused"] == "1")
	kept := keptSale(t, stores, activity)
	assert.Equal(t, a.EndsMS, kept.EndsMS, "the copy")
	assert.Equal(t, a.State, kept.State, "the copy")
	assert.Equal(t, a.PausedMS, kept.PausedMS, "the copy")
	one := map[string]any{"quantity": 1}
	assert.Equal(t, code, s.Buyer(t, "alice").Submit(t, path, "late", one).Code())

	stores.SQLAway(t)
	cold := site.Start(t, stores, site.Idle())
	refused := cold.Buyer(t, "bob").Call(t, http.MethodPost, "/api/v1/seckill/path", "",
		map[string]string{"activity_id": activity, "sku_id": "sku"})
	assert.Equal(t, code, refused.Code(), string(refused.Body))
	stores.SQLBack(t)
}

func TestASaleThatEndedWhileRedisMissedItIsEndedInRedisAndItsCopy(t *testing.T) {
	t.Parallel()
	for _, ending := range endings {
		t.Run(ending.name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				s := site.Start(t, stores, site.Idle())
				crashing := site.Start(t, stores, site.Idle(), site.Faults(func(step string) error {
					if step == "change_commit" {
						return errors.New("crash")
					}
					return nil
				}))
				activity := s.Open(t, site.Sale{})
				path := s.Buyer(t, "alice").Path(t, activity, "sku")
				end(t, crashing, activity, ending.method, ending.route)
				waitFor(t, "the end has passed", func() bool {
					a, err := s.Server.Activities.Get(t.Context(), activity)
					return err == nil &&
						(time.Now().UnixMilli() > a.EndsMS || a.State == seckill.Offline || a.PausedMS > 0)
				})
				s.Job(t, "settle_stock")
				requireEndedEverywhere(t, stores, s, activity, path, ending.code)
			}, kit.Breakable())
		})
	}
}

func TestASaleThatEndedWhileRedisWasFrozenTakesNoOrderAfterwards(t *testing.T) {
	t.Parallel()
	for _, ending := range endings {
		t.Run(ending.name, func(t *testing.T) {
			t.Parallel()
			stores, server := ownRedis(t, kit.Breakable())
			s := site.Start(t, stores)
			activity := s.Open(t, site.Sale{})
			path := s.Buyer(t, "alice").Path(t, activity, "sku")
			server.Freeze(t)
			end(t, s, activity, ending.method, ending.route)
			server.Thaw(t)
			waitFor(t, "Redis has the change", func() bool {
				a, err := s.Server.Activities.Get(t.Context(), activity)
				return err == nil && a.Version > 0 && a.Applied == a.Version
			})
			requireEndedEverywhere(t, stores, s, activity, path, ending.code)
		})
	}
}
