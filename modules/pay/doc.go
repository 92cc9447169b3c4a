// Package pay processes payments: all money that comes in pays for orders or is refunded.
//
//	PENDING ── money comes ──▶ PAID ── all of it refunded ──▶ REFUNDING ──▶ REFUNDED
//	    └─ its time is over, or a newer payment ──▶ CLOSED (money that still comes pays unpaid orders or is refunded)
//
// A Gateway verifies notifications. Processor processes one in a single transaction: it inserts the notification
// and the gateway's transaction, each once, moves every order by compare-and-set from unpaid to paid,
// updates the payment, and inserts refunds for orders that could not be paid. So an order is either paid
// or cancelled, and a crash between any two steps leaves either nothing or a row in an outbox. Refunder
// sends refunds until the gateway has them, each with a number that the gateway pays back once.
// Reconciler finds money whose webhook was lost.
package pay
