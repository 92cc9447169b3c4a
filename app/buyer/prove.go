package buyer

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"onrush/modules/seckill/gates/human"
)

// solve finds the number of a proof of work, and returns the answer as ALTCHA's clients send it.
func solve(ctx context.Context, c human.Challenge) (text string, ok bool) {
	const look = 1 << 12 // numbers between two looks at ctx
	want, err := hex.DecodeString(c.Challenge)
	if err != nil || len(want) != sha256.Size {
		return "", false
	}
	buf := []byte(c.Salt)
	for number := range c.MaxNumber + 1 {
		if number%look == 0 && ctx.Err() != nil {
			return "", false
		}
		buf = strconv.AppendInt(buf[:len(c.Salt)], number, 10)
		if sha256.Sum256(buf) != [sha256.Size]byte(want) {
			continue
		}
		data, err := json.Marshal(map[string]any{
			"algorithm": c.Algorithm, "challenge": c.Challenge, "number": number, "salt": c.Salt,
			"signature": c.Signature,
		})
		return base64.StdEncoding.EncodeToString(data), err == nil
	}
	return "", false
}
