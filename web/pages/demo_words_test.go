package pages

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The shop has Chinese words for all that the program says of the demo's goods.
func TestTheDemosGoodsHaveChineseWords(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile("../../app/server/demo.go")
	require.NoError(t, err)
	said := regexp.MustCompile(`(?:Title: +|Name: +|demo[A-Z]\w+ += )("[^"]+"(?: \+\s+"[^"]+")*)`).
		FindAllSubmatch(program, -1)
	require.Greater(t, len(said), 12)
	page, err := os.ReadFile("shop/demo_words.js")
	require.NoError(t, err)
	words := regexp.MustCompile(`' \+\s+'`).ReplaceAllString(string(page), "")
	for _, m := range said {
		text := strings.Trim(joins.ReplaceAllString(string(m[1]), ""), `"`)
		if text != "demo-shop" { // an id
			assert.Contains(t, words, text)
		}
	}
}
