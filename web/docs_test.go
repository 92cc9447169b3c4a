package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"onrush/modules/problem"
	"onrush/test/kit"
)

func docsApp(t *testing.T) *fiber.App {
	t.Helper()
	app := newTestApp(t, Config{}, quiet())
	require.NoError(t, Docs(app, ""))
	return app
}

func TestOpenAPIIsServedInBothFormsAndTheSame(t *testing.T) {
	t.Parallel()
	app := docsApp(t)
	got := askApp(t, app, "GET", "/openapi.yaml", "")
	assert.Equal(t, "application/yaml; charset=utf-8", got.Header.Get("Content-Type"))
	var fromYAML, fromJSON any
	require.NoError(t, yaml.Unmarshal([]byte(got.Body), &fromYAML))
	asJSON := askApp(t, app, "GET", "/openapi.json", "")
	assert.Equal(t, "application/json", asJSON.Header.Get("Content-Type"))
	require.NoError(t, json.Unmarshal([]byte(asJSON.Body), &fromJSON))
	again, err := json.Marshal(fromYAML)
	require.NoError(t, err)
	assert.JSONEq(t, string(again), asJSON.Body)
	doc, err := openapi3.NewLoader().LoadFromData([]byte(asJSON.Body))
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
}

func TestDocsPageLoadsOnlyItsOwnFiles(t *testing.T) {
	t.Parallel()
	app := docsApp(t)
	page := askApp(t, app, "GET", "/docs", "")
	require.Equal(t, 200, page.Status)
	policy := page.Header.Get("Content-Security-Policy")
	assert.Contains(t, policy, "default-src 'none'")
	assert.NotContains(t, policy, "unsafe")
	assert.NotRegexp(t, `<style|style=|onclick=|<script>`, page.Body)
	links := regexp.MustCompile(`(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(page.Body, -1)
	require.NotEmpty(t, links)
	for _, link := range links {
		if link[1] == "data:," {
			continue
		}
		got := askApp(t, app, "GET", link[1], "")
		assert.Equal(t, 200, got.Status, link[1])
		assert.NotContains(t, got.Body, "https://cdn")
		etag := got.Header.Get("Etag")
		assert.Equal(t, http.StatusNotModified, askApp(t, app, "GET", link[1], "", "If-None-Match", etag).Status)
	}
	for _, path := range []string{"/docs/assets/", "/docs/assets/docs.html", "/docs/assets/index.html"} {
		assert.Equal(t, 404, askApp(t, app, "GET", path, "").Status, path)
	}
	assert.Equal(t, 400, askApp(t, app, "GET", "/docs/assets/..%2fopenapi.yaml", "").Status)
}

// The page has the colours of the shop, in light and in dark.
func TestDocsHaveTheColoursOfTheShop(t *testing.T) {
	t.Parallel()
	shop, err := os.ReadFile("pages/shared/base.css")
	require.NoError(t, err)
	docs, err := docsFiles.ReadFile("docs/docs.css")
	require.NoError(t, err)
	colour := regexp.MustCompile(`--([\w-]+): (#[0-9a-f]+);`)
	roots := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllSubmatch(shop, -1)
	require.Len(t, roots, 2)
	dark := map[string]string{}
	for _, m := range colour.FindAllSubmatch(roots[1][1], -1) {
		dark[string(m[1])] = string(m[2])
	}
	light := colour.FindAllSubmatch(roots[0][1], -1)
	require.Greater(t, len(light), 10)
	for _, m := range light {
		name := string(m[1])
		assert.Contains(t, string(docs), "--"+name+": light-dark("+string(m[2])+", "+dark[name]+");")
	}
}

func TestExamplesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	data, err := OpenAPI()
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(data)
	require.NoError(t, err)
	examples := 0
	check := func(where string, content openapi3.Content) {
		for kind, media := range content {
			if media.Example != nil && strings.HasSuffix(kind, "json") {
				examples++
				assert.NoError(t, media.Schema.Value.VisitJSON(media.Example), "%s %s", where, kind)
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			assert.NotEmpty(t, operation.OperationID, path)
			assert.NotNil(t, operation.Security, "%s %s says who may call it", method, path)
			if operation.RequestBody != nil {
				check(method+" "+path, operation.RequestBody.Value.Content)
			}
			for status, response := range operation.Responses.Map() {
				check(method+" "+path+" "+status, response.Value.Content)
			}
		}
	}
	assert.Greater(t, examples, 5)
}

func TestRealProblemsFitTheDescription(t *testing.T) {
	t.Parallel()
	data, err := OpenAPI()
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(data)
	require.NoError(t, err)
	schema := doc.Components.Schemas["Problem"].Value
	many := make([]problem.Field, 50)
	for _, code := range doc.Components.Schemas["Code"].Value.Enum {
		p := problemOf(&problem.Error{
			Code: problem.Code{Name: code.(string), Status: http.StatusConflict}, Detail: "A sentence.", Fields: many,
			TaskID: "t", RefreshAfter: 1e9,
		})
		p.RequestID = "made-here"
		text, err := json.Marshal(p)
		require.NoError(t, err)
		var value any
		require.NoError(t, json.Unmarshal(text, &value))
		require.NoError(t, schema.VisitJSON(value), "%s", text)
	}
}

// ageing makes the next question ask the checks anew.
func ageing(h *Health) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asOf = time.Time{}
}

func TestReadyWhileItCanServeAnything(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	stop, cancel := context.WithCancel(t.Context())
	defer cancel()
	stores := map[string]error{}
	h := NewHealth(stop, map[string]Check{
		"redis": func(context.Context) error { return stores["redis"] },
		"sql":   func(context.Context) error { return stores["sql"] },
	})
	app.Get("/livez", h.Live)
	app.Get("/readyz", h.Readiness)
	refused := errors.New("dial tcp 10.0.0.7:6379: refused")
	for _, step := range []struct {
		redis, sql error
		status     int
		body       string
	}{
		{nil, nil, 200, `{"status":"ok","unavailable":[]}`},
		{refused, nil, 200, `{"status":"degraded","unavailable":["redis"]}`},
		{nil, refused, 200, `{"status":"degraded","unavailable":["sql"]}`},
		{refused, refused, 503, `{"status":"down","unavailable":["redis","sql"]}`},
		{nil, nil, 200, `{"status":"ok","unavailable":[]}`},
	} {
		stores["redis"], stores["sql"] = step.redis, step.sql
		ageing(h)
		for range 3 {
			got := askApp(t, app, "GET", "/readyz", "")
			assert.Equal(t, step.status, got.Status)
			assert.JSONEq(t, step.body, got.Body)
		}
	}
	cancel()
	got := askApp(t, app, "GET", "/readyz", "")
	assert.Equal(t, 503, got.Status)
	assert.JSONEq(t, `{"status":"stopping","unavailable":[]}`, got.Body)
	assert.JSONEq(t, `{"status":"ok"}`, askApp(t, app, "GET", "/livez", "").Body)
}

func TestConcurrentProbesPingTheStoresOnce(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	var asked atomic.Int32
	check := func(context.Context) error { asked.Add(1); return nil }
	app.Get("/readyz", NewHealth(t.Context(), map[string]Check{"sql": check}).Readiness)
	began := time.Now()
	kit.Crowd(50, func(int) { assert.Equal(t, 200, askApp(t, app, "GET", "/readyz", "").Status) })
	assert.LessOrEqual(t, time.Duration(asked.Load()-1)*checkEvery, time.Since(began), "at most once a second")
}

func TestReadyDoesNotWaitForACheckThatHangs(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	release := make(chan struct{})
	defer close(release)
	app.Get("/readyz", NewHealth(t.Context(), map[string]Check{
		"hangs":  func(context.Context) error { <-release; return nil },
		"panics": func(context.Context) error { panic("no store") },
	}).Readiness)
	got := askApp(t, app, "GET", "/readyz", "")
	assert.Equal(t, 503, got.Status)
	assert.JSONEq(t, `{"status":"down","unavailable":["hangs","panics"]}`, got.Body)
}

func TestTheDescriptionOfAProgramBelowAPathHasItsPath(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	require.NoError(t, Docs(app, "/sales/flash"))
	for _, path := range []string{"/openapi.yaml", "/openapi.json"} {
		var description struct {
			Servers []struct {
				URL string `yaml:"url"`
			} `yaml:"servers"`
		}
		require.NoError(t, yaml.Unmarshal([]byte(askApp(t, app, "GET", path, "").Body), &description), path)
		require.Len(t, description.Servers, 1, path)
		assert.Equal(t, "/sales/flash", description.Servers[0].URL, path)
	}
	page := askApp(t, app, "GET", "/docs", "").Body
	for _, reference := range regexp.MustCompile(`(?:href|src)="(/[^"]*)"`).FindAllStringSubmatch(page, -1) {
		assert.Regexp(t, "^/sales/flash/", reference[1])
	}
	assert.NotContains(t, page, "{{")
}
