// Package human checks, before a client gets an order path, that a person uses it, or at least that it has
// done some work. Each activity names its check: none, proof of work, or a hosted captcha.
//
//	GET  /seckill/challenge  ──▶ Checks.Challenge   what to solve
//	POST /seckill/path       ──▶ Checks.Verify      the answer, in human_check
//
// An answer is accepted once over all instances. Everything that can be checked without a store is checked
// before one is used, so that an answer which is forged, expired, or another user's costs a few microseconds.
package human
