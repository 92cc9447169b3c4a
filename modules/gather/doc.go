// Package gather lets requests that wait at the same time share one call. While a call of a key runs, the requests
// for the next one collect, so that an idle system adds no delay and a busy one makes larger calls.
//
// Reads that many callers want of the same keys are in sqldb.StaleCache, and one value that all want in aged.Copy.
package gather
