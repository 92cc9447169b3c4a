// Package seckill implements flash sales: few units, many buyers, one second.
//
// An activity is drafted and published in SQL, and loaded into Redis, into the lane that publishing assigns
// to it. A buyer gets a path, may confirm, and submits. Package place places the orders in Redis; package queue
// moves them to SQL.
//
// In the order of a visit: packages below gates decide who may go on (waiting room, puzzle, blocked accounts, rate
// limits of a sale), package permit gives permits to a multiple of the stock, package place places the order, and
// package tasks answers what became of it. Package admin lets operators manage activities, package report sums a sale
// up afterwards. Package inventory loads activities from SQL, also after Redis has lost them, compares both stores and
// repairs differences.
package seckill
