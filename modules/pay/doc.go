// Package pay keeps money and goods together: every payment that comes in pays for orders or goes
// back.
//
//	PENDING ── money comes ──▶ PAID ── all of it refunded ──▶ REFUNDING ──▶ REFUNDED
//	    └─ its time is over, or a newer payment ──▶ CLOSED (money that comes all the same decides by the orders)
//
// A Gateway verifies what it is told; Processor decides, in one transaction: the event and the
// gateway's transaction, each once; every order by compare-and-set from unpaid to paid; the payment;
// and refunds for what could not be paid. So paying and cancelling exclude each other, and a crash
// between any two steps leaves either nothing or a row in an outbox: Refunder sends refunds until the
// gateway has them, by a number that it pays back once. Reconciler finds money whose webhook was lost.
package pay
