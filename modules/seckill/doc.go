// Package seckill sells in flash sales: a few units, a crowd, one second.
//
// An activity is drafted and published in SQL, and loaded into the lane of Redis that it keeps.
// A buyer takes a path, may confirm, and submits; orders that wait at the same time are placed by
// one call of decrement_stock.lua. From there package order moves them.
//
// Redis holds nothing that can't be brought back: Loader fills an activity from SQL, whoever asks
// (publish, start, reload, preheat), while it holds the activity's stock rows so that no order moves
// or is cancelled under it. Auditor holds Redis against SQL unit by unit and repairs drift.
package seckill
