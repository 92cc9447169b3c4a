package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

func TestInstancesAndRefusalsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.site.Server.Instances.Refused("sold_out", 7)
		require.NoError(t, w.site.Server.Instances.RunOnce(t.Context()))
		assert.Len(t, do[client.InstanceList](t, w.op, 200, "listInstances").Items, 1)
		found := do[client.Refusals](t, w.op, 200, "listRefusals", query("minutes=60")).Items
		assert.Contains(t, found, client.Refusal{Code: "sold_out", Requests: 7})
	})
}
