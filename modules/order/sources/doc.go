// Package sources keeps a narrow row beside each order that names where its buyer came from, written in the
// transactions that store, pay and refund the order. Operators add these rows up. Other orders have no row.
//
// Adding up the orders themselves takes eight times as long, since their rows are wide.
package sources
