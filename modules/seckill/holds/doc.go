// Package holds lets operators set units of a sale aside, for a desk or for a buyer, and release them or turn them into
// an order.
//
//	make ── held for a desk ── name ── held for a buyer ── submit ── an order
//	            │      └───────────── order ─────┴───────────────────────┘
//	            └─ release, until, the end of the sale: the units are in the stock again
//
// A hold is an entry of the sale's waiting list with held_by, and an offer without a list: package waitlist keeps it
// through loads, ends it and counts its units as offered. The entry is in SQL first, as pending, so that no Offerer
// takes its offer for one of a buyer who left; then Redis takes the units out of the stock; and then the entry is
// completed, in the transaction with the operators' log. What a crash leaves behind, the Offerer ends within minutes.
// SQL learns first whom a hold is for; if the request didn't get that to Redis, the Offerer does.
//
// Operators come before buyers who wait. Units of waves that open later can't be set aside. A hold that was taken in
// the second before Redis was lost may come back with the load, and takes units out of the stock until it is released;
// it never sells units that the sale doesn't have.
package holds
