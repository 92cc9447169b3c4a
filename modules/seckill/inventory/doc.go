// Package inventory keeps the stock of a sale in Redis and SQL consistent: it loads a sale into Redis
// before it starts (Preheater, Loader), compares both stores (Auditor) and repairs differences, carries
// out stock changes of operators (Changer), and removes the keys of a sale that is over (Retirer).
//
// docs/contributing/architecture.md describes the fence and the epoch, on which all of them depend.
package inventory
