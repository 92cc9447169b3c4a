package api_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/api"
)

func TestMoneyForPeopleHasMajorUnitsWithTheDigitsOfItsCurrency(t *testing.T) {
	t.Parallel()
	for want, money := range map[string]struct {
		amount   int64
		currency string
	}{
		"198.00 CNY":               {19800, "CNY"},
		"0.05 EUR":                 {5, "EUR"},
		"0.00 EUR":                 {0, "EUR"},
		"-0.50 EUR":                {-50, "EUR"},
		"198 JPY":                  {198, "JPY"},
		"-1 JPY":                   {-1, "JPY"},
		"0.198 KWD":                {198, "KWD"},
		"12.345 BHD":               {12345, "BHD"},
		"0.0001 CLF":               {1, "CLF"},
		"92233720368547758.07 USD": {math.MaxInt64, "USD"},
		"-92233720368547758.08 US": {math.MinInt64, "US"},
	} {
		assert.Equal(t, want, api.Money(money.amount, money.currency))
	}
}
