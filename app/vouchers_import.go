package main

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"onrush/app/operator"
	"onrush/modules/sheet"
	"onrush/web/client"
)

const (
	// codesPerCall is how many codes one request has, as the program takes them.
	codesPerCall = 10_000
	// maxCodeFile bounds the file of one command, in codes.
	maxCodeFile = 1_000_000
)

// readCodes reads the codes of a file, and checks them.
func readCodes(path string, in io.Reader, check func([]sheet.Code) error) (codes []sheet.Code, err error) {
	err = opened(path, in, func(r io.Reader) (err error) {
		if codes, err = sheet.ReadCodes(r, maxCodeFile); err == nil {
			err = check(codes)
		}
		return err
	})
	return codes, err
}

func textsOf(codes []sheet.Code) []string {
	texts := make([]string, len(codes))
	for i, c := range codes {
		texts[i] = c.Text
	}
	return texts
}

type vouchersImportCommand struct {
	calling
	SKU  string `arg:"" name:"sku" help:"Id of the sku."`
	File string `short:"f" required:"" help:"File with a code per line; - is standard input."`
}

// skippedLine is a code of a file that was not imported.
type skippedLine struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// Run imports the codes of a file, in requests of bounded size. Codes that are known are skipped, so a command that was
// interrupted may be repeated.
func (c *vouchersImportCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	codes, err := readCodes(c.File, in, sheet.CheckCodes)
	if err != nil {
		return err
	}
	chunks := slices.Collect(slices.Chunk(codes, codesPerCall))
	if len(chunks) == 0 {
		chunks = [][]sheet.Code{nil} // from now on the sku has a partner's codes
	}
	caller, path := c.client(), skusPath+"/"+url.PathEscape(c.SKU)+"/vouchers:import"
	accepted, skipped := int64(0), []skippedLine{}
	for _, chunk := range chunks {
		var done client.ImportedVouchers
		err := caller.Call(ctx, http.MethodPost, path, crand.Text(), map[string]any{"codes": textsOf(chunk)}, &done)
		if err != nil {
			return fmt.Errorf("imported before: %d: %w", accepted, operator.WithLines(err, "codes", func(i int) string {
				return fmt.Sprintf("%s:%d: ", c.File, chunk[i].Line)
			}, len(chunk)))
		}
		accepted += done.Accepted
		for _, s := range done.Skipped {
			if s.Index >= len(chunk) {
				return errors.New("the program skips a code that it didn't get")
			}
			skipped = append(skipped, skippedLine{chunk[s.Index].Line, s.Reason})
		}
	}
	if c.json() {
		return operator.WriteJSON(out, map[string]any{"sku_id": c.SKU, "accepted": accepted, "skipped": skipped})
	}
	for _, s := range skipped {
		if _, err := fmt.Fprintf(out, "line %d is skipped: %s\n", s.Line, s.Reason); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "Codes imported for %s: %d. Skipped: %d.\n", c.SKU, accepted, len(skipped))
	return err
}

type vouchersWithdrawCommand struct {
	calling
	confirmFlag
	SKU  string `arg:"" name:"sku" help:"Id of the sku."`
	File string `short:"f" xor:"which" required:"" help:"File with a code per line; - is standard input."`
	All  bool   `xor:"which" required:"" help:"All codes that nobody has."`
}

// Run takes codes back.
func (c *vouchersWithdrawCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	chunks, what := [][]sheet.Code{nil}, "all"
	if !c.All {
		// Codes that are none, of an import of an earlier version, can be withdrawn.
		codes, err := readCodes(c.File, in, func(codes []sheet.Code) error {
			if len(codes) == 0 {
				return errors.New("the file has no codes")
			}
			return nil
		})
		if err != nil {
			return err
		}
		chunks = slices.Collect(slices.Chunk(codes, codesPerCall))
		what = strconv.Itoa(len(codes))
	}
	if err := c.agreed(in, out, c.json(), "Codes of %s to withdraw, if nobody has them: %s.", c.SKU, what); err != nil {
		return err
	}
	caller, path := c.client(), skusPath+"/"+url.PathEscape(c.SKU)+"/vouchers:withdraw"
	withdrawn := int64(0)
	for _, chunk := range chunks {
		var done client.WithdrawnVouchers
		body := map[string]any{"codes": textsOf(chunk), "all": c.All}
		if err := caller.Call(ctx, http.MethodPost, path, crand.Text(), body, &done); err != nil {
			return fmt.Errorf("withdrawn before: %d: %w", withdrawn, err)
		}
		withdrawn += done.Withdrawn
	}
	if c.json() {
		return operator.WriteJSON(out, map[string]any{"sku_id": c.SKU, "withdrawn": withdrawn})
	}
	_, err := fmt.Fprintf(out, "Codes of %s withdrawn: %d.\n", c.SKU, withdrawn)
	return err
}
