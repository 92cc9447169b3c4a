// Package blocked refuses users and client addresses that operators have blocked, on the routes of sales.
//
// Operators write to the table blocked. Every instance has a copy of it in memory, and reads the changes twice
// a second; so a request is checked without a store, and while SQL is unavailable the last copy is used.
package blocked
