// Package outside is the payment channel of money that this program doesn't take itself: a shop's own checkout, or an
// operator who has cash in hand.
//
// The shop holds an order while its checkout runs: a pending payment, for which the order waits as it does with any
// other channel. It reports the money, which goes through the processor of all money, and so pays the order or becomes
// a refund. A refund of the channel stays under way until the shop reports that it paid the money back, or failed to.
package outside
