package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

func TestBuyersGetTheDetailOfAProblemInTheirLanguage(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	for accepts, chinese := range map[string]bool{
		"": false, "en-US,en;q=0.9": false, "de": false, "*": false, "zh": true, "zh-CN,zh;q=0.9,en;q=0.8": true,
		"zh-Hant-TW": true, "en;q=0.5, zh;q=0.9": true, "en,zh;q=0.9": false, "zh;q=0.1, en": false, "zhx": false,
		"de, zh;q=0.7, en;q=0.3": true, "zh" + strings.Repeat(",zh", 100): false, "zh;q=": false,
		"ZH": true, "Zh-cn": true, "ZH-HANS": true, "EN-us, ZH;q=0.9": false, "zh_CN": false,
		"zh ; Q=0.8, EN;q=0.7": true, "*;q=0.5, zh;q=0.4": false,
		"fr,ja;q=0.9,ZH;q=0.8": true, "zh;q=0.4, *;q=0.5, en;q=0.3": true, "zh;q=0": false,
		"zh, *": true, "*, zh": true, "en;q=0, *": true, "zh;q=0, *": false, "en, zh": false, "zh, en": true,
		"zh;q=2, en;q=0.1": false, "zh;q=0.9999": false, "zh;level=1": false, "zh;q=0.801,en;q=0.8": true,
		"zh;q=1.000,en;q=0.999": true, ",,zh,": true, "fr;q=1\nzh;q=0.9\nen;q=0.8": true, "zh;q=0.1\nen": false,
		"en\nde,zh": false, "zh\n" + strings.Repeat("fr", maxAccepts/2): false, "fr, *;q=0.1": false,
	} {
		for path, buyers := range map[string]bool{"/api/v1/nothing": true, "/admin/api/v1/nothing": false} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			require.NoError(t, err)
			req.Header["Accept-Language"] = strings.Split(accepts, "\n") // several lines
			res, err := app.Test(req)
			require.NoError(t, err)
			var p struct{ Code, Detail string }
			require.NoError(t, json.NewDecoder(res.Body).Decode(&p))
			require.NoError(t, res.Body.Close())
			assert.NotEmpty(t, p.Code)
			want := chinese && buyers
			assert.Equal(t, want, p.Detail == problem.Chinese(p.Code), "%s %q: %s", path, accepts, p.Detail)
			assert.Equal(t, want, res.Header.Get("Content-Language") == "zh", "%s %q", path, accepts)
		}
	}
}

func TestTheShopsOwnTextStaysInItsLanguage(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/api/v1/own", func(*fiber.Ctx) error {
		return &problem.Error{Code: problem.CodeNotFound, Detail: "Members only.", Untranslated: true}
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/own", nil)
	require.NoError(t, err)
	req.Header.Set("Accept-Language", "zh")
	res, err := app.Test(req)
	require.NoError(t, err)
	var p struct{ Detail string }
	require.NoError(t, json.NewDecoder(res.Body).Decode(&p))
	require.NoError(t, res.Body.Close())
	assert.Equal(t, "Members only.", p.Detail)
	assert.Empty(t, res.Header.Get("Content-Language"))
}
