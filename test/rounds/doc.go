// Package rounds lets a crowd buy in two instances of the program while faults happen to the instances, to the stores
// and to what connects them, and judges the program's guarantees after each round, from outside.
//
// A round is a Plan, which follows from its seed. "onrush drill" is the crowd and the judge; operators work meanwhile.
// All faults end before the drill judges, so everything must settle.
//
// The variables of a run:
//
//	ONRUSH_ROUNDS=500     how many rounds
//	ONRUSH_ROUNDS_SEED=7  the seed of the first round; the next ones have 8, 9, …
//	ONRUSH_ROUNDS_LOG=f   a file that gets a line per round
package rounds
