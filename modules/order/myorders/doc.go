// Package myorders shows buyers their orders, cached or stored, each once.
//
// A list reads the cached orders first and then SQL, in one read view. A record is removed from Redis only
// after its order was committed, so every order that is missing in the first read is in the second. If both
// have an order, the one in SQL is used. Both sides are sorted by order number, newest first, and merged.
package myorders
