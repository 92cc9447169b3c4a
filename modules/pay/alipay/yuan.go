package alipay

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// errNotYuan says that a text is not an amount in yuan.
var errNotYuan = errors.New("is not an amount in yuan")

// parseYuan reads "12.34", "12.3" or "12" as fen, digit by digit.
func parseYuan(text string) (fen int64, err error) {
	whole, part, dot := strings.Cut(text, ".")
	if whole == "" || len(whole) > 12 || len(part) > 2 || dot && part == "" || len(whole) > 1 && whole[0] == '0' {
		return 0, errNotYuan
	}
	for _, digit := range []byte(whole + part + "00"[len(part):]) {
		if digit < '0' || digit > '9' {
			return 0, errNotYuan
		}
		fen = fen*10 + int64(digit-'0')
	}
	return fen, nil
}

// yuanText writes fen as "12.34".
func yuanText(fen int64) string {
	return strconv.FormatInt(fen/100, 10) + fmt.Sprintf(".%02d", fen%100)
}
