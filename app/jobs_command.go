package main

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"onrush/web/client"
)

type jobsCommand struct {
	List   jobsListCommand   `cmd:"" default:"withargs" help:"List the jobs."`
	Runs   jobsRunsCommand   `cmd:"" help:"List the last runs of a job that had something to do."`
	Run    jobsRunCommand    `cmd:"" help:"Run a job now, also one that is paused."`
	Pause  jobsPauseCommand  `cmd:"" help:"Pause a job on all instances, until it is resumed."`
	Resume jobsResumeCommand `cmd:"" help:"Resume a job."`
}

const jobsPath = "/admin/api/v1/jobs"

type jobsListCommand struct{ calling }

// Run prints the jobs.
func (c *jobsListCommand) Run(ctx context.Context, out io.Writer) error {
	return c.printAll(ctx, out, jobsPath,
		"JOB=name, EVERY S=every_s, RUNNING=running, PAUSED=paused, "+
			"LAST RUN=last_run.started_at, NEXT RUN=next_run_at, PAUSED BY=paused_by, SINCE=paused_at, "+
			"LAST ERROR=last_error")
}

type jobsRunsCommand struct {
	calling
	Job   string `arg:"" help:"Name of the job."`
	Limit int    `help:"How many at most." default:"20"`
}

// Run prints the runs, newest first, and whether the job is paused.
func (c *jobsRunsCommand) Run(ctx context.Context, out io.Writer) error {
	l := listing{c.calling, c.Limit}
	if err := l.list(ctx, out, jobsPath+"/"+url.PathEscape(c.Job)+"/runs", url.Values{},
		"RUN=run_id, STATE=state, STARTED=started_at, ENDED=ended_at, DONE=done, ASKED BY=asked_by, "+
			"ERROR=error"); err != nil || c.json() {
		return err
	}
	var jobs struct{ Items []client.Job }
	if err := c.client().Get(ctx, jobsPath, &jobs); err != nil {
		return err
	}
	for _, job := range jobs.Items {
		if job.Name == c.Job {
			return tellPause(out, job.Name, job.PausedBy, job.PausedAt)
		}
	}
	return nil
}

// jobArgument is the argument of the commands that act on one job.
type jobArgument struct {
	calling
	Job string `arg:"" help:"Name of the job."`
}

// post does something with the job, and prints the answer or what was done.
func (j *jobArgument) post(ctx context.Context, out io.Writer, action, done string) error {
	path := jobsPath + "/" + url.PathEscape(j.Job) + "/" + action
	return j.send(ctx, out, http.MethodPost, path, "", nil, j.Job+" "+done+".")
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
