package wechat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// apiError is an error answer of WeChat Pay. Only a signed one is final; the code of an unsigned one is
// only logged, and says whether to wait.
type apiError struct {
	status int
	code   string // empty if it can't be read
	signed bool
}

func (e *apiError) Error() string {
	text := fmt.Sprintf("wechat: status %d", e.status)
	if e.code != "" {
		text += ", " + e.code
	}
	if !e.signed {
		text += ", unsigned"
	}
	return text
}

// The codes after which nothing is decided, and the codes for a balance that is too small.
var (
	trouble = []string{
		"SYSTEM_ERROR", "SYSTEMERROR", "FREQUENCY_LIMITED", "FREQUENCY_LIMIT_EXCEED", "RATELIMIT_EXCEEDED",
		"RATELIMIT_EXCEED", "BANK_ERROR", "BANKERROR",
	}
	noBalance = []string{"NOT_ENOUGH", "NOTENOUGH"}
)

// Is maps the codes after which the caller should wait. This needs no signature, since waiting changes
// nothing.
func (e *apiError) Is(target error) bool {
	switch target {
	case pay.ErrUnavailable:
		return gateway.InTrouble(e.status) || slices.Contains(trouble, e.code)
	case pay.ErrNoBalance:
		return !gateway.InTrouble(e.status) && slices.Contains(noBalance, e.code)
	}
	return false
}

// saysCode reports whether an error is a signed refusal with one of the codes.
func saysCode(err error, codes ...string) bool {
	e, ok := errors.AsType[*apiError](err)
	return ok && e.signed && slices.Contains(codes, e.code)
}

// call sends a signed request and reads the answer into out. An answer without a valid signature is ignored,
// except that an unsigned error is returned, since WeChat Pay doesn't sign some errors.
func (g *Gateway) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("wechat: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, g.cfg.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("wechat: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "onrush")
	if g.askSerial != "" {
		req.Header.Set("Wechatpay-Serial", g.askSerial)
	}
	if err := g.sign(req, body); err != nil {
		return err
	}
	status, header, answer, err := gateway.Send(g.client, req)
	if err != nil {
		return fmt.Errorf("wechat: %w", err)
	}
	forged := g.checkSignature(header, answer)
	switch {
	case status != http.StatusOK && status != http.StatusNoContent:
		return readError(status, answer, forged == nil)
	case forged != nil:
		return fmt.Errorf("wechat: answer: %w", forged)
	case out == nil:
		return nil
	}
	if err := gateway.ReadJSON(answer, out); err != nil {
		return errors.New("wechat: the answer can't be read")
	}
	return nil
}

// readError reads an error answer; its code is empty if it can't be read.
func readError(status int, answer []byte, signed bool) error {
	var said struct {
		Code string `json:"code"`
	}
	if err := gateway.ReadJSON(answer, &said); err != nil {
		said.Code = ""
	}
	return &apiError{status: status, code: gateway.CodeOnly(said.Code), signed: signed}
}
