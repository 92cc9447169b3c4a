package catalogue

// Freight returns the cost of sending goods worth the amount goods to dest, in minor units: the highest
// fee of the rules that charge one for this amount, plus the point's extra. It is 0 for pickup and for
// goods that aren't delivered.
func Freight(goods int64, fees []FreightRule, dest Destination) int64 {
	if dest.Delivery != Express {
		return 0
	}
	var fee int64
	for _, f := range fees {
		if f.FreeOver <= 0 || goods < f.FreeOver {
			fee = max(fee, f.Fee)
		}
	}
	return fee + dest.FreightExtra
}
