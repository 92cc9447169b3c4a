// Package attribution adds up, for operators, what came of the orders that name a room, a share code, a share source or
// an inviter: how many there are, how many were paid, and what of the money was kept.
//
// The sums are read from the narrow rows of modules/order/sources, which are written with each change of an order: they
// have the state and the refunds of all orders at one moment. Buyers choose the values, so there may be as many as
// orders. SQL groups the orders by value, and the instance reads the groups one after the other and keeps the largest.
// The rest are the others: totals are exact whatever buyers invent. Orders count for the day on which they were placed.
//
// Filler writes the rows of orders that older versions of the program stored, paid or refunded.
package attribution
