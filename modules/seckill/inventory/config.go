package inventory

import (
	"cmp"
	"time"
)

// preheatWithin is how long after its start a run may begin another load.
const preheatWithin = 40 * time.Second

// PreheatConfig bounds a run of the preheater. Fields that are zero have their defaults.
type PreheatConfig struct {
	// Page is how many activities are checked together. Default 500.
	Page int
	// Loads is the maximum number of activities that a run loads. Default 1000.
	Loads int
}

func (c PreheatConfig) withDefaults() PreheatConfig {
	c.Page = cmp.Or(c.Page, 500)
	c.Loads = cmp.Or(c.Loads, 1000)
	return c
}

// AuditConfig configures the job that audits. Fields that are zero have their defaults.
type AuditConfig struct {
	// AgreeAfter is the time between the two accounts that must agree before units are added: longer than a call of a
	// store takes, so that what was under way at the first account has arrived at the second. Default 3 s.
	AgreeAfter time.Duration
}

func (c AuditConfig) withDefaults() AuditConfig {
	c.AgreeAfter = cmp.Or(c.AgreeAfter, 3*time.Second)
	return c
}

// RetireConfig configures the retiring of activities. Fields that are zero have their defaults.
type RetireConfig struct {
	// After is how long an activity's keys stay after its end. Default 24 hours.
	After time.Duration
	// Page is how many activities one run checks. Default 200.
	Page int
}

func (c RetireConfig) withDefaults() RetireConfig {
	c.After = cmp.Or(c.After, preheatAfterEnd)
	c.Page = cmp.Or(c.Page, 200)
	return c
}
