// Package order keeps orders: their numbers and states, the way of a cached order into SQL, and
// the one list in which a buyer sees both.
//
//	PLACED (Redis) ── move, ensure ──▶ UNPAID (SQL) ── cancel ──▶ CANCELLED ── stock_outbox ──▶ given back
//	              └─────────────────▶ FAILED (SQL: its stock guard says no)
//
// The state of an order in SQL changes by compare-and-set only, and whoever loses reads again.
// Locks save work and decide nothing.
//
// A crash between any two steps is harmless. Mover reads a lane's queue without removing anything,
// commits, and acknowledges after: a crash repeats work whose result SQL already has. Canceller
// writes what is to be given back beside the cancelled order, and StockOutbox gives it back by a token
// that can be taken once. What was read from Redis is written to SQL only under the load epoch that
// was known before reading, so that a Redis that was lost and loaded again can't be mistaken for
// the one that was read.
package order
