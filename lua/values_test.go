package lua

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTaskIDRoundTrips(t *testing.T) {
	t.Parallel()
	for _, task := range []Task{
		{Number: "1", State: TaskSubmitted, Digest: "d"},
		{Number: "2", State: TaskFailed, Digest: "d", Reason: "sold out: no unit at 1"},
	} {
		read, err := ParseTask(task.String())
		require.NoError(t, err)
		assert.Equal(t, task, read)
	}
	for _, value := range []string{"", "1", "1:P", ":P:d", "1:X:d", strings.Repeat(":", 3)} {
		_, err := ParseTask(value)
		assert.Error(t, err, value)
	}
}
