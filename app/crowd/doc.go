// Package crowd sends a crowd of buyers into a sale, to see on a program for development what happens in a rush: POST
// /dev/crowd begins, GET /dev/crowd counts.
//
// The buyers live inside the program, but call its own handler with requests as they come from the network: each has a
// token, an address of its own, and passes authentication, limits and all gates as other clients do. Only connections
// are missing.
//
//	path ── line, challenge ──▶ path ──▶ submit ──▶ ordered
//	  │  ▲                                  │
//	  │  └── wait ◀─────────────────────────┤
//	  └──────────────── refused ◀───────────┘
//
// One crowd runs at a time. It ends when each buyer has an order or was refused, after 90 seconds at the latest, and
// when the program stops.
package crowd
