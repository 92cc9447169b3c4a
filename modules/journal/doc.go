// Package journal writes events for the shop platform, in the transactions of the changes that they report: a change
// that is rolled back leaves none. Package events numbers and reads them.
package journal
