// Package crowd sends a crowd of buyers into a sale, on programs for development: POST /dev/crowd starts the crowd,
// GET /dev/crowd returns its counts.
//
// The buyers run inside the program and call its handler without a connection. Otherwise their requests are like the
// requests of other clients: each buyer has a token and an address of its own, and passes authentication, limits and
// all gates.
//
//	path ── line, challenge ──▶ path ──▶ submit ──▶ ordered
//	  │  ▲                                  │
//	  │  └── wait ◀─────────────────────────┤
//	  └──────────────── refused ◀───────────┘
//
// One crowd runs at a time. It ends when each buyer has an order or was refused, after 90 seconds at the latest, and
// when the program stops.
package crowd
