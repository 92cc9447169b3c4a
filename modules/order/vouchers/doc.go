// Package vouchers redeems the codes of paid vouchers, each once.
//
//	ACTIVE ── redeem ──▶ REDEEMED
//	     └─── refund ──▶ VOID
//
// Redeem and refund lock the order's row first and then change the code by compare-and-set, so a code is redeemed
// or its unit is refunded, never both unless an operator forces the refund. A code has 130 random bits, and only
// operators may look one up; so codes can't be guessed.
package vouchers
