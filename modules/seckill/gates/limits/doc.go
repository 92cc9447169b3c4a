// Package limits applies the rate limits of an activity: how many orders of an item are placed in a time, over
// all instances, and how many requests one user and one address may send about the activity. Package web/limit
// counts requests, and decrement_stock.lua the orders; the limits that apply to all routes are in package web.
package limits
