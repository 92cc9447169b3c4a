// Package admit asks a shop, before a buyer gets a path, whether the buyer may have it: a function of the program that
// this one is a module of, or a route of the shop's, which is called as docs/shop/admission.md describes. Whoever isn't
// answered for isn't admitted. Before that, it refuses buyers who are in none of the segments that a sale is for.
package admit
