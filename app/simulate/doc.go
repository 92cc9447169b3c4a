// Package simulate is a discrete-event simulation of a sale: visitors arrive by a plan, read the page, wait in the
// waiting room, take paths and submit; instances, Redis and SQL are stations with queues, whose costs were measured.
// It answers what a sale of ten million visitors needs, on a machine that can't run one.
//
//	arrivals ──▶ read ──▶ waiting room ──▶ path ──▶ submit ──▶ gathered calls ──▶ Redis ──▶ queue ──▶ movers ──▶ SQL
//	             └────────── instances, c processors each ──────────┘      a processor a node
//
// Arrivals are an open loop: nobody comes later because the program is slow. What needs no identity has none: visitors
// who wait are counts, arrivals are drawn when they are due, and only submits that are under way are entries of a
// heap. A seed makes a run repeatable.
//
// The model leaves out the network, connections, garbage collection, event streams, and that a process slows others
// down on the same machine. Waiting requests are served in the order of their arrival.
package simulate
