package main

import (
	"context"
	"io"
	"net/url"
	"time"

	"onrush/app/operator"
)

type pointsCommand struct {
	List   pointsListCommand   `cmd:"" default:"withargs" help:"List the stock points."`
	Show   pointsShowCommand   `cmd:"" help:"Print a stock point as a file that put reads."`
	Put    pointsPutCommand    `cmd:"" help:"Create or replace the stock points of a file: all of them, or none."`
	Delete pointsDeleteCommand `cmd:"" help:"Delete a stock point that no sale needs."`
}

const pointsPath = "/admin/api/v1/points"

type pointsListCommand struct {
	remote
	outputFlag
	Activity string    `help:"Only points at which this sale has stock."`
	From     time.Time `help:"Only points changed at this time or later."`
	To       time.Time `help:"Only points changed before this time."`
	Limit    int       `help:"How many at most." default:"50"`
}

// Run prints the stock points by id.
func (c *pointsListCommand) Run(ctx context.Context, out io.Writer) error {
	query := url.Values{}
	setQuery(query, "activity_id", c.Activity)
	setSpan(query, c.From, c.To)
	return printList(ctx, c.client(), out, list{
		path: pointsPath, query: query, limit: c.Limit, json: c.json(),
		columns: []operator.Column{
			{Heading: "POINT", Field: "point_id"},
			{Heading: "NAME", Field: "name"},
			{Heading: "PICKUP", Field: "pickup"},
			{Heading: "FREIGHT EXTRA", Field: "freight_extra"},
			{Heading: "REGIONS", Field: "regions"},
		},
	})
}

type pointsShowCommand struct {
	remote
	outputFlag
	Point string `arg:"" help:"Id of the stock point."`
}

// Run prints a stock point.
func (c *pointsShowCommand) Run(ctx context.Context, out io.Writer) error {
	return showItem(ctx, c.client(), out, c.json(), pointsPath+"/"+url.PathEscape(c.Point), "point_id")
}

type pointsPutCommand struct {
	remote
	outputFlag
	File string `short:"f" required:"" help:"YAML or JSON: a point, or a list. - is standard input."`
}

// Run stores the points of a file.
func (c *pointsPutCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return putItems(ctx, c.client(), in, out, c.json(), c.File, pointsPath+":batch", "point_id")
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
