package vouchers

import (
	"net/http"

	"onrush/modules/problem"
)

// CodeVoid says that a voucher can't be redeemed since its unit was refunded. A voucher that was redeemed
// before is order.CodeVoucherRedeemed.
var CodeVoid = problem.Code{Name: "voucher_void", Status: http.StatusConflict}
