//go:build large

package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// shopHost is an nginx that has the platform below /sales/flash, and pages of a shop's own everywhere else, whose paths
// it notes.
const shopHost = `
daemon off; worker_processes 1; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u;
  scgi_temp_path %[1]s/s;
  log_format asked '$request_uri';
  server {
    listen 127.0.0.1:%[2]d;
    location / { access_log %[1]s/outside.log asked; return 200 "the shop's own page"; }
    location %[3]s {
      proxy_pass http://%[4]s;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}`

// behindNginx starts a program below a path of a shop's host, and returns the program, its public address, and the
// paths outside it that were asked for. cut is whether the proxy cuts the path off.
func behindNginx(t *testing.T, cut bool) (s *site.Site, public string, outside func() []string) {
	t.Helper()
	dir, port := t.TempDir(), kit.FreePort(t)
	host := fmt.Sprintf("127.0.0.1:%d", port)
	public = "http://" + host + "/sales/flash"
	s = site.Start(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) {
		cfg.PublicURL, cfg.CORSOrigins = public, nil
	}))
	location, to := "/sales/flash", strings.TrimPrefix(s.URL, "http://")
	if cut {
		location, to = location+"/", to+"/"
	}
	config := filepath.Join(dir, "config")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, shopHost, dir, port, location, to), 0o600))
	kit.RunTool(t, dir, func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
		if err == nil {
			err = conn.Close()
		}
		return err
	}, "nginx", "-p", dir, "-c", config)
	return s, public, func() (paths []string) {
		text, err := os.ReadFile(filepath.Join(dir, "outside.log"))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if path := strings.TrimSpace(line); path != "/" {
				paths = append(paths, path)
			}
		}
		return paths
	}
}

// A shop has the platform below a path of its host: a buyer buys and pays, an operator finds the order, and the page of
// the API sends a request, and nothing is asked for outside that path. What the browser keeps has other names than what
// the shop's own pages keep.
func TestEverythingWorksBelowAPathOfAShopsHost(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]bool{"the proxy cuts the path off": true, "the proxy leaves the path": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := browser.Open(t)
			s, public, outside := behindNginx(t, cut)
			page := b.Page(t, strings.TrimSuffix(public, "/sales/flash"))
			browser.Run[bool](t, page, `
				localStorage.setItem('basket', 'of the shop');
				localStorage.setItem('buyer', 'somebody of the shop');
				sessionStorage.setItem('token', 'of the shop');
				localStorage.setItem('/sales/flash:language', 'en');
				localStorage.setItem('/sales/flash:buyer', 'ada');
				return true`)
			course := s.Open(t, site.Sale{SKU: "course", Kind: catalogue.Virtual})
			page.Do(t, chromedp.Navigate(public), click(`a[href="#/sale/`+course+`"]`), click("#buy"), click("#place"),
				see(".way"))
			order := number(t, page)
			pay(t, page)
			assert.True(t, strings.HasPrefix(page.At(t), public+"/#/order/"), page.At(t))
			ada := s.Buyer(t, "ada")
			assert.Equal(t, "paid", ada.Call(t, http.MethodGet, "/api/v1/orders/"+order, "", nil).JSON(t)["status"])
			assert.Equal(t, []any{"of the shop", "somebody of the shop", "of the shop"}, browser.Run[[]any](t, page, `
				const { basket, buyer } = localStorage;
				return [basket, buyer, sessionStorage.token]`))

			page.Do(t, chromedp.Navigate(public+"/admin#/order/"+order), see("main"),
				browser.Until(`document.body.textContent.includes('`+order+`')`))
			assert.Empty(t, page.Errors())

			page.Do(t, chromedp.Navigate(public+"/docs"), see("#listActivities"))
			answer := browser.Run[string](t, page, `return fetch(root + '/openapi.json').then((a) => a.text())`)
			var description struct{ Servers []struct{ URL string } }
			require.NoError(t, json.Unmarshal([]byte(answer), &description))
			require.Len(t, description.Servers, 1)
			assert.Equal(t, "/sales/flash", description.Servers[0].URL)
			assert.Empty(t, page.Errors())
			assert.Empty(t, outside(), "asked for outside the path")
		})
	}
}
