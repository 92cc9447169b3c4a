package main

import (
	"context"
	"io"
	"net/url"
)

const activitiesPath = "/admin/api/v1/activities"

type activitiesPauseCommand struct {
	remote
	outputFlag
	Activity string `arg:"" help:"Id of the sale."`
}

// Run stops the selling of a sale until it is resumed.
func (c *activitiesPauseCommand) Run(ctx context.Context, out io.Writer) error {
	path := activitiesPath + "/" + url.PathEscape(c.Activity) + "/pause"
	return post(ctx, c.client(), out, c.json(), path, nil, c.Activity+" is paused.")
}

type activitiesResumeCommand struct {
	remote
	outputFlag
	Activity string `arg:"" help:"Id of the sale."`
}

// Run lets a sale go on.
func (c *activitiesResumeCommand) Run(ctx context.Context, out io.Writer) error {
	path := activitiesPath + "/" + url.PathEscape(c.Activity) + "/resume"
	return post(ctx, c.client(), out, c.json(), path, nil, c.Activity+" goes on.")
}
