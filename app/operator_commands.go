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
	"strings"
	"time"

	"onrush/app/operator"
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

type activitiesCommand struct {
	Apply  activitiesApplyCommand  `cmd:"" help:"Make a sale what a file says, after showing the differences."`
	List   activitiesListCommand   `cmd:"" help:"List the sales."`
	Show   activitiesShowCommand   `cmd:"" help:"Print a sale as a file that apply reads."`
	Pause  activitiesPauseCommand  `cmd:"" help:"Stop selling in a published sale until it is resumed."`
	Resume activitiesResumeCommand `cmd:"" help:"Let a paused sale go on."`
	Close  activitiesCloseCommand  `cmd:"" help:"Close a published sale now or at a time. Placed orders are kept."`
}

type activitiesApplyCommand struct {
	remote
	outputFlag
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
	client := c.client()
	plan, err := client.Plan(ctx, file)
	if err != nil {
		return err
	}
	if c.json() {
		err = operator.WriteJSON(out, plan)
	} else {
		err = printPlan(out, plan, client.Readable(ctx, plan))
	}
	if err != nil || c.DryRun || len(plan.Differences) == 0 {
		return err
	}
	if !c.Yes && (c.json() || !confirmed(in, out)) {
		return errNotConfirmed
	}
	if err := client.Apply(ctx, plan); err != nil {
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
	remote
	outputFlag
	State string `help:"draft, published or offline." enum:",draft,published,offline" default:""`
	Limit int    `help:"How many at most." default:"50"`
}

// Run prints the sales, newest first.
func (c *activitiesListCommand) Run(ctx context.Context, out io.Writer) error {
	query := url.Values{}
	setQuery(query, "state", c.State)
	return printList(ctx, c.client(), out, list{
		path: activitiesPath, query: query, limit: c.Limit, json: c.json(),
		columns: []operator.Column{
			{Heading: "ACTIVITY", Field: "activity_id"},
			{Heading: "STATE", Field: "state"},
			{Heading: "PAUSED SINCE", Field: "paused_at"},
			{Heading: "STARTS", Field: "starts_at"},
			{Heading: "ENDS", Field: "ends_at"},
			{Heading: "SHOP", Field: "shop_id"},
			{Heading: "TITLE", Field: "title"},
		},
	})
}

type activitiesShowCommand struct {
	remote
	outputFlag
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
	remote
	outputFlag
	Activity string    `arg:"" help:"Id of the sale."`
	At       time.Time `help:"When it ends, such as 2026-06-01T13:00:00Z. Without it: now and permanently."`
	Yes      bool      `short:"y" help:"Don't ask; required with -o json."`
}

// Run closes a sale.
func (c *activitiesCloseCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	client, path := c.client(), activitiesPath+"/"+url.PathEscape(c.Activity)
	var sale struct {
		Title string `json:"title"`
		State string `json:"state"`
		Ends  string `json:"ends_at"`
		// The sale is closed at a time only if it is still as it was shown; closing it now is never refused.
		Version int64 `json:"version"`
	}
	if err := client.Get(ctx, path, &sale); err != nil {
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
		_, _ = fmt.Fprintf(out, "%s (%s, ends %s) will be closed %s.\n", sale.Title, sale.State, sale.Ends, when)
		if !confirmed(in, out) {
			return errNotConfirmed
		}
	}
	var closed json.RawMessage
	var err error
	if c.At.IsZero() {
		err = client.Call(ctx, http.MethodPost, path+"/offline", "", nil, &closed)
	} else {
		end := map[string]any{"ends_at": c.At, "version": sale.Version}
		err = client.Call(ctx, http.MethodPatch, path, "", end, &closed)
	}
	switch {
	case err != nil:
		return err
	case c.json():
		return operator.WriteJSON(out, closed)
	}
	_, err = fmt.Fprintf(out, "%s closes %s.\n", c.Activity, when)
	return err
}

type ordersCommand struct {
	remote
	outputFlag
	Order    string    `arg:"" optional:"" help:"Number of an order to show, with its log. Without it: a list."`
	Status   string    `help:"unpaid, paid, cancelled, refunded or failed."`
	Activity string    `help:"Id of the sale."`
	User     string    `help:"User id."`
	From     time.Time `help:"Only orders placed at this time or later."`
	To       time.Time `help:"Only orders placed before this time."`
	Limit    int       `help:"How many at most." default:"50"`
}

// Run prints one order or a list, newest first.
func (c *ordersCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Order != "" {
		return printOne(ctx, c.client(), out, "/admin/api/v1/orders/"+url.PathEscape(c.Order))
	}
	query := url.Values{}
	setQuery(query, "status", c.Status)
	setQuery(query, "activity_id", c.Activity)
	setQuery(query, "user_id", c.User)
	setSpan(query, c.From, c.To)
	return printList(ctx, c.client(), out, list{
		path: "/admin/api/v1/orders", query: query, limit: c.Limit, json: c.json(),
		columns: []operator.Column{
			{Heading: "ORDER", Field: "order_number"},
			{Heading: "STATUS", Field: "status"},
			{Heading: "PLACED", Field: "placed_at"},
			{Heading: "USER", Field: "user_id"},
			{Heading: "ACTIVITY", Field: "activity_id"},
			{Heading: "TOTAL", Field: "total_amount", Amount: true},
			{Heading: "REFUNDED", Field: "refunded_amount", Amount: true},
			{Heading: "CURRENCY", Field: "currency"},
		},
	})
}

type refundsCommand struct {
	remote
	outputFlag
	Refund string    `arg:"" optional:"" help:"Number of the refund to show. Without it: a list."`
	Status string    `help:"pending, failed or done."`
	Order  string    `help:"Number of an order."`
	From   time.Time `help:"Only refunds created at this time or later."`
	To     time.Time `help:"Only refunds created before this time."`
	Limit  int       `help:"How many at most." default:"50"`
}

// Run prints one refund or a list, newest first.
func (c *refundsCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Refund != "" {
		return printOne(ctx, c.client(), out, "/admin/api/v1/refunds/"+url.PathEscape(c.Refund))
	}
	query := url.Values{}
	setQuery(query, "status", c.Status)
	setQuery(query, "order_number", c.Order)
	setSpan(query, c.From, c.To)
	return printList(ctx, c.client(), out, list{
		path: "/admin/api/v1/refunds", query: query, limit: c.Limit, json: c.json(),
		columns: []operator.Column{
			{Heading: "REFUND", Field: "refund_number"},
			{Heading: "STATUS", Field: "status"},
			{Heading: "CREATED", Field: "created_at"},
			{Heading: "AMOUNT", Field: "amount", Amount: true},
			{Heading: "CURRENCY", Field: "currency"},
			{Heading: "CHANNEL", Field: "channel"},
			{Heading: "PAYMENT", Field: "pay_number"},
			{Heading: "ORDER", Field: "order_number"},
			{Heading: "REASON", Field: "reason", More: "operator_reason"},
			{Heading: "LAST ERROR", Field: "last_error"},
		},
	})
}

type queueCommand struct {
	remote
	outputFlag
}

// Run prints the queues of the lanes.
func (c *queueCommand) Run(ctx context.Context, out io.Writer) error {
	var answer struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := c.client().Get(ctx, "/admin/api/v1/queue", &answer); err != nil {
		return err
	}
	if c.json() {
		return operator.WriteJSON(out, answer.Items)
	}
	return operator.WriteTable(out, []operator.Column{
		{Heading: "LANE", Field: "lane"},
		{Heading: "LENGTH", Field: "length"},
		{Heading: "OLDEST MS", Field: "oldest_ms"},
		{Heading: "DEAD", Field: "dead"},
		{Heading: "OLDEST DEAD MS", Field: "oldest_dead_ms"},
	}, answer.Items)
}

// list is a list of the program, and how to print it.
type list struct {
	path    string
	query   url.Values
	limit   int
	json    bool
	columns []operator.Column
}

func printList(ctx context.Context, client *operator.Client, out io.Writer, l list) error {
	if l.limit < 1 {
		return errors.New("--limit must be at least 1")
	}
	items := []json.RawMessage{}
	for item, err := range client.List(ctx, l.path, l.query) {
		if err != nil {
			return err
		}
		if items = append(items, item); len(items) == l.limit {
			break
		}
	}
	if l.json {
		return operator.WriteJSON(out, items)
	}
	return operator.WriteTable(out, l.columns, items)
}

// printOne prints what a route shows, as JSON: it has too much for a table.
func printOne(ctx context.Context, client *operator.Client, out io.Writer, path string) error {
	var shown json.RawMessage
	if err := client.Get(ctx, path, &shown); err != nil {
		return err
	}
	return operator.WriteJSON(out, shown)
}

func setQuery(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func setSpan(query url.Values, from, to time.Time) {
	if !from.IsZero() {
		query.Set("from", from.UTC().Format(time.RFC3339))
	}
	if !to.IsZero() {
		query.Set("to", to.UTC().Format(time.RFC3339))
	}
}
