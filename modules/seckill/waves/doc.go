// Package waves has the plan by which the stock of a sku opens: each wave is a number of units at a stock point that
// buyers may take from a time on. The stock in Redis has all units from the start, so that the account of units and its
// repairs know nothing of waves; a unit that is not open yet is only closed to buyers. The units at a point without a
// wave are open from the start of the sale.
//
// A wave opens by the time of Redis, as a sale starts; a pause doesn't shift it. A wave at or before the start opens
// with the sale, and one at or after its end never does. A unit that comes back to an open wave is open.
package waves
