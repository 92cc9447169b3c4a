// Package drill rehearses a sale: it sends visitors to a running program over HTTP, as a plan says that is drawn from a
// seed, and then judges from outside whether the program kept what it guarantees.
//
//	plan ──▶ visitors ── gates, submit, poll, pay, cancel, list ──▶ record ──┐
//	watch ── audits, figures, feed of events ────────────────────────────────┼──▶ settle ──▶ facts ──▶ checks
//
// Each check is held, broken, or not exercised: what was never tried proves nothing. The plan is open: visitors arrive
// when it says, however slow the answers are, and latency is measured from then.
package drill
