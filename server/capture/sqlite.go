package capture

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// openDatabase opens a host's database for reading, concurrently with the host that writes it.
// Nothing is ever written: in the case where SQLite requires a reader to write (a log that no
// process has open, on a read-only disk), the file is read as it is.
func openDatabase(ctx context.Context, path string) (*sql.DB, error) {
	db, err := openReadOnly(ctx, path, "")
	if err == nil {
		return db, nil
	}
	if _, missing := os.Stat(path + "-wal"); missing != nil {
		if db, second := openReadOnly(ctx, path, "&immutable=1"); second == nil {
			return db, nil
		}
	}
	return nil, err
}

func openReadOnly(ctx context.Context, path, more string) (*sql.DB, error) {
	if filepath.VolumeName(path) != "" {
		path = "/" + filepath.ToSlash(path)
	}
	address := url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&_pragma=busy_timeout(1000)&_pragma=query_only(1)" + more}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(2) // a query runs while the rows of another are read
	var n int
	if err := db.QueryRowContext(ctx, "select count(*) from sqlite_schema").Scan(&n); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// columns returns the columns of a table; none if the table does not exist.
func columns(ctx context.Context, db *sql.DB, table string) (map[string]bool, error) {
	rows, err := db.QueryContext(ctx, "select name from pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err returns the error
	out := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		out[name] = true
	}
	return out, rows.Err()
}

// require returns an error unless a table has the named columns: a future version may lack them.
func require(ctx context.Context, db *sql.DB, table string, names ...string) (map[string]bool, error) {
	have, err := columns(ctx, db, table)
	if err != nil {
		return nil, err
	}
	if len(have) == 0 {
		return nil, fmt.Errorf("it has no table %s: its form is not known, perhaps because it is of a newer version", table)
	}
	var missing []string
	for _, name := range names {
		if !have[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("its table %s has no %s: its form is not known, perhaps because it is of a newer version", table, strings.Join(missing, ", "))
	}
	return have, nil
}

// unreadTables lists the tables of a database that may hold conversations, except the named ones:
// tables whose rows belong to a session and have a text, and tables named after conversations.
func unreadTables(ctx context.Context, db *sql.DB, path string, known ...string) (out []Unread, err error) {
	rows, err := db.QueryContext(ctx, "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' order by name")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err returns the error
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		if slices.Contains(known, name) {
			continue
		}
		have, err := columns(ctx, db, name)
		if err != nil {
			return nil, err
		}
		if !conversationTable.MatchString(name) && !(hasAny(have, "session_id", "conversation_id", "thread_id", "chat_id", "message_id") &&
			hasAny(have, "data", "content", "text", "body", "message", "parts", "value", "payload")) {
			continue
		}
		u := Unread{What: "table " + kindName(name), Example: path}
		count := fmt.Sprintf("select count(*) from (select 1 from %q limit %d)", name, maxUnread)
		if err := db.QueryRowContext(ctx, count).Scan(&u.Count); err != nil {
			return nil, err
		}
		if u.Count > 0 {
			out = append(out, u)
		}
	}
	return out, rows.Err()
}

// conversationTable matches the names of tables that hold sessions or their messages, also those of
// later versions.
var conversationTable = regexp.MustCompile(`^(session|message|part|chat|conversation|thread)s?(_message)?s?(_v?\d+)?$`)

func hasAny(have map[string]bool, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return have[name] })
}
