package main

import (
	"context"
	"encoding/json"
	"io"
	"net/url"

	"onrush/app/operator"
)

type jobsCommand struct {
	List   jobsListCommand   `cmd:"" default:"withargs" help:"List the jobs."`
	Runs   jobsRunsCommand   `cmd:"" help:"List the last runs of a job that had something to do."`
	Run    jobsRunCommand    `cmd:"" help:"Run a job now, also one that is paused."`
	Pause  jobsPauseCommand  `cmd:"" help:"Pause a job on all instances, until it is resumed."`
	Resume jobsResumeCommand `cmd:"" help:"Resume a job."`
}

const jobsPath = "/admin/api/v1/jobs"

type jobsListCommand struct {
	remote
	outputFlag
}

// Run prints the jobs.
func (c *jobsListCommand) Run(ctx context.Context, out io.Writer) error {
	var answer struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := c.client().Get(ctx, jobsPath, &answer); err != nil {
		return err
	}
	if c.json() {
		return operator.WriteJSON(out, answer.Items)
	}
	return operator.WriteTable(out, []operator.Column{
		{Heading: "JOB", Field: "name"},
		{Heading: "EVERY S", Field: "every_s"},
		{Heading: "RUNNING", Field: "running"},
		{Heading: "PAUSED", Field: "paused"},
		{Heading: "LAST RUN", Field: "last_run.started_at"},
		{Heading: "NEXT RUN", Field: "next_run_at"},
		{Heading: "LAST ERROR", Field: "last_error"},
	}, answer.Items)
}

type jobsRunsCommand struct {
	remote
	outputFlag
	Job   string `arg:"" help:"Name of the job."`
	Limit int    `help:"How many at most." default:"20"`
}

// Run prints the runs, newest first.
func (c *jobsRunsCommand) Run(ctx context.Context, out io.Writer) error {
	return printList(ctx, c.client(), out, list{
		path: jobsPath + "/" + url.PathEscape(c.Job) + "/runs", query: url.Values{}, limit: c.Limit, json: c.json(),
		columns: []operator.Column{
			{Heading: "RUN", Field: "run_id"},
			{Heading: "STATE", Field: "state"},
			{Heading: "STARTED", Field: "started_at"},
			{Heading: "ENDED", Field: "ended_at"},
			{Heading: "DONE", Field: "done"},
			{Heading: "ASKED BY", Field: "asked_by"},
			{Heading: "ERROR", Field: "error"},
		},
	})
}

// jobArgument is the argument of the commands that act on one job.
type jobArgument struct {
	remote
	outputFlag
	Job string `arg:"" help:"Name of the job."`
}

// post does something with the job, and prints the answer or what was done.
func (j *jobArgument) post(ctx context.Context, out io.Writer, action, done string) error {
	path := jobsPath + "/" + url.PathEscape(j.Job) + "/" + action
	return post(ctx, j.client(), out, j.json(), path, nil, j.Job+" "+done+".")
}

type jobsRunCommand struct{ jobArgument }

// Run asks for a run of a job.
func (c *jobsRunCommand) Run(ctx context.Context, out io.Writer) error {
	return c.post(ctx, out, "run", "will run; onrush jobs runs "+c.Job+" shows how it ended")
}

type jobsPauseCommand struct{ jobArgument }

// Run pauses a job.
func (c *jobsPauseCommand) Run(ctx context.Context, out io.Writer) error {
	return c.post(ctx, out, "pause", "is paused")
}

type jobsResumeCommand struct{ jobArgument }

// Run resumes a job.
func (c *jobsResumeCommand) Run(ctx context.Context, out io.Writer) error {
	return c.post(ctx, out, "resume", "runs again when it is due")
}
