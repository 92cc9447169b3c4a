package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

const activitiesPath = "/admin/api/v1/activities"

type activitiesPauseCommand struct {
	calling
	Activity string `arg:"" help:"Id of the sale."`
}

// Run stops the selling of a sale until it is resumed.
func (c *activitiesPauseCommand) Run(ctx context.Context, out io.Writer) error {
	path := activitiesPath + "/" + url.PathEscape(c.Activity) + "/pause"
	return c.send(ctx, out, http.MethodPost, path, "", nil, c.Activity+" is paused.")
}

type activitiesResumeCommand struct {
	calling
	Activity string `arg:"" help:"Id of the sale."`
}

// Run lets a sale go on.
func (c *activitiesResumeCommand) Run(ctx context.Context, out io.Writer) error {
	path := activitiesPath + "/" + url.PathEscape(c.Activity) + "/resume"
	return c.send(ctx, out, http.MethodPost, path, "", nil, c.Activity+" goes on.")
}
