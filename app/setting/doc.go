// Package setting reads the settings of the program, which are the fields of a struct with the tag env: from the
// environment, from files that it names, and from a map.
package setting
