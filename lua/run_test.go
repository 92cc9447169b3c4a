package lua

import (
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEachRunOfAMasterHasAnID(t *testing.T) {
	t.Parallel()
	for _, s := range newStores(t) {
		id, err := Run(s.Redis.Info(t.Context(), "replication"))
		require.NoError(t, err)
		assert.NotEmpty(t, id)
	}
}

func TestOnlyAMasterThatTellsItsRunHasOne(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for name, c := range map[string]struct {
		info string
		err  error
		want error
	}{
		"a replica":           {"role:slave\r\nmaster_replid:0a\r\n", nil, ErrNoRun},
		"no id":               {"role:master\r\n", nil, ErrNoRun},
		"INFO refused":        {"", refusal("NOPERM User shop has no permissions to run the 'info' command"), ErrNoRun},
		"a server that is up": {"# Replication\r\nrole:master\r\nmaster_replid:0a\r\n", nil, nil},
		"an unavailable one":  {"", away, away},
	} {
		id, err := Run(redis.NewStringResult(c.info, c.err))
		require.ErrorIs(t, err, c.want, name)
		assert.Equal(t, c.want == nil, id == "0a", name)
	}
}
