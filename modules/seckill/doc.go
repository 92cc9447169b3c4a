// Package seckill implements flash sales: few units, many buyers, one second.
//
// An activity is drafted and published in SQL, and loaded into Redis, into the lane that publishing assigns
// to it. A buyer gets a path, may confirm, and submits. Package place places the orders in Redis; package queue
// moves them to SQL.
//
// Package admin lets operators manage activities. Package inventory loads activities from SQL, also after
// Redis has lost them, compares both stores and repairs differences.
package seckill
