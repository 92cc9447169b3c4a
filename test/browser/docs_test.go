package browser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// openDocs opens /docs and waits until the description was read.
func openDocs(t *testing.T) (*site.Site, *browser.Page) {
	t.Helper()
	b := browser.Open(t)
	s := site.Start(t, kit.OnEmbedded(t))
	page := b.Page(t, s.URL+"/docs")
	page.Do(t, see("#quick-start"), see("#listOrders"))
	return s, page
}

func TestDocsSayWhichTokenARouteNeeds(t *testing.T) {
	t.Parallel()
	_, page := openDocs(t)
	for route, words := range map[string]string{
		"getDocs": "no token", "listActivities": "token optional", "listOrders": "user's token",
		"changeActivity": "operator's token",
	} {
		assert.Equal(t, words, browser.Run[string](t, page,
			`return document.querySelector('#`+route+` .lock').textContent`), route)
	}
}
