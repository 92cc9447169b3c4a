package main

import (
	"context"
	"io"
	"net/url"
	"time"
)

type pointsCommand struct {
	List   pointsListCommand   `cmd:"" default:"withargs" help:"List the stock points."`
	Show   pointsShowCommand   `cmd:"" help:"Print a stock point as a file that put reads."`
	Put    pointsPutCommand    `cmd:"" help:"Create or replace the stock points of a file: all of them, or none."`
	Delete pointsDeleteCommand `cmd:"" help:"Delete a stock point that no sale needs."`
}

const pointsPath = "/admin/api/v1/points"

type pointsListCommand struct {
	listing
	Activity string    `help:"Only points at which this sale has stock."`
	From     time.Time `help:"Only points changed at this time or later."`
	To       time.Time `help:"Only points changed before this time."`
}

// Run prints the stock points by id.
func (c *pointsListCommand) Run(ctx context.Context, out io.Writer) error {
	query := filter("activity_id", c.Activity, "from", utc(c.From), "to", utc(c.To))
	return c.list(ctx, out, pointsPath, query,
		"POINT=point_id, NAME=name, PICKUP=pickup, FREIGHT EXTRA=freight_extra, REGIONS=regions")
}

type pointsShowCommand struct {
	calling
	Point string `arg:"" help:"Id of the stock point."`
}

// Run prints a stock point.
func (c *pointsShowCommand) Run(ctx context.Context, out io.Writer) error {
	return c.show(ctx, out, pointsPath+"/"+url.PathEscape(c.Point), "point_id")
}

type pointsPutCommand struct {
	calling
	File string `short:"f" required:"" help:"YAML or JSON: a point, or a list. - is standard input."`
}

// Run stores the points of a file.
func (c *pointsPutCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return c.put(ctx, in, out, c.File, pointsPath+":batch", "point_id")
}

type pointsDeleteCommand struct {
	remote
	confirmFlag
	Point string `arg:"" help:"Id of the stock point."`
}

// Run deletes a stock point.
func (c *pointsDeleteCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return deleteItem(ctx, c.client(), in, out, &c.confirmFlag, pointsPath, c.Point)
}
