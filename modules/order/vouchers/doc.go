// Package vouchers redeems the codes of paid vouchers, each once, and keeps the codes of partners until they are given.
//
//	ACTIVE ── redeem ──▶ REDEEMED
//	     └─── refund ──▶ VOID
//
// A code is generated when its order is paid, or was imported before:
//
//	import ──▶ left ── an order is paid ──▶ ACTIVE
//	             └──── withdraw ──▶ (gone)
//
// If no code is left, the paid order waits until the next import; package order gives the codes.
//
// Redeem and refund lock the order's row first and then change the code by compare-and-set, so a code is redeemed
// or its unit is refunded, never both unless an operator forces the refund. A generated code has 130 random bits, and
// only operators may look one up; so codes can't be guessed.
package vouchers
