package inventory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/stage"
)

func TestActivityTakenOfflineWhileItIsLoadedEndsClosed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"load_begin", "load_commit"} {
			s := stage.Open(t, stores, stage.Sale{})
			s.LoseActivity(t)
			offline := func() error {
				if step == "load_begin" && stores.MySQLDSN == "" {
					return nil
				}
				_, err := s.Activities.Offline(t.Context(), s.Activity)
				return err
			}
			loader := s.Start(t, stage.At(step, offline)).Loader
			require.NoError(t, loader.Load(t.Context(), s.Activity))
			if step == "load_begin" && stores.MySQLDSN == "" {
				continue // SQLite has one writer: nothing comes in between
			}
			assert.Equal(t, "closed", s.Hash(t, stores.Keys.Meta)["state"], step)
		}
	})
}
