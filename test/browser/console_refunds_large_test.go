//go:build large

package browser_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
)

// A refund has the same words for its states in the list and its filter, on the pages of its order and payment, and in
// the search, and they are explained.
func TestARefundHasTheSameWordsEverywhere(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	order := paid(t, s, "harp", 900)
	refund := s.Operator(t).Call(t, http.MethodPost, operators+"/orders/"+order+"/refund", "k",
		map[string]any{"amount": 300})
	require.Equal(t, http.StatusAccepted, refund.Status, "%s", refund.Body)
	number := refund.JSON(t)["refund_number"].(string)
	for _, v := range []struct{ language, pending, done, failed, means string }{
		{"en", "Refunding", "Refunded", "Failed", "The money is on its way back."},
		{"zh", "退款中", "已退款", "失败", "款项正在退回。"},
	} {
		speak(t, page, v.language, s.URL+"/admin", ".attention")
		answers(t, page, map[string]string{
			`\/refunds`: `for (const refund of body.items) refund.status = 'pending'`,
			`\/search`:  `for (const hit of body.items) if (hit.kind === 'refund') hit.status = 'pending'`,
		})
		at(t, page, "#/money/refunds")
		reads(t, page, "tbody .badge", "^"+v.pending+"$")
		assert.Equal(t, v.means, browser.Run[string](t, page, `return document.querySelector('tbody .badge').title`))
		reads(t, page, "#refund-words", v.pending+`[^]*`+v.done+`[^]*`+v.failed)
		options := browser.Run[[]string](t, page, `
			return [...document.querySelectorAll('[name=status] option')].slice(1).map((option) => option.innerText)`)
		assert.Equal(t, []string{v.pending, v.done, v.failed}, options)
		at(t, page, "#/order/"+order)
		reads(t, page, ".heading .badge + .badge", "^"+v.pending+` ¥3\.00$`)
		reads(t, page, ".amounts", v.pending)
		reads(t, page, "main > .table ~ .table .badge.refunding", "^"+v.pending+"$")
		at(t, page, "#/money/refunds?refund_number="+number)
		page.Do(t, browser.Until(`document.querySelector('tbody .badge')?.innerText === '`+v.done+`'`))
	}
	assert.Empty(t, page.Errors())
}
