// Package idempotency makes requests safe to repeat: the same Idempotency-Key and body of the same caller at the same
// route get the same accepted answer.
//
// A key is a row of idempotency_keys, in one of two states:
//
//	(none) ── Store.Begin ──▶ claimed ── Claim.Finish, or Keep in a transaction ──▶ answered
//	                             │
//	                             └── Claim.Release, or its lease ends ──▶ (none)
//
// A claim lets one request at a time run under a key; the others wait for its answer. A refusal releases the claim, so
// it is not remembered. Keep stores the answer in the transaction of what the request makes. So a crash leaves both or
// neither, and a request whose claim was taken over by another request is rolled back. A handler that makes a new thing
// each time it runs must call Keep, or KeepDone if it answers with what it reads afterwards. A handler that changes the
// state of a thing by compare-and-set, and answers alike when it runs again, need not.
//
// Answers may contain a secret that is shown once, and data of buyers. They are encrypted with a key that is derived
// from the program's secret and the Idempotency-Key, of which SQL has only a digest: neither a copy of the database nor
// the program without the caller's header can read them.
package idempotency
