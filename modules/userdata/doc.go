// Package userdata exports and erases the data of one buyer.
//
// An erasure replaces the user id by a random pseudonym in what the accounts need, and removes the rest. It refuses a
// buyer with anything in flight: unpaid orders, payments, refunds or disputes that are open, or orders of a sale that
// is not retired, whose counts under purchase limits are still enforced. So it never changes what another step of the
// program is about to use, and Redis has no order of the buyer.
//
//	begin ── a row of erasures: user id, pseudonym
//	  parts: orders, 100 at once · inviter of others' orders · payments · waiting lists · operators' log · events
//	finish ── nothing is left: writes the entry of the operators' log, deletes the row of erasures
//
// Each part is one transaction that locks the row. After a crash the next call goes on with the same pseudonym.
// Concurrent calls take turns, and each part is erased once.
package userdata
