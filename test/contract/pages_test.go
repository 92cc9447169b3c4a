package contract

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

func TestHealthPagesAndDocumentsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		anybody := &person{shop: w.shop}
		for _, id := range []string{
			"livez", "readyz", "getOpenAPIYAML", "getOpenAPIJSON", "getDocs", "getConsole", "getDesign",
			"getHumanScript", "getClient", "getClientTypes", "getHumanWorker",
		} {
			anybody.do(t, 200, id)
		}
		asset := func(version, folder, file string) []part {
			return []part{param("version", version), param("folder", folder), param("file", file)}
		}
		version := w.version(t)
		for folder, file := range map[string]string{
			"shop": "main.js", "console": "main.css", "vendor": "LICENSES.txt",
		} {
			anybody.do(t, 200, "getPageAsset", asset(version, folder, file)...)
		}
		anybody.do(t, 404, "getPageAsset", asset("0123456789abcdef", "shop", "main.js")...)
		anybody.do(t, 200, "getDemoPicture", param("file", "lamp.svg"))
		anybody.do(t, 404, "getDemoPicture", param("file", "another.svg"))
		for _, name := range []string{"docs.css", "docs.js"} {
			anybody.do(t, 200, "getDocsAsset", param("file", name))
		}
	})
}

func TestATokenForDevelopmentAnswersAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		token := do[client.Token](t, &person{shop: w.shop}, 200, "devToken",
			sent(object{"user_id": "grace", "role": "admin"})).Token
		(&person{shop: w.shop, token: token}).do(t, 200, "getQueue")
		nobody := w.buyer(t, "nobody")
		assert.Empty(t, do[client.OrderList](t, nobody, 200, "listOrders").Items)
		assert.Empty(t, do[client.AddressList](t, nobody, 200, "listAddresses").Items)
	})
}

// version returns the version in the addresses of the shop page's files.
func (s *shop) version(t testing.TB) string {
	t.Helper()
	page := (&person{shop: s}).send(t, s.request(t, "getShop"))
	found := regexp.MustCompile(`/assets/pages/([0-9a-f]{16})/shop/main.js`).FindSubmatch(page.Body)
	require.Len(t, found, 2)
	return string(found[1])
}
