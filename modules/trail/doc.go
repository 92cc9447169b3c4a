// Package trail remembers which requests of buyers were refused or failed, so that an operator can say what happened to
// a buyer. Each instance keeps the refusals of its own requests in memory, for a day at most: a crowd costs no store
// anything, and a crowd of any size no more than a bounded memory. An operator's question is put to all instances
// through Redis.
package trail
