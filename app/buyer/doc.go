// Package buyer is a client of the buyers' routes, as careful as clients should be: it repeats what failed with the
// same key, waits as long as an answer says, and walks through the gates of a sale.
//
//	path ── line, challenge ──▶ path ──▶ submit
//	  ▲  ▼
//	  wait
//
// The crowd of a program for development and the drill are made of these buyers.
package buyer
