// Package order manages orders: their numbers and states, and how they are paid and cancelled. Package
// queue moves cached orders to SQL; package myorders lists cached and stored orders as one.
//
//	PLACED (Redis) ── move, ensure ──▶ UNPAID (SQL) ── cancel ──▶ CANCELLED ── stock_outbox ──▶ given back
//	              └─────────────────▶ FAILED (SQL: its stock guard or a purchase limit refuses it)
//
// The state of an order in SQL changes only by compare-and-set; a caller that loses reads again. Locks
// in Redis avoid duplicate work and never decide.
//
// A crash between any two steps is harmless. A mover reads a lane's queue without removing anything,
// commits, and acknowledges afterwards: after a crash it repeats work whose result SQL already has.
// Canceller writes the pending return of the stock in the transaction that cancels the order, and
// StockOutbox gives the stock back. A placed order holds its units by a field in Redis, the hold, which can be removed
// only once, so nothing is given back twice. Data that was read from
// Redis is written to SQL only under the load epoch that was known before the read, so that data from
// before a reload of Redis is never written after it.
package order
