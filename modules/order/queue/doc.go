// Package queue moves the orders that Redis has cached into SQL, each exactly once. Movers read the
// queues of the lanes and store batches; an Ensurer stores the one order that is paid or cancelled. An
// entry that can't be stored becomes a dead entry, which operators replay or discard.
package queue
