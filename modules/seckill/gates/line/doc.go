// Package line is the waiting room of an activity: if more users want a path than the shop can serve, they
// form a line. Those who join before the start of the sale get a random order, those who join later are behind
// them, in the order in which they join.
//
// A place in the line is a signed text that its user keeps. A place that has a position is judged by the
// settings and the clock alone, without a store, on every instance; so the line needs Redis only when
// somebody joins, and once for each place that was taken before the start.
package line
