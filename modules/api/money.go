package api

import (
	"strconv"
	"strings"
)

// digits are the currencies whose minor unit has not two digits (ISO 4217, list one and the funds codes).
var digits = map[string]int{
	"BHD": 3, "BIF": 0, "CLF": 4, "CLP": 0, "DJF": 0, "GNF": 0, "IQD": 3, "ISK": 0, "JOD": 3, "JPY": 0, "KMF": 0,
	"KRW": 0, "KWD": 3, "LYD": 3, "OMR": 3, "PYG": 0, "RWF": 0, "TND": 3, "UGX": 0, "UYI": 0, "UYW": 4, "VND": 0,
	"VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
}

// MinorDigits returns how many digits the minor unit of a currency has.
func MinorDigits(currency string) int {
	if n, special := digits[currency]; special {
		return n
	}
	return 2
}

// Money returns an amount in minor units as people read it, such as 198.00 CNY. JSON has minor units.
func Money(amount int64, currency string) string { return Major(amount, currency) + " " + currency }

// Major returns an amount in minor units of a currency in its major units, such as 198.00.
func Major(amount int64, currency string) string {
	n := MinorDigits(currency)
	text := strconv.FormatInt(amount, 10)
	if n == 0 {
		return text
	}
	sign := ""
	if amount < 0 {
		sign, text = "-", text[1:]
	}
	if missing := n + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	point := len(text) - n
	return sign + text[:point] + "." + text[point:]
}
