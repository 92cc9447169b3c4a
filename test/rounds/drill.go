package rounds

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Result is what became of a round.
type Result struct {
	Plan    Plan
	Broken  []string       // guarantees that did not hold, with the problems
	Idle    []string       // guarantees that the round did not exercise
	Acts    map[string]int // that operators did meanwhile
	Took    time.Duration
	History string // the file with what the buyers of a broken round did and were answered
}

// verdict is what "onrush drill" says of one guarantee.
type verdict struct {
	Name     string   `json:"name"`
	Verdict  string   `json:"verdict"`
	Problems []string `json:"problems"`
}

// The crowd of a round, and how long everything may take to settle after it.
const (
	buyers       = 200
	payWithin    = 3 * time.Second
	settleWithin = 2 * time.Minute // a query of a payment that failed is repeated after one
)

// Round lets a plan happen while a crowd buys and operators work, and judges.
func (r *Rig) Round(t testing.TB, p Plan) Result {
	t.Helper()
	begin := time.Now()
	p.Changes = slices.DeleteFunc(p.Changes, func(c Change) bool { return r.SkippedChanges[c.Kind] != "" })
	r.startWith(t, p.Replicas)
	r.whole(t)
	res := Result{Plan: p, History: filepath.Join(r.dir, fmt.Sprintf("history-%d.jsonl", p.Seed))}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), Lasts+3*settleWithin)
	defer cancel()
	drilled := make(chan error, 1)
	var out, said bytes.Buffer
	work := newOperators(t, r, p.Seed)
	jwt := r.secrets[secrets[RotateJWT]] // the crowd keeps its tokens
	go func() { drilled <- r.drill(ctx, p, jwt, res.History, &out, &said) }()
	require.True(t, work.find(ctx), "no sale was published\n%s", &said)
	work.begin(ctx)
	changes := &changing{rig: r, done: map[string]int{}}
	if len(p.Changes) > 0 {
		changes.market = r.openMarket(ctx, t, p.Seed, work.colleague(p.Seed))
		changes.market.begin(ctx)
	}
	r.carryOut(ctx, t, &p, changes, work)
	work.end()
	if len(p.Changes) > 0 {
		changes.market.end()
	}
	if p.loses() {
		r.followed(t) // connections to a former primary read what it had
		work.audit(ctx)
	}
	err := <-drilled
	if len(p.Changes) > 0 {
		res.Broken = append(res.Broken, changes.judge(ctx, work)...)
		for name, n := range changes.done {
			work.done[name] += n
		}
	}
	work.close(ctx)
	res.judge(out.Bytes(), said.String(), err)
	res.Broken = append(res.Broken, work.problems...)
	res.Acts, res.Took = work.done, time.Since(begin)
	if len(res.Broken) == 0 {
		require.NoError(t, os.Remove(res.History))
	}
	return res
}

// drill runs "onrush drill".
func (r *Rig) drill(ctx context.Context, p Plan, jwt, history string, out, said *bytes.Buffer) error {
	token, err := r.operatorToken(ctx)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, r.program, "drill",
		"--url", r.instances[A].url+","+r.instances[B].url, "--jwt-secret", jwt,
		"--seed", fmt.Sprint(p.Seed), "--buyers", fmt.Sprint(buyers),
		"--over", over.String(), "--pay-within", payWithin.String(), "--settle", settleWithin.String(),
		"--json", "--history", history)
	if p.loses() {
		cmd.Args = append(cmd.Args, "--allow-failed")
	}
	if p.wishes() {
		cmd.Args = append(cmd.Args, "--scenario", "wishes")
	}
	cmd.Env, cmd.Stdout, cmd.Stderr = []string{"ONRUSH_TOKEN=" + token}, out, said
	return cmd.Run()
}

// judge reads what the drill says: that all held (0), that something is broken (1) or was not exercised (3).
func (res *Result) judge(out []byte, said string, err error) {
	var report struct {
		Checks []verdict `json:"checks"`
	}
	if text := json.Unmarshal(out, &report); text != nil {
		res.Broken = append(res.Broken, fmt.Sprintf("the drill did not end with a report: %v\n%s%s", err, out, said))
		return
	}
	for _, c := range report.Checks {
		switch c.Verdict {
		case "broken":
			res.Broken = append(res.Broken, c.Name+": "+strings.Join(c.Problems, "; "))
		case "not_exercised":
			res.Idle = append(res.Idle, c.Name)
		}
	}
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	}
	if !slices.Contains([]int{0, 1, 3}, code) || code == 1 && len(res.Broken) == 0 {
		res.Broken = append(res.Broken, fmt.Sprintf("the drill ended with %v\n%s", err, said))
	}
}

// String is one line for the log.
func (res *Result) String() string {
	kinds := make([]string, len(res.Plan.Faults))
	for i, f := range res.Plan.Faults {
		kinds[i] = string(f.Kind) + ":" + string(f.Target)
	}
	for _, c := range res.Plan.Changes {
		kinds = append(kinds, string(c.Kind))
	}
	outcome := "held"
	if len(res.Broken) > 0 {
		outcome = "broken"
	}
	line := fmt.Sprintf("seed=%d replicas=%d kinds=%s verdict=%s seconds=%.1f",
		res.Plan.Seed, res.Plan.Replicas, strings.Join(kinds, ","), outcome, res.Took.Seconds())
	if len(res.Idle) > 0 {
		line += " not_exercised=" + strings.Join(res.Idle, ",")
	}
	return line
}
