// Package oplog is the operators' log. Each change that an operator makes is an entry with the operator, the client's
// address, and the values before and after, recorded in the transaction of the change. So there is an entry exactly if
// the change was committed.
//
// HTTPOperator.Identify puts the operator into the context of a request. The modules call Record in their
// transactions; without an operator in the context, as in jobs, Record does nothing.
package oplog
