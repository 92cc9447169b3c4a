package rounds_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/test/rounds"
)

func TestASeedHasOnePlan(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		first, again := rounds.Draw(seed), rounds.Draw(seed)
		assert.Equal(t, first, again)
	}
	assert.NotEqual(t, rounds.Draw(1).String(), rounds.Draw(2).String())
}

func TestThePlansOfSomeSeedsHaveEveryFaultOfEveryTarget(t *testing.T) {
	t.Parallel()
	const seeds = 500
	type fault struct {
		kind   rounds.Kind
		target rounds.Target
	}
	drawn := map[fault]bool{}
	for seed := range uint64(seeds) {
		for _, f := range rounds.Draw(seed).Faults {
			drawn[fault{f.Kind, f.Target}] = true
		}
	}
	for _, k := range rounds.Kinds {
		for _, target := range k.Targets {
			assert.True(t, drawn[fault{k.Kind, target}], "%s of %s", k.Kind, target)
		}
	}
}

func TestAnInstanceIsKilledAtTheDrawInMostRoundsThatHaveOne(t *testing.T) {
	t.Parallel()
	killed := map[uint64]int{}
	for seed := range uint64(200) {
		for _, plan := range []rounds.Plan{rounds.Draw(seed), rounds.DrawChanges(seed)} {
			if slices.ContainsFunc(plan.Faults, func(f rounds.Fault) bool {
				return f.Kind == rounds.Kill && (f.Target == rounds.A || f.Target == rounds.B) &&
					f.At > rounds.Lasts-time.Second
			}) {
				killed[seed%2]++
			}
		}
	}
	assert.Greater(t, killed[0], 120)
	assert.Less(t, killed[1], 60, "by chance")
}

func TestAPlanKeepsItsBounds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		plan := rounds.Draw(seed)
		assert.GreaterOrEqual(t, len(plan.Faults), 3, plan)
		for i, f := range plan.Faults {
			assert.Positive(t, f.For, plan)
			assert.LessOrEqual(t, f.At, rounds.Lasts, plan)
			for _, k := range rounds.Kinds {
				if k.Kind == f.Kind && (k.Kind == rounds.Failover || k.Kind == rounds.Switch) {
					assert.Equal(t, 1, plan.Replicas, "a failover loses what no replica confirmed: %s", plan)
				}
			}
			for _, later := range plan.Faults[i+1:] {
				assert.LessOrEqual(t, f.At, later.At, plan)
				if later.Kind == f.Kind && later.Target == f.Target {
					assert.Greater(t, later.At, f.At+f.For, "two at once: %s", plan)
				}
			}
		}
	}
}

func TestThePlansOfSomeSeedsHaveEveryChange(t *testing.T) {
	t.Parallel()
	drawn, killed := map[rounds.ChangeKind]bool{}, map[rounds.ChangeKind]bool{}
	for seed := range uint64(300) {
		plan := rounds.DrawChanges(seed)
		assert.Equal(t, plan, rounds.DrawChanges(seed), "a seed has one plan")
		assert.GreaterOrEqual(t, len(plan.Changes), 2, plan)
		for i, c := range plan.Changes {
			drawn[c.Kind] = true
			killed[c.Kind] = killed[c.Kind] || c.Kill != ""
			assert.LessOrEqual(t, c.At, rounds.Lasts, plan)
			if c.Kind == rounds.Leases || c.Kind == rounds.Cancelled {
				assert.Equal(t, 1, plan.Replicas, "a failover loses what no replica confirmed: %s", plan)
			}
			for _, later := range plan.Changes[i+1:] {
				assert.LessOrEqual(t, c.At, later.At, plan)
			}
		}
	}
	for _, k := range rounds.ChangeKinds {
		assert.True(t, drawn[k.Kind] && killed[k.Kind], k.Kind)
	}
}
