package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestBlockedUserIsRefusedOnEveryInstanceWithinASecond(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		sale := instances[0].Open(t, site.Sale{})
		op, mallory, alice := instances[0].Operator(t), instances[1].Buyer(t, "mallory"), instances[1].Buyer(t, "alice")
		path := mallory.Path(t, sale, "sku")
		placed := mallory.Submit(t, path, "k", one).Placed(t)
		const block = admin + "/blocked/user:mallory"
		must(t, http.StatusOK, op.Call(t, http.MethodPut, block, "", client.BlockRequest{Reason: "resells"}))

		task := "/api/v1/seckill/tasks/" + placed.TaskID
		var refused site.Answer
		require.Eventually(t, func() bool {
			refused = mallory.Ask(http.MethodGet, task, "", nil)
			return refused.Status == http.StatusForbidden
		}, 10*time.Second, 20*time.Millisecond) // the bound is a second; a busy machine takes longer
		assert.Equal(t, "blocked", refused.Code())
		assert.NotContains(t, string(refused.Body), "resells")
		assert.Equal(t, "blocked", mallory.Submit(t, path, "k2", one).Code())
		mallory.ListOrders(t, "") // what was bought stays
		alice.Path(t, sale, "sku")
		assert.Equal(t, http.StatusUnauthorized, instances[1].Stranger().Ask(http.MethodGet, task, "", nil).Status)

		late := site.Start(t, stores)
		assert.Equal(t, "blocked", mallory.At(late).Ask(http.MethodGet, task, "", nil).Code(),
			"an instance knows before its first request")

		must(t, http.StatusNoContent, op.Call(t, http.MethodDelete, block, "", nil))
		require.Eventually(t, func() bool {
			return mallory.Ask(http.MethodGet, task, "", nil).Status == http.StatusOK
		}, 10*time.Second, 20*time.Millisecond)
	})
}

func TestOperatorCanNotBlockTheirOwnProxies(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	op := s.Operator(t)
	for _, subject := range []string{"0.0.0.0%2F0", "127.0.0.1", "::1", "address:%3A%3A%2F0"} {
		a := op.Call(t, http.MethodPut, admin+"/blocked/"+subject, "", client.BlockRequest{Reason: "typo"})
		assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s: %s", subject, a.Body)
	}
}
