// Package place places the orders of sales in Redis, each once per task: orders that wait at the same time share a call
// of decrement_stock.lua, which decides. What an order costs and what a buyer is told is decided by package seckill.
package place
