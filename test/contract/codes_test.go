package contract

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web"
)

// declaredCode matches the declaration of a code, with its name.
var declaredCode = regexp.MustCompile(`problem\.Code\{Name: "([a-z_]+)"|= Code\{Name: "([a-z_]+)"`)

// A problem without a type of its own would be about:blank (RFC 9457); clients may rely on the code in it.
func TestEveryProblemHasATypeOfItsOwn(t *testing.T) {
	t.Parallel()
	data, err := web.OpenAPI()
	require.NoError(t, err)
	assert.NotContains(t, string(data), "about:blank")
	doc, err := openapi3.NewLoader().LoadFromData(data)
	require.NoError(t, err)
	shape := regexp.MustCompile(doc.Components.Schemas["Problem"].Value.Properties["type"].Value.Pattern)
	for _, code := range doc.Components.Schemas["Code"].Value.Enum {
		assert.Regexp(t, shape, "urn:onrush:problem:"+code.(string))
	}
	assert.NotRegexp(t, shape, "about:blank")
	assert.Contains(t, string(data), "**What may change.** Within v1")
}

// TestOpenAPIFileHasEveryCode compares the codes of the OpenAPI file with those that modules declare.
func TestOpenAPIFileHasEveryCode(t *testing.T) {
	t.Parallel()
	data, err := web.OpenAPI()
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(data)
	require.NoError(t, err)
	var described, declared []string
	for _, code := range doc.Components.Schemas["Code"].Value.Enum {
		described = append(described, code.(string))
	}
	for _, root := range []string{"../../web", "../../modules", "../../app", "../../jobs"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, found := range declaredCode.FindAllStringSubmatch(string(source), -1) {
				declared = append(declared, found[1]+found[2])
			}
			return err
		}))
	}
	assert.ElementsMatch(t, described, declared)
}
