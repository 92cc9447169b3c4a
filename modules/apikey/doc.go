// Package apikey has the keys with which programs and tills call the operators' routes. A key is a random secret with
// one scope:
//
//	onrush_<32 characters: 160 random bits><7 characters: a CRC-32 of all before it>
//
// The secret is shown once, by Service.Create. SQL has its SHA-256, which needs no slow hash: nobody can try 2^160
// secrets. Verifier checks the keys of requests. It refuses what has a wrong checksum without a store, and keeps copies
// of keys for less than a second; so a revoked key is refused by every instance within a second.
package apikey
