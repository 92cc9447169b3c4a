package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
)

type vouchersCommand struct {
	List     vouchersListCommand     `cmd:"" default:"withargs" help:"Count partners' codes by sku."`
	Import   vouchersImportCommand   `cmd:"" help:"Import a partner's codes for a sku."`
	Withdraw vouchersWithdrawCommand `cmd:"" help:"Take back imported codes that nobody has."`

	Show   vouchersShowCommand   `cmd:"" help:"Print a voucher that was given to a buyer, as JSON."`
	Redeem vouchersRedeemCommand `cmd:"" help:"Redeem a voucher, once."`
}

const vouchersPath = "/admin/api/v1/vouchers"

type vouchersListCommand struct {
	listing
	Waiting bool `help:"Only skus for whose codes paid orders wait."`
}

// Run prints the counts of partners' codes, by sku.
func (c *vouchersListCommand) Run(ctx context.Context, out io.Writer) error {
	query := url.Values{}
	if c.Waiting {
		query.Set("waiting", "true")
	}
	return c.list(ctx, out, vouchersPath, query,
		"SKU=sku_id, LEFT=left, GIVEN=given, WITHDRAWN=withdrawn, IMPORTED=imported, WAITING=waiting, "+
			"SINCE=waiting_since, OLDEST ORDER=oldest_order")
}

type vouchersShowCommand struct {
	remote
	Code string `arg:"" help:"Code of the voucher."`
}

// Run prints a voucher.
func (c *vouchersShowCommand) Run(ctx context.Context, out io.Writer) error {
	path, err := voucherPath(c.Code)
	if err != nil {
		return err
	}
	return printOne(ctx, c.client(), out, path)
}

// voucherPath returns the path of a voucher.
func voucherPath(code string) (string, error) {
	if code == "." || code == ".." { // proxies would take it for a folder
		return "", errors.New("it is not the code of a voucher")
	}
	return vouchersPath + "/" + url.PathEscape(code), nil
}

type vouchersRedeemCommand struct {
	calling
	Code  string `arg:"" help:"Code of the voucher."`
	Where string `required:"" help:"Where it is redeemed, such as the till."`
}

// Run redeems a voucher.
func (c *vouchersRedeemCommand) Run(ctx context.Context, out io.Writer) error {
	path, err := voucherPath(c.Code)
	if err != nil {
		return err
	}
	body := map[string]string{"where": c.Where}
	return c.send(ctx, out, http.MethodPost, path+"/redeem", "", body, c.Code+" is redeemed.")
}
