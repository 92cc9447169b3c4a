package setting

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const (
	// Prefix begins the environment variables of the program.
	Prefix = "ONRUSH_"
	// testPrefix begins the environment variables of its tests, which the program ignores.
	testPrefix = "ONRUSH_TEST_"
)

// Former are settings of earlier builds, and where their values are now.
var Former = map[string]string{ //nolint:gosec // it has no secret
	"JWT_SECRET_NEXT":         "ONRUSH_JWT_SECRET=<secret>;<next>",
	"JWT_SECRET_PREVIOUS":     "ONRUSH_JWT_SECRET=<secret>;<previous>",
	"PATH_SECRET_NEXT":        "ONRUSH_PATH_SECRET=<secret>;<next>",
	"PATH_SECRET_PREVIOUS":    "ONRUSH_PATH_SECRET=<secret>;<previous>",
	"SANDBOX_SECRET_NEXT":     "ONRUSH_SANDBOX_SECRET=<secret>;<next>",
	"SANDBOX_SECRET_PREVIOUS": "ONRUSH_SANDBOX_SECRET=<secret>;<previous>",
	"JWKS_FILE":               "ONRUSH_JWKS=<file>",
	"JWKS_URL":                "ONRUSH_JWKS=<url>",
	"STRIPE_BASE_URL":         "ONRUSH_GATEWAYS=stripe=<url>",
	"WECHAT_BASE_URL":         "ONRUSH_GATEWAYS=wechat=<url>",
	"ALIPAY_BASE_URL":         "ONRUSH_GATEWAYS=alipay=<url>",
	"GATEWAY_URLS":            "ONRUSH_GATEWAYS",
	"WECHAT_SUBJECT":          "ONRUSH_PAY_SUBJECT",
	"ALIPAY_SUBJECT":          "ONRUSH_PAY_SUBJECT",
	"LIMIT_USER":              "ONRUSH_LIMITS=user=<limit>",
	"LIMIT_ADDRESS":           "ONRUSH_LIMITS=address=<limit>",
	"LIMIT_NETWORK":           "ONRUSH_LIMITS=network=<limit>",
	"LIMIT_STRANGERS":         "ONRUSH_LIMITS=strangers=<limit>",
	"LIMIT_INSTANCE":          "ONRUSH_LIMITS=instance=<limit>",
	"LIMIT_ROUTES":            "ONRUSH_LIMITS=<route>=<limit>,<route>=<limit>",
	"KEEP_ORDERS":             "ONRUSH_KEEP=orders=<age>",
	"KEEP_RECORDS":            "ONRUSH_KEEP=records=<age>",
	"KEEP_FINISHED":           "ONRUSH_KEEP=finished=<age>",
	"RETIRE_AFTER":            "ONRUSH_KEEP=sales=<age>",
	"LOG_FORMAT":              "ONRUSH_LOG=json:<level>",
	"METRICS_PUBLIC":          "ONRUSH_METRICS_ADDR, an address of its own",
}

// CheckEnvironment returns an error if environ, in the form of os.Environ, has an ONRUSH_ variable
// that no flag of any command reads. A misspelt name would otherwise leave its setting at the
// default: a run that was meant for real stores would start on embedded ones.
func CheckEnvironment(app *kong.Application, environ []string) error {
	known := Names(app.Node)
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, Prefix) || strings.HasPrefix(name, testPrefix) || slices.Contains(known, name) {
			continue
		}
		return unknown(name, known)
	}
	return nil
}

// unknown returns the error for a name that no setting has, with where its value is now, or a name that is near.
func unknown(name string, known []string) error {
	short := strings.TrimPrefix(name, Prefix)
	if now := cmp.Or(Former[short], Former[strings.TrimSuffix(short, fileSuffix)]); now != "" {
		return fmt.Errorf("%s is not a setting any more; set %s", name, now)
	}
	if near := nearest(name, known); near != "" {
		return fmt.Errorf("%s is not a setting; did you mean %s?", name, near)
	}
	return fmt.Errorf("%s is not a setting; onrush serve --help lists them", name)
}

// Names are the environment variables that the flags of a command and of those below it read.
func Names(node *kong.Node) []string {
	var names []string
	for _, flag := range Of(node) {
		names = append(names, flag.Envs...)
		if name := FromFile(flag); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// nearest is the name that differs least from a misspelt one, or "" if all differ in more than a
// third of its letters.
func nearest(name string, known []string) string {
	best, least := "", (len(name)-len(Prefix))/3+1
	for _, k := range known {
		if d := distance(name, k); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to insert, remove or replace to turn a into b (Levenshtein distance).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
