// Package gather lets requests that wait at the same time share one call. While a call of a key runs, the requests
// for the next one collect, so that an idle system adds no delay and a busy one makes larger calls.
//
// For reads of the same keys by many callers see sqldb.StaleCache, and for one value that all callers read, aged.Copy.
package gather
