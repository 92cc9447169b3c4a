package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"onrush/app/operator"
	"onrush/web/client"
)

// remote is a running program, for commands that call it as an operator.
type remote struct {
	Addr  string `help:"Address of the running program." default:"http://127.0.0.1:8080" env:"ONRUSH_URL"`
	Token string `help:"Token or key of an operator. Empty: a token from POST /dev/token." env:"ONRUSH_TOKEN"`
}

func (r *remote) client() *operator.Client { return operator.NewClient(r.Token, r.Addr) }

// outputFlag is the form in which a command prints.
type outputFlag struct {
	Output string `short:"o" help:"text or json." enum:"text,json" default:"text"`
}

func (f *outputFlag) json() bool { return f.Output == "json" }

// calling has the flags of a command that calls a program and prints its answer.
type calling struct {
	remote
	outputFlag
}

type activitiesCommand struct {
	Apply  activitiesApplyCommand  `cmd:"" help:"Make a sale what a file says, after showing the differences."`
	List   activitiesListCommand   `cmd:"" help:"List the sales."`
	Show   activitiesShowCommand   `cmd:"" help:"Print a sale as a file that apply reads."`
	Pause  activitiesPauseCommand  `cmd:"" help:"Stop selling in a published sale until it is resumed."`
	Resume activitiesResumeCommand `cmd:"" help:"Let a paused sale go on."`
	Close  activitiesCloseCommand  `cmd:"" help:"Close a published sale now or at a time. Placed orders are kept."`
}

type activitiesApplyCommand struct {
	calling
	File   string `short:"f" required:"" help:"File of the sale, YAML or JSON; - is standard input."`
	Yes    bool   `short:"y" help:"Don't ask; required with -o json."`
	DryRun bool   `help:"Only show the differences."`
}

var errNotConfirmed = errors.New("nothing was changed; answer y, or pass --yes")

// Run shows the differences, asks, and makes them.
func (c *activitiesApplyCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	var file *operator.SaleFile
	err := opened(c.File, in, func(r io.Reader) (err error) {
		file, err = operator.ReadSale(r)
		return err
	})
	if err != nil {
		return err
	}
	caller := c.client()
	plan, err := caller.Plan(ctx, file)
	if err != nil {
		return err
	}
	if c.json() {
		err = operator.WriteJSON(out, plan)
	} else {
		err = printPlan(out, plan, caller.Readable(ctx, plan))
	}
	if err != nil || c.DryRun || len(plan.Differences) == 0 {
		return err
	}
	if !c.Yes && (c.json() || !confirmed(in, out)) {
		return errNotConfirmed
	}
	if err := caller.Apply(ctx, plan); err != nil {
		return err
	}
	if !c.json() {
		_, err = fmt.Fprintf(out, "Applied to %s.\n", plan.ID)
	}
	return err
}

func printPlan(out io.Writer, plan *operator.Plan, lines []string) error {
	state := plan.State
	if state == "" {
		state = "new"
	}
	if len(plan.Differences) == 0 {
		_, err := fmt.Fprintf(out, "Sale %s (%s) is as the file says.\n", plan.ID, state)
		return err
	}
	_, err := fmt.Fprintf(out, "Sale %s (%s):\n", plan.ID, state)
	for _, line := range lines {
		_, err = fmt.Fprintf(out, "  %s\n", line)
	}
	return err
}

// confirmed asks on the terminal.
func confirmed(in io.Reader, out io.Writer) bool {
	_, _ = fmt.Fprint(out, "Apply? [y/N] ")
	line, _ := bufio.NewReader(in).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

type activitiesListCommand struct {
	listing
	State string `help:"draft, published or offline." enum:",draft,published,offline" default:""`
}

// Run prints the sales, newest first.
func (c *activitiesListCommand) Run(ctx context.Context, out io.Writer) error {
	query := filter("state", c.State)
	return c.list(ctx, out, activitiesPath, query,
		"ACTIVITY=activity_id, STATE=state, PAUSED SINCE=paused_at, STARTS=starts_at, ENDS=ends_at, "+
			"SHOP=shop_id, TITLE=title")
}

type activitiesShowCommand struct {
	calling
	Activity string `arg:"" help:"Id of the sale."`
}

// Run prints a sale.
func (c *activitiesShowCommand) Run(ctx context.Context, out io.Writer) error {
	var sale json.RawMessage
	if err := c.client().Get(ctx, activitiesPath+"/"+url.PathEscape(c.Activity), &sale); err != nil {
		return err
	}
	if c.json() {
		return operator.WriteJSON(out, sale)
	}
	return operator.WriteSale(out, sale)
}

type activitiesCloseCommand struct {
	calling
	Activity string    `arg:"" help:"Id of the sale."`
	At       time.Time `help:"When it ends, such as 2026-06-01T13:00:00Z. Without it: now and permanently."`
	Yes      bool      `short:"y" help:"Don't ask; required with -o json."`
}

// Run closes a sale.
func (c *activitiesCloseCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	path := activitiesPath + "/" + url.PathEscape(c.Activity)
	var sale client.AdminActivity
	if err := c.client().Get(ctx, path, &sale); err != nil {
		return err
	}
	when := "now and permanently"
	if !c.At.IsZero() {
		when = "at " + c.At.UTC().Format(time.RFC3339)
	}
	if !c.Yes && c.json() {
		return errNotConfirmed
	}
	if !c.Yes {
		_, _ = fmt.Fprintf(out, "%s (%s, ends %s) will be closed %s.\n", sale.Title, sale.State,
			sale.EndsAt.Format(operator.TimeFormat), when)
		if !confirmed(in, out) {
			return errNotConfirmed
		}
	}
	done := fmt.Sprintf("%s closes %s.", c.Activity, when)
	if c.At.IsZero() {
		return c.send(ctx, out, http.MethodPost, path+"/offline", "", nil, done)
	}
	// The sale is closed at a time only if it is still as it was shown; closing it now is never refused.
	end := map[string]any{"ends_at": c.At, "version": sale.Version}
	return c.send(ctx, out, http.MethodPatch, path, "", end, done)
}

type ordersCommand struct {
	listing
	Order    string    `arg:"" optional:"" help:"Number of an order to show, with its log. Without it: a list."`
	Status   string    `help:"unpaid, paid, cancelled, refunded or failed."`
	Activity string    `help:"Id of the sale."`
	User     string    `help:"User id."`
	From     time.Time `help:"Only orders placed at this time or later."`
	To       time.Time `help:"Only orders placed before this time."`
}

// Run prints one order or a list, newest first.
func (c *ordersCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Order != "" {
		return printOne(ctx, c.client(), out, "/admin/api/v1/orders/"+url.PathEscape(number(c.Order)))
	}
	query := filter("status", c.Status, "activity_id", c.Activity, "user_id", c.User,
		"from", utc(c.From), "to", utc(c.To))
	return c.list(ctx, out, "/admin/api/v1/orders", query,
		"ORDER=order_number, STATUS=status, PLACED=placed_at, USER=user_id, ACTIVITY=activity_id, "+
			"TOTAL=total_amount$, REFUNDED=refunded_amount$, CURRENCY=currency")
}

type refundsCommand struct {
	listing
	Refund string    `arg:"" optional:"" help:"Number of the refund to show. Without it: a list."`
	Status string    `help:"pending, failed or done."`
	Order  string    `help:"Number of an order."`
	From   time.Time `help:"Only refunds created at this time or later."`
	To     time.Time `help:"Only refunds created before this time."`
}

// Run prints one refund or a list, newest first.
func (c *refundsCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Refund != "" {
		return printOne(ctx, c.client(), out, "/admin/api/v1/refunds/"+url.PathEscape(number(c.Refund)))
	}
	query := filter("status", c.Status, "order_number", number(c.Order), "from", utc(c.From), "to", utc(c.To))
	return c.list(ctx, out, "/admin/api/v1/refunds", query,
		"REFUND=refund_number, STATUS=status, CREATED=created_at, AMOUNT=amount$, CURRENCY=currency, "+
			"CHANNEL=channel, PAYMENT=pay_number, ORDER=order_number, REASON=reason+operator_reason, "+
			"LAST ERROR=last_error")
}

type instancesCommand struct{ calling }

// Run prints the instances, the last seen first.
func (c *instancesCommand) Run(ctx context.Context, out io.Writer) error {
	return c.printAll(ctx, out, "/admin/api/v1/instances",
		"INSTANCE=name, METRICS AT=metrics_addr, VERSION=version, STATUS=status, SINCE=started_at, "+
			"SEEN=seen_at, UNAVAILABLE=unavailable")
}

// listing has the flags of a command that prints a list.
type listing struct {
	calling
	Limit int `help:"How many at most." default:"50"`
}

// list prints the items of a list that a query selects, in columns as of operator.WriteTable.
func (l *listing) list(ctx context.Context, out io.Writer, path string, query url.Values, columns string) error {
	items, err := l.items(ctx, path, query)
	if err != nil {
		return err
	}
	return l.printItems(out, items, columns)
}

// items reads the items of a list that a query selects.
func (l *listing) items(ctx context.Context, path string, query url.Values) ([]json.RawMessage, error) {
	if l.Limit < 1 {
		return nil, errors.New("--limit must be at least 1")
	}
	items := []json.RawMessage{}
	for item, err := range l.client().List(ctx, path, query) {
		if err != nil {
			return nil, err
		}
		if items = append(items, item); len(items) == l.Limit {
			break
		}
	}
	return items, nil
}

// printAll prints the items of a list that has no pages.
func (c *calling) printAll(ctx context.Context, out io.Writer, path, columns string) error {
	var answer struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := c.client().Get(ctx, path, &answer); err != nil {
		return err
	}
	return c.printItems(out, answer.Items, columns)
}

func (f *outputFlag) printItems(out io.Writer, items []json.RawMessage, columns string) error {
	if f.json() {
		return operator.WriteJSON(out, items)
	}
	return operator.WriteTable(out, columns, items)
}

// printOne prints what a route shows, as JSON: it has too much for a table.
func printOne(ctx context.Context, client *operator.Client, out io.Writer, path string) error {
	var shown json.RawMessage
	if err := client.Get(ctx, path, &shown); err != nil {
		return err
	}
	return operator.WriteJSON(out, shown)
}

// filter returns a query of names and values, without the values that are "".
func filter(pairs ...string) url.Values {
	query := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			query.Set(pair[0], pair[1])
		}
	}
	return query
}

// utc returns a time for a query, "" for none.
func utc(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}
