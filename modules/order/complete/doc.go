// Package complete reads what orders have in tables beside their own: the codes of vouchers, how far the goods have
// come, and the addresses before the buyer changed them.
package complete
