// Package swap lets the buyer of an order of a sale take another sku of the same sale for it, without giving up the
// units of the order first. The steps, each of which a crash may follow:
//
//  1. SQL gets a row of stock_outbox, of kind swap: the intent to take units of the other sku.
//  2. swap_units.lua takes them in Redis, under the id of that row.
//  3. One transaction gives the order the other sku, moves the units sold and the counts under purchase limits, deletes
//     the row, and inserts a row of kind restock: the units of the first sku are free in SQL, and Redis must get them.
//  4. swap_hold.lua gives them back, and lets the order hold the other sku.
//  5. The row is deleted.
//
// Until 3 the order keeps its units. If a process ends before 3, or 3 is refused, the units that 2 took are given back
// in the same way: the row becomes one of kind restock that adds them again (Settler). An order with a row is
// neither cancelled (RequireSettled, Pending) nor swapped again. It may be paid.
//
// The ids of all rows begin with "change:", so an account counts them as stock changes that one store has and the
// other hasn't. Only rows of kind restock count in a load: their units are free in SQL, so a load gives them to Redis,
// and the scripts don't add them again.
package swap
