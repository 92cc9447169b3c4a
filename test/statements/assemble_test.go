package statements_test

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// The assembler finds what text an expression may have without running the program. It knows constants, variables,
// fields and parameters by everything that is ever assigned to them, and the functions with which the program builds
// statements. Each kind of bound has a limit, so that an expression that refers to itself ends.
const (
	maxTexts = 24 // that one expression may have
	maxDepth = 24 // of expressions, and of callers
)

type assembler struct {
	*program
	values     map[types.Object][]value       // of variables and fields
	conditions map[types.Object][]ast.Expr    // of variables of the type sqldb.Where
	calls      map[types.Object][]call        // of functions
	functions  map[types.Object]*ast.FuncDecl // by object
	writes     map[types.Object][]ast.Expr    // to variables of the type strings.Builder, as Sprintf formats
	formats    map[ast.Expr][]ast.Expr        // the arguments of a format of writes
	ranges     map[types.Object]ast.Expr      // what a variable of a loop runs over
	literals   map[types.Object][]fields      // of a field: all structs that set it
	given      map[types.Object][]given       // of a variable: the calls that get its address

	inside  map[types.Object]bool // the objects being read: a value that is made of itself has no more texts
	touched map[types.Object]bool // the fields that were read since it was cleared
	bound   fields                // if set, fields have the values of one struct
}

// fields are the values of one struct.
type fields map[types.Object]ast.Expr

// value is a value assigned to a variable. With more it is appended to the old value; index selects a result of a call
// that has several.
type value struct {
	expr  ast.Expr
	more  bool
	index int
}

type call struct {
	expr *ast.CallExpr
	from *ast.FuncDecl
}

// given is an argument of a call.
type given struct {
	expr  *ast.CallExpr
	index int
}

// env are the texts of the parameters of a function in one of its calls.
type env map[types.Object]string

func assemble(p *program) *assembler {
	a := &assembler{
		program: p, values: map[types.Object][]value{}, conditions: map[types.Object][]ast.Expr{},
		calls: map[types.Object][]call{}, functions: map[types.Object]*ast.FuncDecl{},
		writes: map[types.Object][]ast.Expr{}, formats: map[ast.Expr][]ast.Expr{},
		ranges: map[types.Object]ast.Expr{}, literals: map[types.Object][]fields{}, touched: map[types.Object]bool{},
		inside: map[types.Object]bool{},
		given:  map[types.Object][]given{},
	}
	for _, file := range p.files {
		for _, decl := range file.Decls {
			function, _ := decl.(*ast.FuncDecl)
			if function != nil {
				a.functions[p.info.Defs[function.Name]] = function
			}
			ast.Inspect(decl, func(node ast.Node) bool { return a.index(node, function) })
		}
	}
	a.bindClosures()
	return a
}

// bindClosures gives the parameters of functions that are held by variables the arguments of their calls.
func (a *assembler) bindClosures() {
	for held, values := range maps.Clone(a.values) {
		for _, v := range values {
			function, ok := v.expr.(*ast.FuncLit)
			if !ok {
				continue
			}
			var parameters []*ast.Ident
			for _, field := range function.Type.Params.List {
				parameters = append(parameters, field.Names...)
			}
			for _, c := range a.calls[held] {
				for i, arg := range c.expr.Args[:min(len(parameters), len(c.expr.Args))] {
					parameter := a.info.Defs[parameters[i]]
					a.values[parameter] = append(a.values[parameter], value{expr: arg})
				}
			}
		}
	}
}

// index notes what a node assigns and calls. It reports whether the node's parts are of interest.
func (a *assembler) index(node ast.Node, from *ast.FuncDecl) bool {
	switch node := node.(type) {
	case *ast.IfStmt:
		if condition, ok := node.Cond.(*ast.BinaryExpr); ok && condition.Op == token.EQL && a.isSQLite(condition.Y) {
			return false // statements for SQLite alone
		}
	case *ast.AssignStmt:
		for i, to := range node.Lhs {
			a.assign(to, node.Rhs, i, node.Tok == token.ADD_ASSIGN)
		}
	case *ast.ValueSpec:
		for i, name := range node.Names {
			a.assign(name, node.Values, i, false)
		}
	case *ast.RangeStmt:
		if name, ok := node.Value.(*ast.Ident); ok {
			a.ranges[a.object(name)] = node.X
		}
	case *ast.CompositeLit:
		a.indexFields(node)
	case *ast.CallExpr:
		a.indexCall(node, from)
	}
	return true
}

func (a *assembler) isSQLite(expr ast.Expr) bool {
	object := a.object(expr)
	return object != nil && object.Name() == "SQLite"
}

func (a *assembler) assign(to ast.Expr, values []ast.Expr, i int, more bool) {
	object := a.object(to)
	switch {
	case object == nil || len(values) == 0:
	case i < len(values):
		a.values[object] = append(a.values[object], value{expr: values[i], more: more})
	default:
		a.values[object] = append(a.values[object], value{expr: values[0], index: i})
	}
}

// indexFields notes the values of a struct's fields.
func (a *assembler) indexFields(literal *ast.CompositeLit) {
	of, ok := a.typeOf(literal).(*types.Struct)
	if !ok {
		return
	}
	set := fields{}
	for i, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok {
				set[origin(a.info.Uses[key])] = pair.Value
			}
		} else if i < of.NumFields() {
			set[origin(of.Field(i))] = element
		}
	}
	for field, expr := range set {
		a.values[field] = append(a.values[field], value{expr: expr})
		a.literals[field] = append(a.literals[field], set)
	}
}

func (a *assembler) indexCall(node *ast.CallExpr, from *ast.FuncDecl) {
	object := a.object(node.Fun) // nil for functions of other packages
	a.calls[object] = append(a.calls[object], call{node, from})
	for i, arg := range node.Args {
		if address, ok := arg.(*ast.UnaryExpr); ok && address.Op == token.AND {
			variable := a.object(address.X)
			a.given[variable] = append(a.given[variable], given{node, i})
		}
	}
	selector, ok := node.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	receiver := a.object(selector.X)
	switch {
	case receiver == nil:
	case selector.Sel.Name == "And" && len(node.Args) > 0:
		a.conditions[receiver] = append(a.conditions[receiver], node.Args[0])
	case selector.Sel.Name == "AndIf" && len(node.Args) > 1:
		a.conditions[receiver] = append(a.conditions[receiver], node.Args[1])
	case selector.Sel.Name == "WriteString" && len(node.Args) == 1:
		a.writes[receiver] = append(a.writes[receiver], node.Args[0])
	case selector.Sel.Name == "Fprintf" && len(node.Args) > 1:
		if to, ok := node.Args[0].(*ast.UnaryExpr); ok {
			builder := a.object(to.X)
			a.writes[builder] = append(a.writes[builder], node.Args[1])
			a.formats[node.Args[1]] = node.Args[2:]
		}
	}
}

// object returns what a name or selector stands for; nil if that isn't known.
func (a *assembler) object(expr ast.Expr) types.Object {
	switch expr := expr.(type) {
	case *ast.Ident:
		if object := a.info.Defs[expr]; object != nil {
			return object
		}
		return a.info.Uses[expr]
	case *ast.SelectorExpr:
		return origin(a.info.Uses[expr.Sel])
	case *ast.IndexExpr: // a function with its type
		return a.object(expr.X)
	case *ast.ParenExpr:
		return a.object(expr.X)
	}
	return nil
}

// origin returns the declaration of a method or field of a generic type.
func origin(object types.Object) types.Object {
	switch object := object.(type) {
	case *types.Func:
		return object.Origin()
	case *types.Var:
		return object.Origin()
	}
	return object
}

func (a *assembler) typeOf(expr ast.Expr) types.Type {
	if of := a.info.Types[expr].Type; of != nil {
		return of.Underlying()
	}
	return nil
}

// texts returns the texts that an expression may have; none if it can't be known.
func (a *assembler) texts(expr ast.Expr, in env, depth int) []string {
	if depth > maxDepth {
		return nil
	}
	if known := a.info.Types[expr].Value; known != nil {
		if known.Kind() == constant.String {
			return []string{constant.StringVal(known)}
		}
		return []string{known.ExactString()}
	}
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return a.texts(expr.X, in, depth+1)
	case *ast.BinaryExpr:
		return join(a.texts(expr.X, in, depth+1), a.texts(expr.Y, in, depth+1))
	case *ast.Ident, *ast.SelectorExpr:
		return a.named(expr, in, depth)
	case *ast.IndexExpr:
		return a.elements(expr.X, in, depth+1)
	case *ast.CallExpr:
		return a.called(expr, in, depth)
	}
	return nil
}

// named returns the texts of a variable, parameter or field.
func (a *assembler) named(expr ast.Expr, in env, depth int) []string {
	if selector, ok := expr.(*ast.SelectorExpr); ok && selector.Sel.Name == "Names" {
		if names := a.columnNames(selector.X); names != "" {
			return []string{names}
		}
	}
	object := a.object(expr)
	if object == nil {
		return nil
	}
	if text, bound := in[object]; bound {
		return []string{text}
	}
	if a.literals[object] != nil {
		a.touched[object] = true
	}
	if value, bound := a.bound[object]; bound {
		return a.texts(value, in, depth+1)
	}
	if over := a.ranges[object]; over != nil {
		return a.elements(over, in, depth+1)
	}
	if a.inside[object] {
		return nil
	}
	a.inside[object] = true
	defer delete(a.inside, object)
	var texts []string
	for _, v := range a.values[object] {
		switch {
		case v.index > 0:
			texts = append(texts, a.results(v.expr, v.index, in, depth+1)...)
		case v.more:
			texts = join(texts, a.texts(v.expr, in, depth+1))
		default:
			texts = append(texts, a.texts(v.expr, in, depth+1)...)
		}
	}
	return unique(texts)
}

// elements returns the texts of a list's elements.
func (a *assembler) elements(list ast.Expr, in env, depth int) (texts []string) {
	if depth > maxDepth {
		return nil
	}
	switch list := list.(type) {
	case *ast.CompositeLit:
		for _, element := range list.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				element = pair.Value
			}
			texts = append(texts, a.texts(element, in, depth+1)...)
		}
	case *ast.CallExpr: // append
		for i := 1; i < len(list.Args); i++ {
			texts = append(texts, a.texts(list.Args[i], in, depth+1)...)
		}
	case *ast.Ident, *ast.SelectorExpr:
		object := a.object(list)
		if a.literals[object] != nil {
			a.touched[object] = true
		}
		if value, bound := a.bound[object]; bound {
			return a.elements(value, in, depth+1)
		}
		if a.inside[object] {
			return nil
		}
		a.inside[object] = true
		defer delete(a.inside, object)
		for _, v := range a.values[object] {
			texts = append(texts, a.elements(v.expr, in, depth+1)...)
		}
	}
	return unique(texts)
}

// called returns the texts of a call's result.
func (a *assembler) called(expr *ast.CallExpr, in env, depth int) []string {
	if a.info.Types[expr.Fun].IsType() && len(expr.Args) == 1 {
		return a.texts(expr.Args[0], in, depth+1)
	}
	selector, _ := expr.Fun.(*ast.SelectorExpr)
	name := ""
	if function, ok := expr.Fun.(*ast.Ident); ok {
		name = function.Name
	}
	if selector != nil {
		name = selector.Sel.Name
		if pkg, ok := selector.X.(*ast.Ident); ok {
			if _, ok := a.info.Uses[pkg].(*types.PkgName); ok {
				name = pkg.Name + "." + name
			}
		}
	}
	switch name {
	case "sqldb.In", "In":
		return []string{"?, ?"}
	case "sqldb.Repeat", "strings.Repeat", "strings.TrimSuffix", "strings.TrimPrefix", "Repeat":
		return a.texts(expr.Args[0], in, depth+1)
	case "strings.Join":
		elements := a.elements(expr.Args[0], in, depth+1)
		separators := a.texts(expr.Args[1], in, depth+1)
		if len(elements) == 0 || len(separators) != 1 {
			return nil
		}
		return []string{strings.Join(elements, separators[0])}
	case "fmt.Sprintf":
		return a.formatted(expr.Args[0], expr.Args[1:], in, depth)
	case "strconv.Itoa", "strconv.FormatInt":
		return []string{"1"}
	case "String":
		return a.built(selector.X, in, depth)
	}
	return a.results(expr, 0, in, depth)
}

// formatted returns the texts of a format with its arguments.
func (a *assembler) formatted(format ast.Expr, args []ast.Expr, in env, depth int) []string {
	texts := a.texts(format, in, depth+1)
	for _, arg := range args {
		values := a.texts(arg, in, depth+1)
		var next []string
		for _, text := range texts {
			before, after, found := cutVerb(text)
			switch {
			case !found:
				return nil
			case text[len(before)+1] == 'd':
				next = append(next, before+"1"+after)
			default:
				next = append(next, join(join([]string{before}, values), []string{after})...)
			}
		}
		texts = unique(next)
	}
	return texts
}

func cutVerb(text string) (before, after string, found bool) {
	i := strings.IndexByte(text, '%')
	if i < 0 || i+2 > len(text) {
		return text, "", false
	}
	return text[:i], text[i+2:], true
}

// built returns the text of a sqldb.Where or a strings.Builder with everything that is ever added to it.
func (a *assembler) built(receiver ast.Expr, in env, depth int) []string {
	if receiver, ok := receiver.(*ast.CallExpr); ok {
		return a.wheres(receiver, in, depth+1)
	}
	object := a.object(receiver)
	if writes := a.writes[object]; writes != nil {
		texts := []string{""}
		for _, write := range writes {
			texts = join(texts, a.formatted(write, a.formats[write], in, depth+1))
		}
		return texts
	}
	conditions := a.where(object, in, depth)
	if len(conditions) == 0 {
		return []string{""}
	}
	return []string{" WHERE " + strings.Join(conditions, " AND ")}
}

// wheres returns the clauses of a function that returns a sqldb.Where.
func (a *assembler) wheres(expr *ast.CallExpr, in env, depth int) (texts []string) {
	if depth > maxDepth {
		return nil
	}
	for _, result := range a.returns(a.object(expr.Fun), 0) {
		texts = append(texts, a.built(result, in, depth+1)...)
	}
	return unique(texts)
}

// where returns the conditions of a variable of the type sqldb.Where, also those that functions add which get it.
func (a *assembler) where(object types.Object, in env, depth int) (conditions []string) {
	if depth > maxDepth || object == nil || a.inside[object] {
		return nil
	}
	a.inside[object] = true
	defer delete(a.inside, object)
	if a.literals[object] != nil {
		a.touched[object] = true
	}
	if value, bound := a.bound[object]; bound {
		return a.where(a.object(value), in, depth+1)
	}
	for _, v := range a.values[object] {
		if from, ok := v.expr.(*ast.CallExpr); ok {
			for _, result := range a.returns(a.object(from.Fun), v.index) {
				conditions = append(conditions, a.where(a.object(result), in, depth+1)...)
			}
		}
	}
	for _, condition := range a.conditions[object] {
		conditions = append(conditions, a.texts(condition, in, depth+1)...)
	}
	for _, g := range a.given[object] {
		conditions = append(conditions, a.where(a.parameter(g.expr, g.index), in, depth+1)...)
	}
	return unique(conditions)
}

// parameter returns the parameter that an argument of a call is given to; nil if that isn't known.
func (a *assembler) parameter(expr *ast.CallExpr, i int) types.Object {
	function, ok := a.object(expr.Fun).(*types.Func)
	if !ok {
		return nil
	}
	parameters := function.Signature().Params()
	if i >= parameters.Len() {
		return nil
	}
	return parameters.At(i)
}

// results returns the texts of a result of a call of one of the program's functions.
func (a *assembler) results(expr ast.Expr, index int, in env, depth int) (texts []string) {
	c, ok := expr.(*ast.CallExpr)
	if !ok {
		return nil
	}
	function := a.object(c.Fun)
	if a.functions[function] == nil || a.inside[function] {
		return nil
	}
	a.inside[function] = true
	defer delete(a.inside, function)
	inner := maps.Clone(in)
	if inner == nil {
		inner = env{}
	}
	for i, arg := range c.Args {
		if parameter := a.parameter(c, i); parameter != nil {
			if values := a.texts(arg, in, depth+1); len(values) > 0 {
				inner[parameter] = values[0]
			}
		}
	}
	for _, result := range a.returns(function, index) {
		texts = append(texts, a.texts(result, inner, depth+1)...)
	}
	return unique(texts)
}

// returns returns the expressions that a function returns as its result of that index.
func (a *assembler) returns(function types.Object, index int) (results []ast.Expr) {
	decl := a.functions[function]
	if decl == nil {
		return nil
	}
	ast.Inspect(decl.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if index < len(node.Results) {
				results = append(results, node.Results[index])
			}
		}
		return true
	})
	return results
}

// columnNames returns the list of columns of an expression of the type sqldb.Columns; "" if it has another one.
func (a *assembler) columnNames(expr ast.Expr) string {
	named, ok := a.info.Types[expr].Type.(*types.Named)
	if !ok || named.Obj().Name() != "Columns" || named.TypeArgs().Len() != 1 {
		return ""
	}
	row, ok := named.TypeArgs().At(0).Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	var names []string
	for i := range row.NumFields() {
		if name := tag(row.Tag(i)); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// join returns each text of a followed by each of b.
func join(a, b []string) (joined []string) {
	for _, first := range a {
		for _, second := range b {
			joined = append(joined, first+second)
		}
	}
	return unique(joined)
}

// unique returns the texts once each, in their order, and not too many of them.
func unique(texts []string) (once []string) {
	for _, text := range texts {
		if !slices.Contains(once, text) && len(once) < maxTexts {
			once = append(once, text)
		}
	}
	return once
}
