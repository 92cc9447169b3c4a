// Package draw has the draws: sales whose buyers enter before the start, when it doesn't matter who comes first, and
// are drawn at the start.
//
//	enter ── entered ── the start: closed, the seed is shown ── waiting, by lot ── offered ── submit ── an order
//	  │                                                          (modules/seckill/waitlist)
//	  └─ leave
//
// At the start of the sale its entries are closed in SQL, under the lock under which buyers enter. From then on the
// order is known, and the Drawer puts the entries into the waiting list, in their order and a part at a time. The
// waiting list offers them the units, and whatever isn't taken in time goes to the next. No unit of a draw can be
// bought without an offer.
//
// Entries are sorted by lot: the SHA-256 of the seed, a line feed, and the id of an entry, in hexadecimal digits.
// The seed is made when the sale is published, and its SHA-256 is shown at once, the seed once the entries are closed.
// Seed and ids are made from one secret, which is never shown: an id says nothing of its buyer, and a buyer who leaves
// and enters again has the same lot.
package draw
