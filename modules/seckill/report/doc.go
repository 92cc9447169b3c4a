// Package report adds up what a sale has sold, for operators who look at it afterwards.
//
// The sums come from the stored orders of the sale, read page by page in the order of an index, in one view of SQL. So
// each statement is short, however many orders there are, and the parts of a report add up to its totals. An instance
// makes one report at a time. Replicas are read where there are any.
//
// What buyers were refused, and the second with the most orders, are counted in Redis, which forgets them some time
// after the sale: a report says so rather than 0.
package report
