package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each step of the models names the code that it stands for, so that whoever renames one looks at the other.
func TestTheModelsNameFilesAndFunctionsOfTheCode(t *testing.T) {
	t.Parallel()
	models, err := filepath.Glob("model/*.pml")
	require.NoError(t, err)
	require.NotEmpty(t, models)
	names := regexp.MustCompile(`(?m)^ *// ([\w/]+\.(?:go|lua))(?:: (.+))?$`)
	for _, model := range models {
		text, err := os.ReadFile(model)
		require.NoError(t, err)
		found := names.FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, found, model)
		for _, f := range found {
			file := f[1]
			if path.Ext(file) == ".lua" && !strings.Contains(file, "/") {
				file = "lua/" + file
			}
			if !assert.True(t, exists(file), "%s: there is no %s", model, file) || f[2] == "" {
				continue
			}
			declared := declaredIn(t, file)
			for name := range strings.SplitSeq(f[2], ", ") {
				assert.True(t, slices.Contains(declared, name), "%s: %s is not in %s", model, name, file)
			}
		}
	}
}

// The table of the page about the models has each of them.
func TestThePageOfTheModelsListsThem(t *testing.T) {
	t.Parallel()
	page := readDocument(t, "docs/model/README.md")
	models, err := filepath.Glob("model/*.pml")
	require.NoError(t, err)
	for _, model := range models {
		assert.Contains(t, page, "["+filepath.Base(model)+"]("+filepath.Base(model)+")")
	}
}
