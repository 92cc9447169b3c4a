// Package blocked refuses users and client addresses that operators have blocked, on the routes of sales.
//
// Operators write to the table blocked. Every instance has a copy of it in memory, which it brings up to date
// twice a second by reading what has changed; so a request is judged without a store, and while SQL is
// unavailable the last copy is used.
package blocked
