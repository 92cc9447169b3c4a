package schema

import (
	"regexp"
	"strings"
)

// plainly writes the condition of a check in one way, for a comparison: stores add parentheses, leave them out, quote
// names, and MariaDB calls length octet_length. A condition that it can't read stays as it is, in small letters.
func plainly(condition string) string {
	text := strings.NewReplacer("`", "", `"`, "", "octet_length", "length").Replace(strings.ToLower(condition))
	r := conditionReader{rest: words.FindAllString(text, -1)}
	plain := r.term(1).text()
	if r.failed || len(r.rest) > 0 {
		return text
	}
	return plain
}

var words = regexp.MustCompile(`'(?:[^']|'')*'|[\w.$]+|<=>|<=|>=|<>|!=|\|\||\S`)

// binds says how strongly operators bind: a higher number before a lower one, and NOT between AND and comparisons.
var binds = map[string]int{
	"or": 1, "and": 2, "=": 4, "<=>": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "<>": 4, "!=": 4, "is": 4, "in": 4,
	"like": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
}

const bindsNot = 3

// term is the operands of an operator, or one operand without an operator.
type term struct {
	operator string
	operands []string
}

func (t term) text() string {
	if len(t.operands) == 1 {
		return t.operands[0]
	}
	return "(" + strings.Join(t.operands, " "+t.operator+" ") + ")"
}

// join joins two terms by an operator. A chain of ANDs, or of ORs, is one term.
func join(left term, operator string, right term) term {
	joined := term{operator: operator}
	for _, t := range []term{left, right} {
		if t.operator == operator && (operator == "and" || operator == "or") {
			joined.operands = append(joined.operands, t.operands...)
		} else {
			joined.operands = append(joined.operands, t.text())
		}
	}
	return joined
}

// conditionReader reads a condition from its words.
type conditionReader struct {
	rest   []string
	failed bool
}

func (r *conditionReader) peek() string {
	if len(r.rest) == 0 {
		return ""
	}
	return r.rest[0]
}

func (r *conditionReader) next() string {
	word := r.peek()
	if word == "" {
		r.failed = true
	} else {
		r.rest = r.rest[1:]
	}
	return word
}

// term reads operands that are joined by operators which bind at least so strongly.
func (r *conditionReader) term(least int) term {
	left := r.operand()
	for binds[r.peek()] >= least && !r.failed {
		operator := r.next()
		left = join(left, operator, r.term(binds[operator]+1))
	}
	return left
}

// operand reads a name, a value, a call, or a condition in parentheses.
func (r *conditionReader) operand() term {
	switch word := r.next(); {
	case word == "(":
		list := r.list()
		if len(list) == 1 {
			return list[0]
		}
		return term{operands: []string{call("", list)}}
	case word == "not":
		return term{operands: []string{"not " + r.term(bindsNot+1).text()}}
	case word == "-":
		return term{operands: []string{"-" + r.operand().text()}}
	case !isName.MatchString(word):
		r.failed = true
		return term{operands: []string{word}}
	case r.peek() == "(":
		r.next()
		return term{operands: []string{call(word, r.list())}}
	default:
		return term{operands: []string{word}}
	}
}

var isName = regexp.MustCompile(`^['\w]`)

// list reads terms up to the parenthesis that closes them.
func (r *conditionReader) list() (list []term) {
	for !r.failed {
		list = append(list, r.term(1))
		switch r.next() {
		case ")":
			return list
		case ",":
		default:
			r.failed = true
		}
	}
	return list
}

func call(name string, list []term) string {
	texts := make([]string, len(list))
	for i, t := range list {
		texts[i] = t.text()
	}
	return name + "(" + strings.Join(texts, ", ") + ")"
}
