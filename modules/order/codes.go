package order

import (
	"net/http"

	"onrush/modules/problem"
)

// Codes of orders.
var (
	CodeSoldOut = problem.Code{Name: "sold_out", Status: http.StatusConflict}
	// CodeTooManyUnpaid refuses ordinary orders of a user who has too many unpaid ones.
	CodeTooManyUnpaid  = problem.Code{Name: "too_many_unpaid_orders", Status: http.StatusConflict}
	CodeNotCancellable = problem.Code{Name: "not_cancellable", Status: http.StatusConflict}
	// CodeRefundTooLarge refuses a refund of more than is left of an order, in money or in units.
	CodeRefundTooLarge = problem.Code{Name: "refund_too_large", Status: http.StatusConflict}
	// CodeVoucherRedeemed says that a voucher was used: it is not redeemed again, and its unit is refunded
	// only by force.
	CodeVoucherRedeemed = problem.Code{Name: "voucher_redeemed", Status: http.StatusConflict}
	// CodeVoucherNotNamed refuses a refund that would leave vouchers redeemable although their money is refunded.
	CodeVoucherNotNamed = problem.Code{Name: "voucher_not_named", Status: http.StatusConflict}
)
