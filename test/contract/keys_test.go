package contract

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/web"
	"onrush/web/client"
)

func TestKeysAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		request := object{"name": "till 3", "scope": "till", "expires_at": time.Now().Add(time.Hour)}
		made := do[client.Key](t, w.op, 201, "createKey", key("k"), sent(request))
		again := do[client.Key](t, w.op, 201, "createKey", key("k"), sent(request))
		again.Replayed = false
		assert.Equal(t, made, again)
		other := object{"name": "till 4", "scope": "till"}
		assert.Equal(t, "idempotency_key_reused", w.op.do(t, 422, "createKey", key("k"), sent(other)).Code())
		assert.Equal(t, "conflict", w.op.do(t, 409, "createKey", key("l"), sent(request)).Code())
		w.op.do(t, 201, "createKey", key("l"), sent(other))

		holder := &person{shop: w.shop, name: "key:till 3", token: made.Secret}
		me := do[client.Me](t, holder, 200, "getMe")
		assert.Equal(t, []string{"key:till 3", "till"}, []string{me.Name, string(me.Scope)})
		assert.WithinDuration(t, made.ExpiresAt, me.ExpiresAt, 0)
		holder.do(t, 403, "listKeys")
		_, err := w.site.Server.Keys.RunOnce(t.Context())
		require.NoError(t, err)

		w.op.do(t, 204, "revokeKey", param("key_id", made.KeyID))
		w.op.do(t, 204, "revokeKey", param("key_id", made.KeyID))
		w.op.do(t, 404, "revokeKey", param("key_id", "4711"))
		holder.do(t, 401, "getMe")
		first := do[client.KeyList](t, w.op, 200, "listKeys", query("page_size=1"))
		second := do[client.KeyList](t, w.op, 200, "listKeys", query("after="+first.NextCursor))
		require.Len(t, second.Items, 1)
		revoked := second.Items[0]
		assert.Equal(t, []string{"till 3", "operator", "operator"},
			[]string{revoked.Name, revoked.CreatedBy, revoked.RevokedBy})
		assert.NotZero(t, revoked.LastUsedAt)
	})
}

// What the program tells a caller is what it checks: each route is registered with the same scopes.
func TestScopesOfTheFileAreThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	s := open(t, kit.OnEmbedded(t))
	routed := map[string][]string{}
	for _, r := range do[client.Me](t, s.operator(t), 200, "getMe").Routes {
		for _, scope := range r.Scopes {
			routed[r.Route] = append(routed[r.Route], string(scope))
		}
	}
	described := map[string][]string{}
	for _, op := range s.operations {
		scopes, _ := op.op.Extensions["x-scopes"].([]any)
		if op.role() != web.RoleAdmin {
			assert.Empty(t, scopes, op.id)
			continue
		}
		route := op.method + " " + op.path[len("/admin/api/v1"):]
		for _, scope := range scopes {
			described[route] = append(described[route], scope.(string))
		}
	}
	assert.Equal(t, described, routed)
	assert.Greater(t, len(described), 80)
}

// Each scope calls each operators' route with a valid request, and each route of buyers.
func TestEveryRouteAcceptsTheScopesOfTheFileOnly(t *testing.T) {
	t.Parallel()
	inTurn(t)
	w := standing(t, kit.OnEmbedded(t))
	requests := map[*operation]*request{} // before the first of them changes something
	for _, op := range w.operations {
		if op.role() != "" {
			requests[op] = w.good(t, op)
		}
	}
	for _, scope := range w.doc.Components.Schemas["Scope"].Value.Enum {
		made := do[client.Key](t, w.op, 201, "createKey", key("scope-"+scope.(string)),
			sent(object{"name": scope, "scope": scope}))
		holder := &person{shop: w.shop, name: "key:" + made.Name, token: made.Secret}
		allowed := 0
		for op, good := range requests {
			a := holder.send(t, good)
			scopes, _ := op.op.Extensions["x-scopes"].([]any)
			if slices.Contains(scopes, scope) {
				allowed++
				assert.Less(t, a.Status, 500, "%s by %s: %s", op.id, scope, a.Body)
				assert.NotContains(t, []int{401, 403}, a.Status, "%s by %s: %s", op.id, scope, a.Body)
				continue
			}
			assert.Equal(t, "forbidden", a.Code(), "%s by %s: %s", op.id, scope, a.Body)
			assert.Equal(t, 403, a.Status)
			if op.role() == web.RoleAdmin { // the answer names the missing scope
				assert.Contains(t, string(a.Body), fmt.Sprintf("has the scope %s; the route needs ", scope))
				for _, needed := range scopes {
					assert.Contains(t, string(a.Body), needed)
				}
			}
		}
		assert.Positive(t, allowed, scope)
	}
}
