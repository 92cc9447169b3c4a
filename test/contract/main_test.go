// Package contract checks that the program and web/openapi.yaml agree: the routes, the answers, and the
// refused requests.
package contract

import (
	"os"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"

	"onrush/test/kit"
)

func TestMain(m *testing.M) {
	// The file calls these strings; the validator has no decoder for some and another for YAML.
	for _, kind := range []string{
		"text/html", "text/css", "text/javascript", "text/csv", "text/event-stream", "application/yaml",
		"image/svg+xml",
	} {
		openapi3filter.RegisterBodyDecoder(kind, openapi3filter.PlainBodyDecoder)
	}
	for _, kind := range []string{"image/jpeg", "image/png", "image/webp"} {
		openapi3filter.RegisterBodyDecoder(kind, openapi3filter.FileBodyDecoder)
	}
	kit.PreferReal()
	code := kit.Main(m)
	if code == 0 {
		code = checkCoverage(os.Stderr)
	}
	os.Exit(code)
}

// inTurn leaves out, where -short is set, a test of many requests one after the other: the race detector
// makes it slow and finds nothing in it.
func inTurn(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("many requests, one after the other")
	}
}
