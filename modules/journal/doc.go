// Package journal writes the events that the shop platform hears, in the transactions of the changes that they tell
// of: a change that is rolled back leaves none. Package events numbers and reads them.
package journal
