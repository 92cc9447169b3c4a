package admin

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSamplesThatFailInARowAreLoggedOnce(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	h := &History{log: slog.New(slog.NewTextHandler(&lines, nil))}
	for _, err := range []error{
		errors.New("odd"), errors.New("odd"), nil, context.DeadlineExceeded, nil, errors.New("odd"),
	} {
		h.logFirst(t.Context(), err)
	}
	assert.Equal(t, 2, strings.Count(lines.String(), "error=odd"), "once per row")
	assert.Equal(t, 2, strings.Count(lines.String(), "\n"), "that SQL is unavailable is logged elsewhere")
}
