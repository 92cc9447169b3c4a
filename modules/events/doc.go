// Package events reads the rows that package journal writes. A Sequencer gives committed rows their positions, which
// only grow as readers see them:
//
//	transaction ── journal.Write ──▶ row without a position ── Sequencer ──▶ position ── Feed.Read ──▶ readers
//
// The ids of rows can't serve as positions: a transaction that took a low id may commit after others whose ids readers
// already have. A row gets its position after its commit, and all positions are given under one lock, so a reader that
// continues after the last position it read misses no event.
//
// A row may have several events, for example of a batch of orders. The position of a row is the position of its last
// event; its other events have the positions before it, without a gap. Readers see events only, and may stop at any
// event.
package events
