// Package complete reads what orders have in tables beside their own: the codes of vouchers, how far the goods have
// come, the addresses before the buyer changed them, and whether the buyer still may.
package complete
