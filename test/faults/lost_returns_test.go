package faults

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// Thirty orders are cancelled, each answered 200, and the replica that lacks their returns becomes the master. Two
// instances run their jobs; nobody does anything.
func TestAFailoverLosesNoReturnedUnit(t *testing.T) {
	t.Parallel()
	const cancelled = 30
	for _, replicas := range []int{0, 1} {
		t.Run(fmt.Sprintf("%d replicas confirm", replicas), func(t *testing.T) {
			t.Parallel()
			f := newFailovers(t, 5, replicas, 1)
			numbers := map[string]string{}
			for i := range cancelled {
				user := fmt.Sprint("user", i)
				numbers[user] = placed(t, f.sites[i%2].Buyer(t, user).Buy(t, f.activity, "sku", "key"))
			}
			f.sites[0].Drain(t)
			f.c.Settle(t)
			master := f.c.MasterOf(t, f.lane)
			replica := f.c.ReplicaOf(t, master)
			replica.CutOff(t)
			for user, number := range numbers {
				a := f.sites[0].Buyer(t, user).Insist(http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
				require.Equal(t, http.StatusOK, a.Status, string(a.Body))
			}
			master.Kill(t)
			f.c.MasterOf(t, f.lane)
			replica.JoinAgain(t)
			master.Restart(t)
			f.c.Settle(t)
			lacking := fmt.Sprint(failoverUsers - cancelled)
			require.Equal(t, lacking, remaining(t, f.sites[0], f.activity)["sku"], "the replica lacks the returns")

			// Without replicas, SQL has forgotten the returns: the audit finds them.
			jobs := map[int][]string{0: {"audit"}, 1: {"settle_stock"}}[replicas]
			for _, job := range jobs {
				for _, s := range f.sites {
					s.Job(t, job)
				}
			}
			assert.Equal(t, fmt.Sprint(failoverUsers), remaining(t, f.sites[1], f.activity)["sku"])
			held, err := f.c.Redis.HGetAll(t.Context(),
				f.c.Keys.Held(site.Lane(t, f.sites[0].Stores, f.activity), f.activity)).Result()
			require.NoError(t, err)
			assert.Empty(t, held, "no stale hold")
			assert.Empty(t, f.sites[0].Audit(t, f.activity))
			assert.Zero(t, pendingRows(t, f.c.Stores), "nothing is owed")
			placed(t, f.sites[1].Buyer(t, "next").Buy(t, f.activity, "sku", "key"))
		})
	}
}

func pendingRows(t *testing.T, s *kit.Stores) (n int) {
	t.Helper()
	const pending = `SELECT COUNT(*) FROM stock_outbox WHERE state = 'pending'`
	require.NoError(t, s.DB.Write.GetContext(t.Context(), &n, pending))
	return n
}
