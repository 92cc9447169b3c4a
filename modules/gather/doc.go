// Package gather lets requests that wait at the same time share one call. While a call of a key runs, the requests
// for the next one collect, so that an idle system adds no delay and a busy one makes larger calls.
//
// Each request has its own answer: Do waits for it, Go doesn't. Several requests that want the same value share one
// answer in aged.Keyed, which makes its reads with a Group, and in aged.Copy.
package gather
