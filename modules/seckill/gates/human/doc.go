// Package human checks, before a client gets an order path, joins a waiting list or enters a draw, that a person uses
// it, or at least that it has done some work. An activity has no check, a proof of work, or a hosted captcha.
//
//	GET  /seckill/challenge  ──▶ Checks.Challenge   what to solve
//	POST /seckill/path       ──▶ Checks.Verify      the answer, in human_check; the same for a wish (seckill.Wish)
//
// An answer is accepted once over all instances. All checks that need no store come first, so that an answer
// which is forged, expired, or another user's costs a few microseconds.
package human
