// Package line is the waiting room of an activity: if more users want a path than the shop can serve, they
// form a line. Users who join before the start of the sale get a random order; later users come behind them, in
// the order in which they join.
//
// A place in the line is a signed text that its user keeps. To check a place with a position, an instance needs
// only the settings and the clock; so the line needs Redis only when somebody joins, and once for each place
// that was taken before the start.
package line
