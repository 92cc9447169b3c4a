// Package limits applies the rate limits of an activity: how many orders of an item may be placed in a period, over
// all instances, and how many requests one user and one address may send about the activity. Package modules/limit
// counts the requests, and decrement_stock.lua the orders. The limits that apply to all routes are in package web.
package limits
