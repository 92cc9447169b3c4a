package statements_test

import (
	"go/ast"
	"go/types"
	"reflect"
	"strings"
)

// queryAt is the position of the statement among the arguments of functions that run one.
var queryAt = map[string]int{
	"GetContext": 2, "SelectContext": 2, "sqlx.GetContext": 3, "sqlx.SelectContext": 3,
	"ExecContext": 1, "QueryContext": 1, "QueryxContext": 1, "QueryRowContext": 1, "QueryRowxContext": 1,
	"PrepareContext": 1,
}

// collect returns the statements of all calls that run one, by the places of the calls.
func (a *assembler) collect() map[string][]string {
	found := map[string][]string{}
	for _, calls := range a.calls {
		for _, c := range calls {
			if query := a.queryOf(c.expr); query != nil {
				found[a.at(c.expr)] = append(found[a.at(c.expr)], a.statements(query, c.from)...)
			}
		}
	}
	return found
}

// statements returns the statements of one call. Their parts are of the same call of the function around it, and of
// the same struct, as far as they depend on these.
func (a *assembler) statements(query func(env) []string, from *ast.FuncDecl) (statements []string) {
	read := func(bound fields) {
		a.bound = bound
		for _, in := range a.envs(query, from) {
			for _, text := range query(in) {
				statements = append(statements, strings.TrimSpace(text))
			}
		}
		a.bound = nil
	}
	clear(a.touched)
	read(nil)
	for field := range a.touched {
		if structs := a.literals[field]; len(structs) > 1 {
			statements = nil
			for _, one := range structs {
				read(one)
			}
			break
		}
	}
	return unique(statements)
}

// queryOf returns what gives the texts of the statement that a call runs; nil if it runs none.
func (a *assembler) queryOf(c *ast.CallExpr) func(env) []string {
	selector, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	within, ok := selector.X.(*ast.SelectorExpr)
	if ok && (within.Sel.Name == "mysqlConn" || within.Sel.Name == "driverConn") {
		return nil // sqldb's connections pass on the statement of a caller
	}
	name := selector.Sel.Name
	if receiver, ok := selector.X.(*ast.Ident); ok && (receiver.Name == "sqlx" || receiver.Name == "sqldb") {
		name = receiver.Name + "." + name
	}
	if at, runs := queryAt[name]; runs && at < len(c.Args) && isString(a.info.Types[c.Args[at]].Type) {
		return func(in env) []string { return a.texts(c.Args[at], in, 0) }
	}
	if name == "sqldb.Insert" && len(c.Args) == 5 {
		return func(in env) []string { return join(a.texts(c.Args[2], in, 0), a.texts(c.Args[3], in, 0)) }
	}
	if names := a.columnNames(selector.X); name == "Insert" && names != "" {
		return func(in env) []string {
			group := "(" + strings.TrimSuffix(strings.Repeat("?, ", strings.Count(names, ",")+1), ", ") + ")"
			return join(join([]string{"INSERT INTO "}, a.texts(c.Args[2], in, 0)),
				[]string{" (" + names + ") VALUES " + group})
		}
	}
	return nil
}

// maxCalls bounds the calls of a function that a statement is assembled for.
const maxCalls = 32

// envs returns the texts of a function's parameters in its calls, or an empty env if the statement doesn't depend on
// them.
func (a *assembler) envs(query func(env) []string, from *ast.FuncDecl) []env {
	if from == nil || len(query(nil)) > 0 {
		return []env{nil}
	}
	return a.callers(from, 0)
}

func (a *assembler) callers(from *ast.FuncDecl, depth int) (envs []env) {
	const most = 3 // callers of callers
	for _, c := range a.calls[a.info.Defs[from.Name]] {
		outers := []env{nil}
		if c.from != nil && depth < most {
			outers = append(outers, a.callers(c.from, depth+1)...)
		}
		for _, outer := range outers {
			in := env{}
			for i, arg := range c.expr.Args {
				parameter, texts := a.parameter(c.expr, i), a.texts(arg, outer, 0)
				if parameter != nil && isString(parameter.Type()) && len(texts) > 0 {
					in[parameter] = texts[0]
				}
			}
			if len(in) > 0 && len(envs) < maxCalls {
				envs = append(envs, in)
			}
		}
	}
	return envs
}

func isString(t types.Type) bool {
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// tag returns the column in the tags of a field.
func tag(tags string) string { return reflect.StructTag(tags).Get("db") }
