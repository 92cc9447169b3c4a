package inventory

import (
	"maps"
	"time"
)

// driftsFor is how long the result of an audit by the job is reported: the next run may be on another instance.
const driftsFor = 3 * time.Minute

// drift is the result of an audit.
type drift struct {
	units int64
	at    time.Time
}

// rememberDrift keeps the drift that the job found in an activity.
func (au *Auditor) rememberDrift(id string, audit *Audit) {
	au.mu.Lock()
	defer au.mu.Unlock()
	if len(au.drifts) >= maxRemembered {
		clear(au.drifts)
	}
	au.drifts[id] = drift{audit.units(), au.now()}
}

// units returns by how many units the activity drifts, whatever the direction.
func (a *Audit) units() (units int64) {
	for _, item := range a.Items {
		units += max(item.Drift, -item.Drift)
	}
	for _, total := range a.Totals {
		units += max(total.Drift, -total.Drift)
	}
	return units
}

// Drifts returns by how many units the activities drifted that the job has audited on this instance in the last three
// minutes.
func (au *Auditor) Drifts() map[string]int64 {
	au.mu.Lock()
	defer au.mu.Unlock()
	now, drifts := au.now(), map[string]int64{}
	maps.DeleteFunc(au.drifts, func(_ string, d drift) bool { return now.Sub(d.at).Abs() > driftsFor })
	for id, d := range au.drifts {
		drifts[id] = d.units
	}
	return drifts
}
