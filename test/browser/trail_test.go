package browser_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// An operator who answers a buyer reads what the buyer's page said, beside what the API said to it.
func TestTheTrailOfABuyerHasTheWordsOfTheShop(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	refused := s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/orders/7", "", nil)
	require.Equal(t, http.StatusNotFound, refused.Status)
	at(t, page, "#/user/ada")
	page.Do(t, see("tbody code"))
	reads(t, page, "tbody", `This does not exist, or not any more\. not_found\s+There is no such order\.`)
	assert.Empty(t, page.Errors())
}
