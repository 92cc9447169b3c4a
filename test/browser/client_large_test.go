//go:build large

package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill/gates/human"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// A page of the shop's origin buys through all gates of a sale that has not begun, pays on the sandbox's page, and
// comes back to the shop.
func TestAPageOfTheShopBuysThroughEveryGateAndPays(t *testing.T) {
	t.Parallel()
	buyThroughEveryGate(t, kit.OnEmbedded(t))
}

// A page of another origin can't read an answer, nor order for a buyer.
func TestAPageOfAnotherOriginIsRefused(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t))
	activity := s.Open(t, site.Sale{})
	token, err := s.Server.Auth.Sign("ada", "user", time.Hour)
	require.NoError(t, err)
	page := b.Page(t, shop(t))
	got := browser.Run[[]string](t, page, script(`
		const tries = [
			['/api/v1/activities', {}],
			['/api/v1/orders', { headers: { Authorization: 'Bearer $TOKEN' } }],
			['/api/v1/seckill/path', { method: 'POST', body: '{"activity_id":"$ACTIVITY","sku_id":"sku"}',
				headers: { Authorization: 'Bearer $TOKEN', 'Content-Type': 'application/json' } }],
			['/assets/onrush.js', {}],
		];
		return Promise.all(tries.map(([path, options]) =>
			fetch('$BASE' + path, options).then((answer) => 'read ' + path, (error) => String(error))));`,
		s, token, activity))
	require.Len(t, got, 4)
	for _, outcome := range got {
		assert.Equal(t, "TypeError: Failed to fetch", outcome)
	}
}

// A human check that the client can't do by itself, and a worker that can't be loaded, are errors with a code.
func TestAHumanCheckThatCannotBeDoneHasACode(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t))
	activity := s.Open(t, site.Sale{HumanCheck: human.ProofOfWork})
	token, err := s.Server.Auth.Sign("ada", "user", time.Hour)
	require.NoError(t, err)
	page := b.Page(t, s.URL+"/") // it has the worker
	for change, want := range map[string]string{
		`body.human_check = 'captcha'`:  "human_check_required: The human check captcha needs a page that shows it",
		`body.algorithm = 'SHA-1'`:      "unreachable: The worker of the human check failed: the algorithm",
		`onrushHuman.solve = undefined`: "unreachable: The worker of the human check failed: ",
	} {
		got := browser.Run[string](t, page, script(`
			const { Onrush } = await import('$BASE/assets/onrush.js');
			const { solve } = onrushHuman;
			const ask = async (url, options) => {
				const answer = await fetch(url, options);
				if (!url.includes('/challenge')) return answer;
				const body = await answer.json();
				`+change+`;
				return new Response(JSON.stringify(body));
			};
			const shop = new Onrush({ baseURL: '$BASE', token: '$TOKEN', fetch: ask });
			try {
				await shop.path({ activity: '$ACTIVITY', sku: 'sku' });
			} catch (error) {
				return error.code + ': ' + error.message;
			} finally {
				onrushHuman.solve = solve;
			}`, s, token, activity))
		assert.True(t, strings.HasPrefix(got, want), got)
	}
}
