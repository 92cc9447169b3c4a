package sign

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Redis and SQL keep these values, so they must not change.
func TestDigestsAreThoseOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "LeN-00nfvX57q9xz6mPv8w", Digest(16, "ada", "key1"))
	assert.Equal(t, "47DEQpj8HBSa-_TI", Digest(12))
	assert.Equal(t, "P6-hzy8Zp8ESm-sg", Digest(12, "a", "bc"))
	assert.NotEqual(t, Digest(12, "a", "bc"), Digest(12, "ab", "c"))
	assert.Equal(t, "9irT9iM1HklCBSThI6HFIA", Digest(16, strings.Repeat("x", 600), ""),
		"more than the buffer of Digest")
}
