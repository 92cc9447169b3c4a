// Package eligible decides who may buy in a sale that is for some buyers only: those on its list, with one of its
// codes, or with a claim in their token. Whoever fulfils one of these may buy. It is asked before a path is given, and
// the path proves the answer: an order costs nothing more.
//
// The list and the codes are in SQL. Redis has a copy of the list, which Filler fills; a buyer of whom the copy says
// nothing yet is asked to come again. A code is used by one statement with the buyer's row, so that a crowd uses it as
// often as it may be used; a buyer who has used one keeps it for the sale.
package eligible
