//go:build large

package faults

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
)

// vtgate with vttablet, or mysqld below them, is killed or frozen while buyers order, pay and cancel at two instances.
func TestVitessLosesNothingWhenItsServersAreKilled(t *testing.T) {
	t.Parallel()
	own := kit.OwnVitess(t, kit.FlushAtCommit())
	gate, tablet := own.SQLServer, own.SQLServer.Tablet()
	faults := []struct {
		name string
		happen,
		end func(testing.TB)
	}{
		{"kill -9 of vtgate and vttablet", gate.Kill, gate.Restart},
		{"kill -9 of mysqld", tablet.Kill, tablet.Restart},
		{"vtgate and vttablet pause", gate.Freeze, gate.Thaw},
		{"mysqld pauses", tablet.Freeze, tablet.Thaw},
	}
	rounds := failoverRounds(t, len(faults))
	f := newSQLFailoversOn(t, own.Stores, 6, rounds)
	for round := range rounds {
		fault := faults[round%len(faults)]
		//nolint:thelper // the test of the fault
		f.runRound(t, round, fault.name, func(f *sqlFailovers, t *testing.T) {
			fault.happen(t)
			f.awaitResponses(t, sqlAtOnce)
			fault.end(t)
		})
		if t.Failed() {
			return
		}
	}
	assert.Zero(t, f.feed.missed, "pages of the feed that lack events")
}
