// Package hosted calls a function of the program that this one is a module of, in the transactions that change orders:
//
//	lock the order ─▶ write it, its log and its events ─▶ the function ─▶ lock and change counts and stock ─▶ commit
//
// The function may only add to the transaction or refuse it. Whatever it does otherwise, such as a panic, ends as
// sqldb.ErrHost and a rollback; package sqldb sees to it that it can't end the transaction.
package hosted
