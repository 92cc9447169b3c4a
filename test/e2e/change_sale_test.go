package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// saleInStores is what both stores know of a sale.
type saleInStores struct {
	Lane    int   `db:"lane"`
	EndsMS  int64 `db:"ends_ms"`
	Limit   int64 `db:"purchase_limit"`
	Version int64 `db:"version"`
	Applied int64 `db:"applied"`
}

// requireStoresAgree checks that Redis has the version of a sale that SQL has, and that SQL knows that.
func requireStoresAgree(t *testing.T, stores *kit.Stores, activity string) (sale saleInStores) {
	t.Helper()
	require.NoError(t, stores.DB.Read.GetContext(t.Context(), &sale,
		`SELECT lane, ends_ms, purchase_limit, version, applied FROM activities WHERE activity_id = ?`, activity))
	assert.Equal(t, sale.Version, sale.Applied)
	meta, err := stores.Redis.HGetAll(t.Context(), stores.Keys.Meta(sale.Lane, activity)).Result()
	require.NoError(t, err)
	assert.Equal(t, "open", meta["state"])
	assert.Equal(t, strconv.FormatInt(sale.Version, 10), meta["version"])
	assert.Equal(t, strconv.FormatInt(sale.EndsMS, 10), meta["ends_ms"])
	assert.Equal(t, strconv.FormatInt(sale.Limit, 10), meta["limit"])
	return sale
}

func TestAChangeOfARunningSaleSurvivesACrashAfterEachStep(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"change_commit", "change_redis", "change_copy"} {
			crashed := site.Start(t, stores, site.Idle(), site.Faults(func(done string) error {
				if done == step {
					return errors.New("crash")
				}
				return nil
			}))
			other := site.Start(t, stores, site.Idle())
			activity := other.Open(t, site.Sale{PurchaseLimit: 1})
			alice := other.Buyer(t, "alice")
			must(t, http.StatusAccepted, alice.Submit(t, alice.Path(t, activity, "sku"), "first", one))

			ends := time.Now().Add(5 * time.Hour).UTC().Truncate(time.Millisecond)
			a := crashed.Operator(t).Ask(http.MethodPatch, admin+"/activities/"+activity, "",
				client.ActivityChange{EndsAt: ends, PurchaseLimit: 2})
			require.GreaterOrEqual(t, a.Status, 500, step)
			other.Job(t, "settle_stock")

			sale := requireStoresAgree(t, stores, activity)
			assert.Equal(t, ends.UnixMilli(), sale.EndsMS, step)
			assert.Equal(t, int64(1), sale.Version, step)
			site.Poll(t, alice, "/api/v1/activities/"+activity, func(a client.Activity) bool { // known within a second
				return a.EndsAt.Equal(ends)
			})
			must(t, http.StatusAccepted, alice.Submit(t, alice.Path(t, activity, "sku"), "second", one))
			requireRefusal(t, alice.Submit(t, alice.Path(t, activity, "sku"), "third", one), http.StatusConflict,
				"purchase_limit")
			other.Drain(t)
			require.Empty(t, other.Audit(t, activity), step)
		}
	})
}

func TestChangesOfOneSaleAtOnceAreAllMade(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		activity := instances[0].Open(t, site.Sale{PurchaseLimit: 1})
		op := instances[0].Operator(t)
		const n = 24
		for _, a := range kit.AtOnce(n, func(i int) site.Answer {
			return op.At(instances[i%2]).Insist(http.MethodPatch, admin+"/activities/"+activity, "",
				client.ActivityChange{Title: fmt.Sprint("Sale ", i)})
		}) {
			must(t, http.StatusOK, a)
		}
		instances[0].Job(t, "settle_stock")
		assert.GreaterOrEqual(t, requireStoresAgree(t, stores, activity).Version, int64(n))
	})
}

// solve answers a challenge of a proof of work, as its description in the OpenAPI file says.
func solve(t *testing.T, c client.Challenge) string {
	t.Helper()
	for number := range c.Maxnumber + 1 {
		sum := sha256.Sum256([]byte(c.Salt + strconv.FormatInt(number, 10)))
		if hex.EncodeToString(sum[:]) != c.Challenge {
			continue
		}
		text, err := json.Marshal(map[string]any{
			"algorithm": c.Algorithm, "challenge": c.Challenge, "number": number, "salt": c.Salt,
			"signature": c.Signature,
		})
		require.NoError(t, err)
		return base64.StdEncoding.EncodeToString(text)
	}
	require.Fail(t, "no number solves the challenge")
	return ""
}

func TestASaleWithAProofOfWorkGivesAPathForEachSolvedChallengeOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		activity := instances[0].Open(t, site.Sale{})
		instances[0].Operator(t).ChangeActivity(t, activity, client.ActivityChange{HumanCheck: "pow"})
		alice, bob := instances[0].Buyer(t, "alice"), instances[0].Buyer(t, "bob")
		path := func(p *site.Person, answer string) site.Answer {
			return p.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
				client.PathRequest{ActivityID: activity, SKUID: "sku", HumanCheck: answer})
		}
		requireRefusal(t, path(alice, ""), http.StatusForbidden, "human_check_required")
		challenge := site.Read[client.Challenge](t, http.StatusOK,
			alice.Call(t, http.MethodGet, "/api/v1/seckill/challenge?activity_id="+activity, "", nil))
		answer := solve(t, challenge)
		requireRefusal(t, path(bob, answer), http.StatusForbidden, "human_check_failed")
		taken := pathOf(path(alice, answer))
		requireRefusal(t, path(alice.At(instances[1]), answer), http.StatusForbidden, "human_check_failed")
		must(t, http.StatusAccepted, alice.Submit(t, taken, "k", one))
	})
}
