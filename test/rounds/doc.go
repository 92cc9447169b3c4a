// Package rounds lets a crowd buy in two instances of the program while faults happen to the instances, to the stores
// and to what connects them, or while operators change what runs, and judges the program's guarantees after each round,
// from outside.
//
// A round is a Plan, which follows from its seed. "onrush drill" is the crowd and the judge; operators work meanwhile.
// A round of change has changes, too: secrets that are rotated, lanes, builds, prices, stops of all sales and more,
// with an instance killed between their halves. Beside the crowd, some buy outside of sales then. All faults and
// changes end before the drill judges, so everything must settle.
//
// The variables of a run:
//
//	ONRUSH_ROUNDS=500             how many rounds
//	ONRUSH_ROUNDS_SEED=7          the seed of the first round; the next ones have 8, 9, …
//	ONRUSH_ROUNDS_LOG=f           a file that gets a line per round, and how often each rare path was reached
//	ONRUSH_ROUNDS_BEFORE=program  the build before, with the same schema, of which an instance may be for a while
//	ONRUSH_ROUNDS_ONLY=price,row  the kinds of changes that happen; all by default
package rounds
