// Package changes records who did what: each change that an operator makes is a row with the operator, the
// client's address, and what was there before and after, written in the transaction of the change. So there is a
// row exactly if the change was committed.
//
// HTTPOperator.Identify puts the operator into the context of a request. The services below call Write in their
// transactions; without an operator in the context, as in jobs, Write does nothing.
package changes
