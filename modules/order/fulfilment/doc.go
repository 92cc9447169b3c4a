// Package fulfilment has what happens to an order of goods that are sent or picked up between its payment and its
// arrival. Operators mark it as packed, shipped and delivered, one by one or by a file (Marker). Until it is packed,
// its buyer may change the address (Addresses). Both lock the order's row, so the one that comes first decides.
//
// How far an order has come is apart from its status: a refund changes only the status, and a mark only the former
// (decide.go). Vouchers and virtual goods are delivered by their payment, and have no fulfilment.
package fulfilment
